# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("width, sums, depth", [(64, 0, 10), (256, 0, 8), (64, 1, 8)])
def test_ipv4_transmit(width, sums, depth):
    """Bounded: two packets; with its checksum one."""
    prove(
        "ipv4_transmit_props",
        core="ipv4",
        depth=depth,
        induction=False,
        cover=16,
        memories=False,
        parameters={"DataWidth": width, "Sums": sums},
    )
