# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("latency", [1, 2])
def test_ram_simple_dual_port(latency):
    prove(
        "ram_simple_dual_port_props",
        core="memory",
        depth=10,
        induction=2,
        memories=False,
        parameters={"ReadLatency": latency},
    )
