# SPDX-License-Identifier: Apache-2.0
"""Clocks from one segment of a connection to the next, when they follow each other without a gap:
each needs the state that the one before it left.

data  segments of 6 bytes, in order, for the engine's discard, which takes them meanwhile: what it
      takes are events of the same connection, and have their turn among the segments
ack   segments without payload that tell a new window

Frames are a single beat of 512 bits each, so the pipeline decides when the next one is taken.
"""

import struct

from _line import ALL_APPLICATIONS, START_CLOCKS

from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

PRESETS = ("datacenter",)
WIDTHS = (512,)

ENGINE_MAC, ENGINE_IP = bytes.fromhex("02544f450001"), bytes([10, 77, 0, 2])
HOST_MAC, HOST_IP = bytes.fromhex("020000000099"), bytes([10, 77, 0, 1])
PORT, DISCARD = 4000, 9
SYN, ACK = 0x02, 0x10
PAYLOAD = 6
WINDOW = 60000
# Buffers between line and pipeline fill first.
WARM_UP, SEGMENTS, QUICK_SEGMENTS = 500, 2500, 1000
MOST_CLOCKS = 100_000


def _sum(data: bytes) -> int:
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _frame(seq: int, ack: int, flags: int, window: int, payload: bytes = b"") -> bytes:
    tcp = struct.pack(">HHIIBBHHH", PORT, DISCARD, seq, ack, 0x50, flags, window, 0, 0) + payload
    pseudo = HOST_IP + ENGINE_IP + struct.pack(">HH", 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", _sum(pseudo + tcp)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + HOST_IP + ENGINE_IP
    ip = ip[:10] + struct.pack(">H", _sum(ip)) + ip[12:]
    return (ENGINE_MAC + HOST_MAC + b"\x08\x00" + ip + tcp).ljust(60, b"\0")


class _Connection:
    """One that is open, with the engine's discard."""

    def __init__(self, engine: Simulation) -> None:
        self.engine, self.seq = engine, 1000
        arp = bytes.fromhex("0001080006040001") + HOST_MAC + HOST_IP + bytes(6) + ENGINE_IP
        engine.put_frame((b"\xff" * 6 + HOST_MAC + b"\x08\x06" + arp).ljust(60, b"\0"))
        engine.put_frame(_frame(self.seq, 0, SYN, WINDOW))
        self.seq += 1
        for _ in range(MOST_CLOCKS):
            engine.advance()
            for frame in engine.take_frames():
                if frame.data[12:14] == b"\x08\x00" and frame.data[47] == SYN | ACK:
                    self.ack = int.from_bytes(frame.data[38:42]) + 1 & 0xFFFFFFFF
                    engine.put_frame(_frame(self.seq, self.ack, ACK, WINDOW))
                    engine.advance(1000)
                    return
        raise RuntimeError("The engine does not answer a SYN.")

    def data(self, _: int) -> bytes:
        frame = _frame(self.seq, self.ack, ACK, WINDOW, bytes(PAYLOAD))
        self.seq += PAYLOAD
        return frame

    def acknowledgement(self, number: int) -> bytes:
        return _frame(self.seq, self.ack, ACK, WINDOW + number % 2)

    def clocks(self, segment, count: int) -> float:
        """Between two of `count` segments, after the first ones."""
        begin = self._put(segment, WARM_UP)
        return (self._put(segment, count) - begin) / count

    def _put(self, segment, count: int) -> int:
        """Clock in which the last one was taken. There are always some that wait."""
        for number in range(count):
            self.engine.put_frame(segment(number))
            if number >= 32:
                while self.engine.frames_pending > 32:
                    self.engine.advance()
        for _ in range(MOST_CLOCKS):
            if self.engine.frames_pending <= 16:
                return self.engine.clocks
            self.engine.advance()
        raise RuntimeError("The engine takes no frames.")


def measure(request):
    rows, summary = [], {}
    count = QUICK_SEGMENTS if request.quick else SEGMENTS
    for width in request.widths:
        with Simulation(build_simulator(request.preset, width)) as engine:
            engine.set_time_mode("cycles")
            engine.enable_applications(ALL_APPLICATIONS)
            engine.set_line(0)
            engine.advance(START_CLOCKS)
            connection = _Connection(engine)
            row = {"width_bits": width}
            for name, segment in (("data", connection.data), ("ack", connection.acknowledgement)):
                request.tell(f"{width} bits, {name}")
                row[f"{name}_clocks"] = round(connection.clocks(segment, count), 2)
            engine.advance_until_idle()
            dropped = {
                name: engine.read(name) for name in engine.register_names()
                if name.startswith("counters_drop_") and engine.read(name)
            }  # fmt: skip
            taken = engine.read("counters_tcp_bytes_in")
            if dropped or taken != PAYLOAD * (WARM_UP + count):
                raise RuntimeError(f"Not every segment counted: {taken} bytes, {dropped}")
        rows.append(row)
        if width == max(request.widths):
            summary |= {name: row[name] for name in ("data_clocks", "ack_clocks")}
    return rows, summary
