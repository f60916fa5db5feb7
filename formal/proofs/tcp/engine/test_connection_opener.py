# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL


def test_connection_opener():
    prove(
        "connection_opener_props",
        core=["packages"],
        extra_sources=[RTL / "tcp" / "engine" / "connection_opener.sv"],
        depth=14,
        induction=3,
        cover=24,
        memories=False,
    )
