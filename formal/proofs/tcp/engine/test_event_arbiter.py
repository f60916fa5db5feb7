# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove
from toehold.paths import RTL


@pytest.mark.parametrize("connections", [4, 64])
def test_event_arbiter(connections):
    """Cover: long enough for a source to have waited for all others and as many segments."""
    prove(
        "event_arbiter_props",
        core=["packages", "stream"],
        extra_sources=[RTL / "tcp" / "engine" / "event_arbiter.sv"],
        depth=5,
        induction=3,
        cover=26,
        memories=False,
        parameters={"Connections": connections},
    )
