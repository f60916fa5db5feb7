# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove
from toehold.paths import RTL


@pytest.mark.parametrize("registers", [0, 1])
def test_transmit_turns(registers):
    """Bounded: rounds of four connections, two of them at their turns at once."""
    prove(
        "transmit_turns_props",
        core=["packages", "stream"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_turns.sv"],
        depth=12,
        induction=False,
        cover=18,
        memories=False,
        parameters={"Registers": registers},
    )
