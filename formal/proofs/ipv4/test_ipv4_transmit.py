# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("sums, depth", [(0, 11), (1, 9)])
def test_ipv4_transmit(sums, depth):
    """Bounded: two packets; with its checksum one."""
    prove(
        "ipv4_transmit_props",
        core="ipv4",
        depth=depth,
        induction=False,
        cover=16,
        memories=False,
        parameters={"Sums": sums},
    )
