# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_guard_transmit():
    prove("guard_transmit_props", core="apps", depth=12, induction=2)
