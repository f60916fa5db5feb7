# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_raw_link_connections():
    prove(
        "raw_link_connections_props",
        core="raw_link",
        depth=10,
        induction=3,
        cover="28:30",
        memories=False,
        parameters={"Connections": 2},
    )
