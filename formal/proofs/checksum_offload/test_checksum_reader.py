# SPDX-License-Identifier: Apache-2.0
import pytest

from support.extent import some
from support.prove import prove
from toehold.paths import ROOT

RTL = ROOT / "rtl"
# Without the adders: what stands in for them is beside this file.
SOURCES = [
    RTL / "checksum" / "checksum_pkg.sv",
    RTL / "checksum_offload" / "checksum_offload_pkg.sv",
    RTL / "checksum_offload" / "checksum_reader.sv",
    "checksum_stream.sv",
]


# Width, longest job, depth.
CASES = some([(64, 10, 12), (64, 12, 14), (128, 18, 13)], 1)


@pytest.mark.parametrize(("width", "length", "depth"), CASES)
def test_every_byte_once(width, length, depth):
    # Bounded: a job of at most so many bytes ends within the depth unless memory stalls for longer.
    prove(
        "checksum_reader_props",
        core="stream",
        depth=depth,
        induction=False,
        memories=False,
        extra_sources=SOURCES,
        parameters={"DataWidth": width, "MaxLength": length},
    )
