# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from support.prove import prove
from toehold.paths import RTL

ABSTRACT = Path(__file__).parent / "abstract"


def test_receive_buffer():
    """Bounded: two offers from command to report, a third begun."""
    prove(
        "receive_buffer_props",
        core=["packages", "stream", "memory"],
        extra_sources=[
            ABSTRACT / "ring_memory.sv",
            ABSTRACT / "ring_reader.sv",
            ABSTRACT / "ring_writer.sv",
            RTL / "tcp" / "buffers" / "ring_memory_axi.sv",
            RTL / "tcp" / "buffers" / "ring_store.sv",
            RTL / "tcp" / "receive" / "receive_buffer.sv",
        ],
        depth=12,
        quick=11,
        induction=False,
        cover=14,
        memories=False,
    )
