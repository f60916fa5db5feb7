# SPDX-License-Identifier: Apache-2.0
"""How much is tested: what `toehold test` has time for, or all, as `toehold soak` does."""

import os

FULL = os.environ.get("TOEHOLD_FULL", "0") not in ("", "0")


def some(settings: list, first: int) -> list:
    """So many of the settings, unless all are asked for by TOEHOLD_FULL=1."""
    return settings if FULL else settings[:first]
