# SPDX-License-Identifier: Apache-2.0
"""TCP segments as Ethernet frames, made fast: for measurements of many of them, one connection at a
time or some in turn."""

import struct
from dataclasses import dataclass

from toehold.simulation import Simulation

ENGINE_MAC, ENGINE_IP = bytes.fromhex("02544f450001"), bytes([10, 77, 0, 2])
HOST_MAC, HOST_IP = bytes.fromhex("020000000099"), bytes([10, 77, 0, 1])
FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
WINDOW = 60000
MOST_CLOCKS = 100_000
SETTLE_CLOCKS = 400  # until the engine has told its application
MASK = 0xFFFF_FFFF


def _sum(data: bytes) -> int:
    """The Internet checksum: words are added as one large number modulo 0xffff."""
    rest = int.from_bytes(data + bytes(len(data) % 2)) % 0xFFFF
    return 0xFFFF - rest


def frame(
    ports: tuple[int, int],
    seq: int,
    ack: int,
    flags: int,
    window: int = WINDOW,
    payload: bytes = b"",
) -> bytes:
    tcp = struct.pack(">HHIIBBHHH", *ports, seq & MASK, ack & MASK, 0x50, flags, window, 0, 0)
    tcp += payload
    pseudo = HOST_IP + ENGINE_IP + struct.pack(">HH", 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", _sum(pseudo + tcp)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + HOST_IP + ENGINE_IP
    ip = ip[:10] + struct.pack(">H", _sum(ip)) + ip[12:]
    return (ENGINE_MAC + HOST_MAC + b"\x08\x00" + ip + tcp).ljust(60, b"\0")


@dataclass(frozen=True)
class Answer:
    """What a segment of the engine says."""

    ports: tuple[int, int]
    seq: int
    ack: int
    flags: int
    window: int


def answers(engine: Simulation) -> list[Answer]:
    """The segments that have come since the last call."""
    found = []
    for out in engine.take_frames():
        if out.data[12:14] == b"\x08\x00" and out.data[23] == 6:
            source, port, seq, ack, _, flags, window = struct.unpack(">HHIIBBH", out.data[34:50])
            found.append(Answer((port, source), seq, ack, flags, window))
    return found


def introduce(engine: Simulation) -> None:
    """Tells the engine where the host is."""
    arp = bytes.fromhex("0001080006040001") + HOST_MAC + HOST_IP + bytes(6) + ENGINE_IP
    engine.put_frame((b"\xff" * 6 + HOST_MAC + b"\x08\x06" + arp).ljust(60, b"\0"))


class Sender:
    """The host's end of a connection to the engine, from its opening on: what it may send."""

    def __init__(self, engine: Simulation, engine_port: int, port: int) -> None:
        self.engine, self.ports, self.seq = engine, (port, engine_port), 1000
        engine.put_frame(frame(self.ports, self.seq, 0, SYN))
        self.seq += 1
        for _ in range(MOST_CLOCKS // 20):
            engine.advance(20)
            for answer in answers(engine):
                if answer.flags == SYN | ACK and answer.ports == self.ports:
                    self.ack = answer.seq + 1 & MASK
                    self.edge = self.acked = self.seq
                    self.hear(answer)
                    engine.put_frame(frame(self.ports, self.seq, self.ack, ACK))
                    engine.advance(SETTLE_CLOCKS)
                    return
        raise RuntimeError("The engine does not answer a SYN.")

    def hear(self, answer: Answer) -> None:
        """What the engine has, and how much more it takes; numbers do not come round here."""
        self.acked = max(self.acked, answer.ack)
        self.edge = max(self.edge, answer.ack + answer.window)

    def room(self) -> int:
        return self.edge - self.seq

    def data(self, payload: bytes, flags: int = PSH | ACK, window: int = WINDOW) -> bytes:
        """The frame with the next bytes."""
        made = frame(self.ports, self.seq, self.ack, flags, window, payload)
        self.seq += len(payload)
        return made
