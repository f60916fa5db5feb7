# SPDX-License-Identifier: Apache-2.0
"""Latency of a request and its reply at the wire: a segment in, an echo, a segment out.

last to first   last beat of the request's frame in to first beat of the reply's frame out
first to first  first beat of the request's frame to the same
"""

import statistics

from _peer import Peer, simulation

PRESETS = ("low-latency", "datacenter", "small")
WIDTHS = (64, 512)
PAYLOADS = (1, 64, 256, 512, 1024, 1460)
ECHO, ECHO_PORT = 1, 7


def measure(request):
    rows, summary = [], {}
    repeats = 5 if request.quick else 20
    for width in request.widths:
        with simulation(request.preset, width, ECHO) as engine:
            engine.advance(500)
            peer = Peer(engine, ECHO_PORT)
            for payload in PAYLOADS:
                request.tell(f"{width} bits, {payload} bytes")
                samples = [_one(engine, peer, payload) for _ in range(repeats)]
                last, first = (list(column) for column in zip(*samples, strict=True))
                rows.append(
                    {
                        "width_bits": width,
                        "payload_bytes": payload,
                        "last_to_first_clocks": statistics.median(last),
                        "first_to_first_clocks": statistics.median(first),
                        "spread_clocks": max(last) - min(last),
                    }
                )
        own = [row for row in rows if row["width_bits"] == width]
        for row in own[1], own[-1]:
            name = f"first_to_first_{row['payload_bytes']}b_clocks_{width}"
            summary[name] = row["first_to_first_clocks"]
    return rows, summary


def _one(engine, peer, payload: int) -> tuple[int, int]:
    data = bytes(i & 0xFF for i in range(payload))
    peer.put(0x18, data)
    for _ in range(200):
        engine.advance(100)
        replies = [segment for segment in peer.segments() if segment.payload]
        if replies:
            break
    else:
        raise RuntimeError("No reply came.")
    if replies[0].payload != data:
        raise RuntimeError(f"{payload} bytes came back wrong.")
    first, last = engine.last_frame_put()
    peer.ack += payload
    peer.put(0x10)
    engine.advance(1000)
    peer.segments()
    return replies[0].first_clock - last, replies[0].first_clock - first
