# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from support.prove import prove
from toehold.paths import RTL

ENGINE = RTL / "tcp" / "engine"
CLOCKS = 15  # OneEventClocks


def test_connection_sequencer():
    """Induction: as deep as it takes for what was inside at its beginning to have left."""
    prove(
        "connection_sequencer_props",
        core=["packages"],
        extra_sources=[
            ENGINE / "tcp_pieces_pkg.sv",
            ENGINE / "tcp_decide_pkg.sv",
            ENGINE / "tcp_receive_pages_pkg.sv",
            Path(__file__).parent / "abstract" / "decide_pkgs.sv",
            ENGINE / "connection_steps_pkg.sv",
            ENGINE / "connection_sequencer.sv",
        ],
        memories=False,
        depth=2 * CLOCKS + 8,
        induction=2 * CLOCKS + 5,
        cover=4 * CLOCKS + 9,
    )
