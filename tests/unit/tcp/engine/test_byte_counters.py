# SPDX-License-Identifier: Apache-2.0
"""What the engine counts as sent, segment by segment in virtual time."""

import pytest

from models.tcp_peer import ACK, SYN, Segment, mss_option, seq_add
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

ENGINE_MAC, PEER_MAC = bytes.fromhex("02544f450001"), bytes.fromhex("02544f450002")
ETHERNET = ENGINE_MAC + PEER_MAC + b"\x08\x00"
ENGINE, PEER, PORT = "10.77.0.2", "10.77.0.1", 40000
OK, LISTEN, ACCEPTED = 0, 0, 1
SECOND = 1_000_000


class Wire:
    """A peer that plays segments, and the application that listens to port 80."""

    def __init__(self, engine: Simulation) -> None:
        self.engine = engine
        self.seq, self.ack = 1000, 0

    def send(self, flags: int, window: int, options: bytes = b"") -> None:
        segment = Segment(
            PEER, ENGINE, PORT, 80, self.seq, self.ack, flags, window, options=options
        )
        self.engine.put_frame((ETHERNET + segment.packet()).ljust(60, b"\0"))

    def take(self, most_us: int = 2 * SECOND) -> Segment:
        until = self.engine.time_us + most_us
        while self.engine.run_until(until):
            while frame := self.engine.take_frame():
                return Segment.parse(frame.data[14:])
            if event := self.engine.take_event():
                self.event = event
            self.engine.take_transmit_status()
        pytest.fail("the engine sends nothing")


def test_new_bytes_behind_repeated_ones():
    """The peer's window holds 700 bytes, which are lost. The first segment is sent again; its
    acknowledgement opens the window, and the next segment repeats 200 bytes and brings 300 new."""
    with Simulation(build_simulator("small", 64)) as engine:
        wire = Wire(engine)
        engine.put_command(LISTEN, 1, local_port=80)
        engine.advance_until_idle()
        # The engine asks for the address of whoever it answers; it learns it from this.
        arp = bytes.fromhex("0001080006040001") + PEER_MAC + bytes((10, 77, 0, 1)) + bytes(6)
        engine.put_frame(
            (b"\xff" * 6 + PEER_MAC + b"\x08\x06" + arp + bytes((10, 77, 0, 2))).ljust(60, b"\0")
        )
        engine.advance_until_idle()
        engine.take_frames()

        wire.send(SYN, 700, mss_option(500))
        answer = wire.take()
        assert answer.flags == SYN | ACK
        wire.seq, wire.ack = 1001, seq_add(answer.seq, 1)
        wire.send(ACK, 700)
        engine.advance_until_idle()
        session = next(event for event in engine.take_events() if event.kind == ACCEPTED).session
        first = wire.ack

        engine.send(session, bytes(700))
        assert (wire.take().payload, wire.take().payload) == (bytes(500), bytes(200))
        again = wire.take()  # by the timer
        assert (again.seq, len(again.payload)) == (first, 500)
        engine.send(session, bytes(300))
        engine.advance_until_idle()
        assert not engine.take_frames(), "beyond the window"
        wire.ack = seq_add(first, 500)
        wire.send(ACK, 700)
        mixed = wire.take()
        assert (mixed.seq, len(mixed.payload)) == (wire.ack, 500)
        assert engine.read("counters_tcp_bytes_out") == 1000
