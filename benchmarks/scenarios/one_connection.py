# SPDX-License-Identifier: Apache-2.0
"""Payload bytes per clock of one connection, in and out, over a link without loss or delay.

The peer acknowledges and opens its window at once, so what limits is the engine: how fast it takes
frames, and how much of them its ring holds.
"""

from _peer import HEADER_BYTES, Peer, accepted_session, listen, simulation

PRESETS = ("small", "datacenter")
WIDTHS = (64, 512)
PAYLOADS = (256, 1024, 1460)
PORT = 4000


def measure(request):
    rows, summary = [], {}
    total = 100_000 if request.quick else 1_000_000
    for width in request.widths:
        for payload in PAYLOADS:
            request.tell(f"{width} bits, {payload} bytes")
            with simulation(request.preset, width) as engine:
                listen(engine, PORT)
                peer = Peer(engine, PORT)
                session = accepted_session(engine)
                clocks_in = _send(engine, peer, payload, total)
                clocks_out, sent = _receive(engine, peer, session, payload, total)
            limit = payload / -(-(payload + HEADER_BYTES) // (width // 8))
            rows.append(
                {
                    "width_bits": width,
                    "payload_bytes": payload,
                    "in_bytes_per_clock": total / clocks_in,
                    "out_bytes_per_clock": sent / clocks_out,
                    "frame_limit_bytes_per_clock": limit,
                }
            )
        summary[f"rx_bytes_per_clock_{width}"] = rows[-1]["in_bytes_per_clock"]
        summary[f"tx_bytes_per_clock_{width}"] = rows[-1]["out_bytes_per_clock"]
    return rows, summary


def _send(engine, peer, payload: int, total: int) -> int:
    """The peer sends as the engine's window allows; clocks until the application has all. (The last
    acknowledgement may be a delayed one, which would count the engine's patience.)"""
    data = bytes(total)
    begin, sent, received = engine.clocks, 0, 0
    edge = peer.seq + peer.window
    while received < total:
        while sent < total and peer.seq + min(payload, total - sent) <= edge:
            size = min(payload, total - sent)
            peer.put(0x18, data[sent : sent + size])
            sent += size
        engine.advance(8)
        for segment in peer.segments():
            edge = max(edge, segment.ack + segment.window)
        while piece := engine.receive():
            received += len(piece.data)
        if engine.clocks - begin > total * 10:
            raise RuntimeError("The engine does not take what the peer sends.")
    return engine.clocks - begin


def _receive(engine, peer, session, payload: int, total: int) -> tuple[int, int]:
    """The application sends messages of that size; clocks until the peer has them all."""
    begin, got, given = engine.clocks, 0, 0
    while got < total:
        while given < total and engine.messages_pending < 4:
            engine.send(session, bytes(payload))
            given += payload
        engine.advance(8)
        for segment in peer.segments():
            if segment.payload:
                got += len(segment.payload)
                peer.ack += len(segment.payload)
                peer.put(0x10)
        engine.take_events()
        while status := engine.take_transmit_status():
            if status.error:  # no room at that moment: give it again
                given -= payload
        if engine.clocks - begin > total * 10:
            raise RuntimeError("The engine does not send what the application gives.")
    return engine.clocks - begin, got
