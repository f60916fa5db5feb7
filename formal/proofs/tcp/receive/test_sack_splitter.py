# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("registers, depth", [(0, 10), (1, 16)])
def test_sack_splitter(registers, depth):
    """Bounded: some segments of four blocks each, and what lies between them."""
    prove(
        "sack_splitter_props",
        core="tcp_receive",
        depth=depth,
        quick=depth - 1,
        induction=False,
        parameters={"Registers": registers},
    )
