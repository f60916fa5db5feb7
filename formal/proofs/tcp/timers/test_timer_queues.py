# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_timer_queues():
    prove("timer_queues_props", core="timers", depth=20, induction=2, cover=36, memories=False)
