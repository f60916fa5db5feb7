# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_pace_calendar():
    """Bounded, from the end of the start on: two connections that go in, and come out."""
    prove(
        "pace_calendar_props",
        core="timers",
        depth=16,
        quick=14,
        induction=False,
        cover=16,
        timeout=300,
        memories=False,
    )
