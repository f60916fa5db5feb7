# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_neighbour_wait():
    prove("neighbour_wait_props", core="ipv4", depth=8, cover=16, memories=False)
