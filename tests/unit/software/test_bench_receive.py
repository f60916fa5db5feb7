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
    """What the shortest and the longest took says what to expect between them."""
    model = _delay_model.fit(64, straight=18, stored={8: 52, 64: 99, 256: 114})
    assert model.straight() == model.straight(answer=3) - 2 == 18
    assert model.stored(8) == 52 and model.stored(256) == 114
    # 192 bytes less are 24 beats less to come in, and to be written.
    assert model.stored(64) == 114 - 2 * 24
    # Of few bytes the decision takes longer than writing them, and frames have 60 bytes at least.
    assert model.stored(1) == model.stored(8)
    assert model.gain(64) == pytest.approx(1 - 18 / 66)
    assert _delay_model.room(2048, 2000, 5.0, 11.0, 3000) == 2048 + 4000 - 3000


class Windows:
    """In place of an engine: tells one window in each step of time."""

    def __init__(self, *told: _frames.Answer) -> None:
        self.told = list(told)
        self.waited = 0

    def advance(self, clocks: int) -> None:
        self.waited += clocks


def test_senders_keep_to_their_windows(monkeypatch):
    """A sender without room lets another one go first, or waits until one has room."""
    rx_latency = bench.find("rx_latency").module
    senders = []
    for port in (1, 2):
        sender = _frames.Sender.__new__(_frames.Sender)
        sender.ports, sender.seq, sender.acked, sender.edge = (port, 7), 100, 100, 1000
        senders.append(sender)
    senders[1].edge = 1560
    window = _frames.Answer((1, 7), 0, 100, _frames.ACK, 1460)
    engine = Windows(window)
    told = lambda engine: [engine.told.pop()] if engine.told and engine.waited else []  # noqa: E731
    monkeypatch.setattr(rx_latency, "answers", told)
    assert rx_latency._with_room(engine, senders[0], senders, 900) is senders[0]
    assert rx_latency._with_room(engine, senders[0], senders, 1460) is senders[1]
    senders[1].seq += 1460
    assert rx_latency._with_room(engine, senders[1], senders, 1460) is senders[0] and engine.waited
    senders[0].seq += 1460
    with pytest.raises(RuntimeError, match="No window of 2 has room for 1460 bytes"):
        rx_latency._with_room(engine, senders[0], senders, 1460)


def test_dram_traffic():
    """Payload is written, and read at most once; a burst counts whole."""
    scenario = bench.find("dram_traffic")
    request = bench.Request("cached", (64,), True, lambda words: None)
    rows, summary = scenario.module.measure(request)
    assert [row["direction"] for row in rows] == 2 * ["in", "ahead", "out"]
    assert all(row["written_per_byte"] >= 0.99 for row in rows)
    assert 0.99 < summary["rx_dram_bytes_per_byte"] < 2.5
    assert 0.99 < summary["tx_dram_bytes_per_byte"] < 2.5
    assert 0.99 < summary["tx_ahead_dram_bytes_per_byte"] < 2.5
