# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from support.prove import prove
from toehold.paths import RTL

ENGINE = RTL / "tcp" / "engine"


@pytest.mark.parametrize("decide_clocks", [4, 5, 6, 7])
def test_connection_pipeline(decide_clocks):
    """Induction: as deep as it takes for what was inside at its beginning to have left."""
    prove(
        "connection_pipeline_props",
        core=["packages"],
        extra_sources=[
            ENGINE / "tcp_pieces_pkg.sv",
            ENGINE / "tcp_decide_pkg.sv",
            Path(__file__).parent / "abstract" / "decide_pkgs.sv",
            ENGINE / "connection_steps_pkg.sv",
            ENGINE / "connection_pipeline.sv",
        ],
        parameters={"DecideClocks": decide_clocks},
        memories=False,
        depth=2 * decide_clocks + 8,
        induction=2 * decide_clocks + 5,
        cover=4 * decide_clocks + 9,
    )
