# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_guard_receive():
    prove("guard_receive_props", core="apps", depth=12, induction=3, cover=18, memories=False)
