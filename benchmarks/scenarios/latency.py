# SPDX-License-Identifier: Apache-2.0
"""Latency of one segment through an idle engine, in and out, in clocks.

in    first beat of the frame in to first beat of payload at the application, which takes it at
      once; and last beat of the frame to the same (receiving is store and forward)
out   last beat of the application's message to first beat of the frame
"""

import statistics

from _peer import Peer, accepted_session, listen, receive, simulation

PRESETS = ("small", "datacenter")
WIDTHS = (64, 512)
PAYLOADS = (1, 64, 256, 512, 1024, 1460)
PORT = 4000


def measure(request):
    rows, summary = [], {}
    repeats = 5 if request.quick else 50
    for width in request.widths:
        with simulation(request.preset, width) as engine:
            listen(engine, PORT)
            peer = Peer(engine, PORT)
            session = accepted_session(engine)
            for payload in PAYLOADS:
                request.tell(f"{width} bits, {payload} bytes")
                samples = [_one(engine, peer, session, payload) for _ in range(repeats)]
                head, tail, out = (list(column) for column in zip(*samples, strict=True))
                rows.append(
                    {
                        "width_bits": width,
                        "payload_bytes": payload,
                        "in_first_to_first_clocks": statistics.median(head),
                        "in_last_to_first_clocks": statistics.median(tail),
                        "in_spread_clocks": max(tail) - min(tail),
                        "out_last_to_first_clocks": statistics.median(out),
                        "out_spread_clocks": max(out) - min(out),
                    }
                )
        own = [row for row in rows if row["width_bits"] == width]
        summary[f"rx_first_to_first_64b_clocks_{width}"] = own[1]["in_first_to_first_clocks"]
        summary[f"rx_last_to_first_clocks_{width}"] = max(
            row["in_last_to_first_clocks"] for row in own
        )
        summary[f"tx_last_to_first_64b_clocks_{width}"] = own[1]["out_last_to_first_clocks"]
    return rows, summary


def _one(engine, peer, session, payload: int) -> tuple[int, int, int]:
    """One segment in, one message out; the clocks of the three distances."""
    data = bytes(i & 0xFF for i in range(payload))
    peer.put(0x18, data)
    got = receive(engine)
    if got.data != data:
        raise RuntimeError(f"{payload} bytes came out wrong.")
    first, last = engine.last_frame_put()
    engine.advance(2000)
    peer.segments()

    engine.send(session, data)
    sent = peer.wait()
    if sent.payload != data:
        raise RuntimeError(f"{payload} bytes were sent wrong.")
    _, last_in = engine.last_message_sent()
    peer.ack += payload
    peer.put(0x10)
    engine.advance(2000)
    engine.take_events()
    peer.segments()
    return got.first_clock - first, got.first_clock - last, sent.first_clock - last_in
