# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_app_switch():
    prove("app_switch_props", core="apps", depth=9, induction=2, cover=12)
