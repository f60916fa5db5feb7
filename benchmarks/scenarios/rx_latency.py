# SPDX-License-Identifier: Apache-2.0
"""Latency of received payload that goes straight to the application, over many sessions and all
lengths: constant means constant.

head to head       first beat of the frame in to first beat of payload at the application, which
                   answers the query in the clock after it
header to payload  from the beat with the header's last byte to the same
"""

import random
import statistics

from _peer import HEADER_BYTES, Peer, listen, receive, simulation

PRESETS = ("low-latency",)
WIDTHS = (64, 512)
PAYLOADS = (1, 8, 16, 64, 256, 512, 1024, 1460)
PORT = 4000


def measure(request):
    rows, summary = [], {}
    sessions, segments = (16, 400) if request.quick else (1024, 100_000)
    generator = random.Random(1)
    for width in request.widths:
        header_beat = (HEADER_BYTES - 1) // (width // 8)
        samples = {payload: [] for payload in PAYLOADS}
        with simulation(request.preset, width) as engine:
            listen(engine, PORT)
            peers = [Peer(engine, PORT, 10000 + i) for i in range(sessions)]
            for number in range(segments):
                if number % 100 == 0:
                    request.tell(f"{width} bits, {number} of {segments} segments")
                payload = PAYLOADS[number % len(PAYLOADS)]
                samples[payload].append(_one(engine, generator.choice(peers), payload))
        for payload, clocks in samples.items():
            clocks.sort()
            rows.append(
                {
                    "width_bits": width,
                    "payload_bytes": payload,
                    "path": "direct",
                    "minimum_clocks": clocks[0],
                    "median_clocks": statistics.median(clocks),
                    "p999_clocks": clocks[min(len(clocks) - 1, len(clocks) * 999 // 1000)],
                    "maximum_clocks": clocks[-1],
                    "header_to_payload_clocks": statistics.median(clocks) - header_beat,
                }
            )
        everything = [clock for clocks in samples.values() for clock in clocks]
        summary[f"head_to_head_clocks_{width}"] = max(everything)
        summary[f"header_to_payload_clocks_{width}"] = max(everything) - header_beat
        summary[f"spread_clocks_{width}"] = max(everything) - min(everything)
    return rows, summary


def _one(engine, peer: Peer, payload: int) -> int:
    data = bytes(i & 0xFF for i in range(payload))
    peer.put(0x18, data)
    got = receive(engine)
    if got.data != data:
        raise RuntimeError(f"{payload} bytes came out wrong.")
    first, _ = engine.last_frame_put()
    engine.advance(150)
    engine.take_events()
    peer.segments()
    return got.first_clock - first
