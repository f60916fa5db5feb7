# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from support.prove import prove
from toehold.paths import RTL

ABSTRACT = Path(__file__).parent / "abstract"


def test_segment_builder():
    """Bounded: two segments with payload, and what is commanded between them.

    Conformance: RFC9293:MUST-65
    """
    prove(
        "segment_builder_props",
        core=["packages", "stream", "memory"],
        extra_sources=[
            RTL / "checksum" / "checksum_pkg.sv",
            RTL / "tcp" / "transmit" / "tx_options_pkg.sv",
            ABSTRACT / "checksum_stream.sv",
            ABSTRACT / "tcp_header_sum.sv",
            RTL / "tcp" / "transmit" / "segment_builder.sv",
        ],
        depth=12,
        quick=11,
        induction=False,
        cover=14,
        memories=False,
    )
