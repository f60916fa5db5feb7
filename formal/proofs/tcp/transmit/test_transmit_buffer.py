# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from support.prove import prove
from toehold.paths import ROOT, RTL

HERE = Path(__file__).parent
RECEIVE = ROOT / "formal" / "proofs" / "tcp" / "receive" / "abstract"


def test_transmit_buffer():
    """Bounded: four packets announced and stored with no report taken, and more behind them."""
    prove(
        "transmit_buffer_props",
        core=["packages", "stream", "memory"],
        extra_sources=[
            HERE / "abstract" / "ring_writer.sv",
            HERE / "abstract" / "transmit_window.sv",
            RECEIVE / "ring_memory.sv",
            RECEIVE / "ring_reader.sv",
            RTL / "tcp" / "buffers" / "ring_memory_axi.sv",
            RTL / "tcp" / "buffers" / "ring_store.sv",
            RTL / "tcp" / "transmit" / "transmit_buffer.sv",
        ],
        depth=10,
        quick=9,
        induction=False,
        cover=14,
        memories=False,
    )
