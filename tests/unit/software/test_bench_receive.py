# SPDX-License-Identifier: Apache-2.0
"""What the scenarios of the receive path share, and a short run of one of them."""

import sys

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from toehold import bench

sys.path.append(str(bench.SCENARIOS))

import _delay_model  # noqa: E402
import _frames  # noqa: E402


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(200)), b"\xff" * 1460])
def test_frames_are_sound(payload):
    """Every length and checksum is what scapy makes of the same fields."""
    made = _frames.frame((4000, 7), 0xFFFF_FFFE, 5, _frames.ACK, 1000, payload)
    again = Ether(made[: 54 + len(payload)])
    del again[IP].chksum, again[IP].len, again[TCP].chksum
    assert bytes(again) == made[: 54 + len(payload)] and len(made) >= 60


def test_delay_model():
    """What is measured at one length says what to expect at the others."""
    model = _delay_model.fit(64, 64, straight=18, stored=66)
    assert model.straight() == model.straight(answer=3) - 2 == 18
    assert model.stored(64) == 66
    # 192 bytes more are 24 beats more to come in, and to be written.
    assert model.stored(256) == 66 + 2 * 24
    assert model.gain(64) == pytest.approx(1 - 18 / 66)
    assert _delay_model.room(2048, 2000, 5.0, 11.0, 3000) == 2048 + 4000 - 3000


def test_dram_traffic():
    """Payload is written, and read at most once; a burst counts whole."""
    scenario = bench.find("dram_traffic")
    request = bench.Request("cached", (64,), True, lambda words: None)
    rows, summary = scenario.module.measure(request)
    assert len(rows) == 4
    assert all(row["written_per_byte"] >= 0.99 for row in rows)
    assert 0.99 < summary["rx_dram_bytes_per_byte"] < 2.5
    assert 0.99 < summary["tx_dram_bytes_per_byte"] < 2.5
