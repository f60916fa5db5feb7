# SPDX-License-Identifier: Apache-2.0
import pytest

from support.extent import FULL
from support.prove import prove


@pytest.mark.parametrize(
    "width, sums, registers, depth", [(64, 0, 0, 10), (256, 0, 0, 8), (64, 1, 0, 8), (64, 0, 1, 14)]
)
def test_ipv4_transmit(width, sums, registers, depth):
    """Bounded: two packets; with its checksum one. The last two clocks take most of the time and
    are left to TOEHOLD_FULL=1."""
    prove(
        "ipv4_transmit_props",
        core="ipv4",
        depth=depth if FULL else depth - 2,
        induction=False,
        cover=22 if registers else 16,
        memories=False,
        parameters={"DataWidth": width, "Sums": sums, "Registers": registers},
    )
