# SPDX-License-Identifier: Apache-2.0

import pytest

from support.extent import FULL
from support.prove import prove
from toehold.paths import RTL

pytestmark = pytest.mark.long


@pytest.mark.parametrize(("registers", "block_ram", "depth"), [(0, 0, 12), (1, 0, 16), (1, 1, 17)])
def test_transmit_turns(registers, block_ram, depth):
    """Bounded: rounds of four connections, two of them at their turns at once.

    They come first in the order of their ids, which takes a third of the time; with TOEHOLD_FULL=1
    in any. A round that is miscounted is seen after so many clocks, and registers make it more.
    """
    prove(
        "transmit_turns_props",
        core=["packages", "stream"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_turns.sv"],
        depth=depth,
        quick=depth - 1,
        induction=False,
        cover=18,
        memories=False,
        parameters={
            "Registers": registers,
            "BlockRam": block_ram,
            "InOrder": int(not FULL),
        },
    )
