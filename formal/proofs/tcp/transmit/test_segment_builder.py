# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from support.prove import prove
from toehold.paths import RTL


def test_segment_builder():
    """Bounded: two segments with payload and the markers behind them, with sums of any latency."""
    prove(
        "segment_builder_props",
        core=["packages", "stream", "memory"],
        extra_sources=[
            RTL / "checksum" / "checksum_pkg.sv",
            Path(__file__).parent / "abstract" / "checksum_stream.sv",
            Path(__file__).parent / "abstract" / "tcp_header_sum.sv",
            RTL / "tcp" / "transmit" / "segment_builder.sv",
        ],
        depth=14,
        induction=False,
        cover=14,
    )
