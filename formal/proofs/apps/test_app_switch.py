# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from support.prove import prove


def test_app_switch():
    """With two outstanding, around queues that show what they hold."""
    prove(
        "app_switch_props",
        core="apps",
        extra_sources=[Path(__file__).parent / "abstract" / "stream_fifo.sv"],
        depth=9,
        induction=2,
        cover=14,
    )
