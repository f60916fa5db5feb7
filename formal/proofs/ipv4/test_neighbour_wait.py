# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("registers", [0, 1])
def test_neighbour_wait(registers):
    prove(
        "neighbour_wait_props",
        core="ipv4",
        depth=8,
        cover=18,
        memories=False,
        parameters={"Registers": registers},
    )
