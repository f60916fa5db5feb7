# SPDX-License-Identifier: Apache-2.0
"""Clocks of a command of the key-value store: among many of one connection, and by itself.

clocks         from command to command, of a client that sends as many as the windows let it
reply clocks   of one command by itself: last beat of its frame in to first beat of the reply's out

Keys have 16 bytes, as redis-benchmark's do.
"""

import statistics

from _peer import Peer, simulation

PRESETS = ("small", "datacenter")
WIDTHS = (64, 512)
CHECKED = True
COLUMNS = ("width_bits", "command", "request_bytes", "clocks", "reply_clocks", "spread_clocks")
NOTES = (
    "The store takes requests a byte a clock, so the width of the data path hardly matters. At "
    "156.25 MHz, 156 clocks are a million commands a second."
)

KEY_VALUE, PORT = 16, 6379
KEY, COUNTER = b"key:000000000042", b"key:000000000043"
SHORT, LONG = b"xxx", b"v" * 64
SEGMENT_BYTES = 1000


def _request(*arguments: bytes) -> bytes:
    parts = [b"*%d\r\n" % len(arguments)]
    return b"".join(parts + [b"$%d\r\n%s\r\n" % (len(word), word) for word in arguments])


def _bulk(value: bytes) -> bytes:
    return b"$%d\r\n%s\r\n" % (len(value), value)


# Name, request, reply; GET finds what the SET before it has stored. An increment's replies count.
COMMANDS = (
    ("PING", _request(b"PING"), b"+PONG\r\n"),
    ("SET, 3 bytes", _request(b"SET", KEY, SHORT), b"+OK\r\n"),
    ("GET, 3 bytes", _request(b"GET", KEY), _bulk(SHORT)),
    ("SET, 64 bytes", _request(b"SET", KEY, LONG), b"+OK\r\n"),
    ("GET, 64 bytes", _request(b"GET", KEY), _bulk(LONG)),
    ("INCR", _request(b"INCR", COUNTER), None),
)


def measure(request):
    rows, summary = [], {}
    count, repeats = (30, 5) if request.quick else (300, 20)
    for width in request.widths:
        with simulation(request.preset, width, KEY_VALUE) as engine:
            engine.advance(1000)
            peer = Peer(engine, PORT)
            edge = peer.seq + peer.window
            counted = 0
            for name, text, reply in COMMANDS:
                request.tell(f"{width} bits, {name}")
                samples = []
                for i in range(repeats):
                    expected = reply or b":%d\r\n" % (counted + i + 1)
                    clocks, edge = _one(engine, peer, text, expected, edge)
                    samples.append(clocks)
                counted += repeats if reply is None else 0
                replies = [reply or b":%d\r\n" % (counted + i + 1) for i in range(count)]
                clocks, edge = _many(engine, peer, text * count, b"".join(replies), edge)
                counted += count if reply is None else 0
                rows.append(
                    {
                        "width_bits": width,
                        "command": name,
                        "request_bytes": len(text),
                        "clocks": clocks / count,
                        "reply_clocks": statistics.median(samples),
                        "spread_clocks": max(samples) - min(samples),
                    }
                )
        own = {row["command"]: row for row in rows if row["width_bits"] == width}
        for command in ("SET", "GET"):
            row = own[f"{command}, 3 bytes"]
            summary[f"{command.lower()}_clocks_{width}"] = row["clocks"]
            summary[f"{command.lower()}_reply_clocks_{width}"] = row["reply_clocks"]
    return rows, summary


def _one(engine, peer, text: bytes, expected: bytes, edge: int) -> tuple[int, int]:
    """Clocks to the reply, and where the window ends then."""
    peer.put(0x18, text)
    for _ in range(200):
        engine.advance(100)
        segments = peer.segments()
        replies = [segment for segment in segments if segment.payload]
        edge = max([edge, *(segment.ack + segment.window for segment in segments)])
        if replies:
            break
    else:
        raise RuntimeError("No reply came.")
    if b"".join(reply.payload for reply in replies) != expected:
        raise RuntimeError(f"{replies[0].payload} instead of {expected}.")
    last = engine.last_frame_put()[1]
    peer.ack += len(expected)
    peer.put(0x10)
    engine.advance(1000)
    edge = max([edge, *(segment.ack + segment.window for segment in peer.segments())])
    return replies[0].first_clock - last, edge


def _many(engine, peer, text: bytes, expected: bytes, edge: int) -> tuple[int, int]:
    """Clocks from the first of the requests to the last of the replies, and the window's end."""
    begin, sent, got, base = engine.clocks, 0, bytearray(), peer.seq
    while len(got) < len(expected):
        while sent < len(text):
            size = min(SEGMENT_BYTES, len(text) - sent)
            if base + sent + size > edge:
                break
            peer.put(0x18, text[sent : sent + size])
            sent += size
        engine.advance(8)
        for segment in peer.segments():
            edge = max(edge, segment.ack + segment.window)
            if segment.payload:
                got += segment.payload
                peer.ack += len(segment.payload)
                peer.put(0x10)
        if engine.clocks - begin > 1000 * len(text):
            raise RuntimeError(f"{len(got)} of {len(expected)} bytes of replies came.")
    if got != expected:
        raise RuntimeError("The replies are not what they should be.")
    return engine.clocks - begin, edge
