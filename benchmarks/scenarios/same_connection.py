# SPDX-License-Identifier: Apache-2.0
"""Clocks from one segment of a connection to the next, when they follow each other without a gap:
each needs the state that the one before it left.

data  segments of 6 bytes, in order, for the engine's discard, which takes them meanwhile: what it
      takes are events of the same connection, and have their turn among the segments
ack   segments without payload that tell a new window

Frames are a single beat of 512 bits each, so the pipeline decides when the next one is taken.
"""

from _frames import ACK, MOST_CLOCKS, WINDOW, Sender, introduce
from _line import ALL_APPLICATIONS, START_CLOCKS

from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

PRESETS = ("datacenter",)
WIDTHS = (512,)

PORT, DISCARD = 4000, 9
PAYLOAD = 6
# Buffers between line and pipeline fill first.
WARM_UP, SEGMENTS, QUICK_SEGMENTS = 500, 2500, 1000


class _Connection:
    """One that is open, with the engine's discard."""

    def __init__(self, engine: Simulation) -> None:
        introduce(engine)
        self.engine, self.sender = engine, Sender(engine, DISCARD, PORT)

    def data(self, _: int) -> bytes:
        return self.sender.data(bytes(PAYLOAD), ACK)

    def acknowledgement(self, number: int) -> bytes:
        return self.sender.data(b"", ACK, WINDOW + number % 2)

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
