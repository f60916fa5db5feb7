# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_timer_queues():
    """By induction: the invariants hold after any two clocks in which they hold.

    Without covers: entries come up only after the start's sixteen clocks and a round of the scan,
    which takes the solver too long. That they do is shown by tests/unit/tcp/timers.
    """
    prove("timer_queues_props", core="timers", depth=3, induction=2, cover=False, memories=False)
