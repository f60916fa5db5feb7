# SPDX-License-Identifier: Apache-2.0
"""Payload for an application that often has not enough room: it is cut into slices, and every byte
arrives once and in order.

Segments of 64 to 512 bytes on several connections. Of the questions for room a share (50 or 25 %)
is answered with all of it, the others with less, down to nothing. Each byte delivered is compared
with the one sent.
"""

import random
from collections import deque

from _frames import Sender, answers, introduce
from _peer import listen, simulation

PRESETS = ("low-latency",)
NOTES = (
    "A slice is a packet that the application was given; it may hold several segments. A segment "
    "is sliced when it did not come in one."
)

SESSIONS = (1, 3, 16)
ROOM_PERCENT = (50, 25)
SEGMENTS, QUICK_SEGMENTS = 1_000_000, 6_000  # of all rows together
SMALLEST, LARGEST = 64, 512
PORT = 4000
AT_ONCE = 16  # frames that wait at the line
STEP_CLOCKS = 300
STUCK_STEPS = 1000
PATTERN = random.Random(1).randbytes(1 << 16)
REPEATED = PATTERN + PATTERN


class _Stream:
    """One connection: what was sent on it, and what has come out."""

    def __init__(self, sender: Sender, number: int) -> None:
        self.sender, self.shift = sender, number * 977
        self.sent = self.received = self.slices = self.sliced = 0
        self.segments: deque[tuple[int, int]] = deque()  # begin and end of those on their way

    def _bytes(self, position: int, length: int) -> bytes:
        begin = (position + self.shift) % len(PATTERN)
        return REPEATED[begin : begin + length]

    def next_frame(self, size: int) -> bytes:
        made = self.sender.data(self._bytes(self.sent, size))
        self.segments.append((self.sent, self.sent + size))
        self.sent += size
        return made

    def take(self, data: bytes) -> None:
        begin, self.received = self.received, self.received + len(data)
        if data != self._bytes(begin, len(data)) or self.received > self.sent:
            raise RuntimeError(f"Wrong bytes from {begin} on.")
        self.slices += 1
        while self.segments and self.segments[0][1] <= self.received:
            self.sliced += self.segments.popleft()[0] < begin


def measure(request):
    total = QUICK_SEGMENTS if request.quick else SEGMENTS
    rows = []
    for width in request.widths:
        for sessions in SESSIONS:
            for percent in ROOM_PERCENT:
                request.tell(f"{width} bits, {sessions} connections, room for {percent} %")
                segments = total // (len(SESSIONS) * len(ROOM_PERCENT))
                rows.append(_run(request.preset, width, sessions, percent, segments))
    return rows, {
        "segments": sum(row["segments"] for row in rows),
        "bytes_sent": sum(row["bytes_sent"] for row in rows),
        "bytes_delivered": sum(row["bytes_delivered"] for row in rows),
    }


def _run(preset: str, width: int, sessions: int, percent: int, segments: int) -> dict:
    generator = random.Random(segments + sessions + percent)

    def grant(_: int, length: int) -> int:
        enough = generator.random() * 100 < percent
        return length if enough else generator.randrange(length)

    with simulation(preset, width) as engine:
        listen(engine, PORT)
        introduce(engine)
        senders = [Sender(engine, PORT, 10000 + number) for number in range(sessions)]
        streams = {sender.ports: _Stream(sender, i) for i, sender in enumerate(senders)}
        by_session = {
            event.session: streams[event.remote_port, PORT] for event in engine.take_events()
        }
        engine.set_grant(grant)
        begun, stuck = engine.clocks, 0
        left = segments
        while left or any(stream.segments for stream in streams.values()):
            left -= _send(engine, list(streams.values()), left, generator)
            engine.advance(STEP_CLOCKS)
            moved = False
            while piece := engine.receive():
                by_session[piece.session].take(piece.data)
                moved = True
            for answer in answers(engine):
                streams[answer.ports].sender.hear(answer)
            stuck = 0 if moved else stuck + 1
            if stuck > STUCK_STEPS:
                raise RuntimeError("Nothing arrives any more.")
        clocks = engine.clocks - begun
    return {
        "width_bits": width,
        "connections": sessions,
        "room_percent": percent,
        "segments": segments,
        "sliced_percent": 100 * sum(stream.sliced for stream in streams.values()) / segments,
        "slices_per_segment": sum(stream.slices for stream in streams.values()) / segments,
        "bytes_sent": sum(stream.sent for stream in streams.values()),
        "bytes_delivered": sum(stream.received for stream in streams.values()),
        "clocks_per_segment": clocks / segments,
    }


def _send(engine, streams: list[_Stream], left: int, generator: random.Random) -> int:
    """Segments of any connection whose window is open, so that the line has some to carry."""
    count = 0
    while count < left and engine.frames_pending < AT_ONCE:
        size = generator.randint(SMALLEST, LARGEST)
        ready = [stream for stream in streams if stream.sender.room() >= size]
        if not ready:
            break
        engine.put_frame(generator.choice(ready).next_frame(size))
        count += 1
    return count
