# SPDX-License-Identifier: Apache-2.0
"""The simulator itself: simulated clocks per second of wall-clock time, idle and busy."""

import time

from _peer import Peer, accepted_session, listen, simulation

PRESETS = ("small", "datacenter")
WIDTHS = (64, 512)
PORT = 4000


def measure(request):
    rows, summary = [], {}
    clocks = 100_000 if request.quick else 1_000_000
    for width in request.widths:
        with simulation(request.preset, width) as engine:
            request.tell(f"{width} bits")
            idle = _timed(lambda engine=engine: engine.advance(clocks)) / clocks
            listen(engine, PORT)
            peer = Peer(engine, PORT)
            accepted_session(engine)
            frames = clocks // 400
            for _ in range(frames):  # out of order, so that each is parsed, decided and answered
                peer.engine.put_frame(peer.frame(0x18, bytes(1460)))
            begin = engine.clocks
            seconds = _timed(lambda engine=engine: engine.advance(clocks))
            busy = seconds / (engine.clocks - begin)
            while engine.receive():
                pass
        rows.append(
            {
                "width_bits": width,
                "idle_clocks_per_second": round(1 / idle),
                "busy_clocks_per_second": round(1 / busy),
            }
        )
        summary[f"clocks_per_second_w{width}"] = rows[-1]["busy_clocks_per_second"]
    return rows, summary


def _timed(action) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin
