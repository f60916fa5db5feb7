# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove
from toehold.paths import RTL


@pytest.mark.parametrize("listen_ports", [1, 3])
def test_command_dispatcher(listen_ports):
    prove(
        "command_dispatcher_props",
        core=["packages"],
        extra_sources=[
            RTL / "tcp" / "connections" / "listen_table.sv",
            RTL / "tcp" / "engine" / "command_dispatcher.sv",
        ],
        parameters={"ListenPorts": listen_ports},
        depth=12,
        induction=3,
        cover=24,
        memories=False,
    )
