# SPDX-License-Identifier: Apache-2.0
import pytest

from support.extent import some
from support.prove import prove
from toehold.paths import RTL


@pytest.mark.parametrize("connections, places", some([(4, 2), (64, 1), (64, 2)], 2))
def test_event_arbiter(connections, places):
    """Cover: long enough for a source to have waited for all others and as many segments."""
    prove(
        "event_arbiter_props",
        core=["packages", "stream"],
        extra_sources=[RTL / "tcp" / "engine" / "event_arbiter.sv"],
        depth=5,
        induction=3,
        cover=26 * 2 // places,
        memories=False,
        parameters={"Connections": connections, "Places": places},
    )
