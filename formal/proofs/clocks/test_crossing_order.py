# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_crossing_order():
    prove(
        "crossing_order_props",
        core="clocks",
        depth=22,
        induction=False,
        cover=30,
        memories=False,
    )
