# SPDX-License-Identifier: Apache-2.0

import pytest

from support.extent import FULL
from support.prove import prove
from toehold.paths import RTL

pytestmark = pytest.mark.long


@pytest.mark.parametrize("registers", [0, 1])
def test_transmit_turns(registers):
    """Bounded: rounds of four connections, two of them at their turns at once.

    They come first in the order of their ids, which takes a third of the time; with TOEHOLD_FULL=1
    in any.
    """
    prove(
        "transmit_turns_props",
        core=["packages", "stream"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_turns.sv"],
        depth=12,
        quick=11,
        induction=False,
        cover=18,
        memories=False,
        parameters={"Registers": registers, "InOrder": int(not FULL)},
    )
