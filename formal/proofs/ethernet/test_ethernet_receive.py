# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_ethernet_receive():
    prove("ethernet_receive_props", core="ethernet", depth=14, induction=3, cover=24)
