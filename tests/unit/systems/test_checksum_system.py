# SPDX-License-Identifier: Apache-2.0
"""The PicoRV32 system with the checksum offload peripheral: what its firmware measures.

The firmware compares every checksum of the peripheral with two in software.
"""

import pytest

from support.extent import FULL
from toehold import checksum_system, firmware

WIDTHS = [64, 512] if FULL else [64]


@pytest.fixture(scope="module", params=WIDTHS)
def reports(request):
    if firmware.missing():
        pytest.skip(f"{firmware.missing()} is not installed")
    return request.param, checksum_system.run(request.param, quick=True)


def test_is_faster_than_software(reports):
    width, found = reports
    lengths = [words for kind, words in found if kind == "length"]
    assert [words["bytes"] for words in lengths][-1] == 3000
    assert all(words["peripheral"] < words["straight"] for words in lengths if words["bytes"] >= 10)
    # From the start to the result: 2 + 5 clocks (7 at 512 bits), 2 of the memory, 1 a beat.
    for words in lengths:
        beats = -(-words["bytes"] // (width // 8))
        assert words["busy"] == {64: 9, 512: 11}[width] + beats, words


def test_batches_cost_less_than_fifty_clocks_each(reports):
    _, found = reports
    batches = {(words["bytes"], words["jobs"]): words for kind, words in found if kind == "batch"}
    assert batches[64, 64]["standing_clocks"] / 64 < 50
    assert batches[64, 64]["standing_clocks"] < batches[64, 64]["clocks"]


def test_interrupts_arrive(reports):
    _, found = reports
    assert [words["bytes"] for kind, words in found if kind == "interrupt"] == [64, 1460]
