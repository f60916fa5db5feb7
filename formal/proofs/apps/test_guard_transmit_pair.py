# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_guard_transmit_pair():
    prove("guard_transmit_pair_props", core="apps", depth=11, induction=False)
