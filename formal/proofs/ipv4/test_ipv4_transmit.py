# SPDX-License-Identifier: Apache-2.0
import pytest

from support.extent import some
from support.prove import prove


@pytest.mark.parametrize(
    "width, sums, registers, depth",
    some([(64, 0, 0, 10), (64, 0, 1, 15), (256, 0, 0, 8), (64, 1, 0, 8)], 2),
)
def test_ipv4_transmit(width, sums, registers, depth):
    """Bounded: two packets; with its checksum one."""
    prove(
        "ipv4_transmit_props",
        core="ipv4",
        depth=depth,
        quick=11 if registers else 7,
        induction=False,
        cover=24 if registers else 16,
        memories=False,
        parameters={"DataWidth": width, "Sums": sums, "Registers": registers},
    )
