# SPDX-License-Identifier: Apache-2.0
"""timer_spill: what goes in comes out once and in order, also by way of far memory."""

from support.prove import prove


def test_timer_spill():
    prove(
        "timer_spill_props",
        core="timers",
        depth=8,
        induction=2,
        cover=24,
        memories=False,
        bits=True,
    )
