# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_raw_link_registers():
    prove("raw_link_registers_props", core="raw_link", depth=6, induction=2, cover=10)
