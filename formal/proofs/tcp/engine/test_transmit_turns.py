# SPDX-License-Identifier: Apache-2.0
import os

import pytest

from support.prove import prove
from toehold.paths import RTL

pytestmark = pytest.mark.long

FULL = os.environ.get("TOEHOLD_FULL", "0") not in ("", "0")


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
        induction=False,
        cover=18,
        memories=False,
        parameters={"Registers": registers, "InOrder": int(not FULL)},
    )
