# SPDX-License-Identifier: Apache-2.0
"""A flood of SYNs from random sources: what a transfer beside it keeps, and how new clients get in.

The flood sends a SYN for each segment of a transfer, as fast as the engine acknowledges; no source
ever answers. The share is that of the clocks that the transfer took alone, the SYNs' own time on
the wire taken off. Then clients connect, one after the other, while a SYN comes every 200 clocks.
Each sends its own again when it is not let in, as Linux does, and resets its connection when it
was: what stays open leaves fewer ids to the flood, and a client has as long to answer as the flood
takes to fill them.
"""

import sys

from toehold.paths import ROOT
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

sys.path.append(str(ROOT / "tests"))
from models.syn_flood import Host  # noqa: E402

PRESETS = ("small",)
CHECKED = True

SYNS, QUICK_SYNS = 100_000, 4_000
ALONE = 2000  # segments
CLIENTS, QUICK_CLIENTS = 40, 10
LOOK_EVERY = 500  # segments, at how many connections there are
SEED = 1


def measure(request):
    rows = []
    for width in request.widths:
        syns = QUICK_SYNS if request.quick else SYNS
        request.tell(f"{width} bits, {syns} SYNs")
        rows.append(_row(request, width, syns))
    return rows, {
        "share_kept": rows[0]["share_kept"],
        "lost_syns_of_new_clients": rows[0]["lost_syns_of_new_clients"],
    }


def _in_use(engine: Simulation) -> int:
    return sum(
        engine.read(name)
        for name in engine.register_names()
        if name.startswith("states_") and name not in ("states_closed", "states_listen")
    )


def _row(request, width: int, syns: int) -> dict:
    with Simulation(build_simulator(request.preset, width)) as engine:
        host = Host(engine, SEED)
        engine.write("tcp_behaviour_delayed_ack_us", 0)
        first = host.connect(40000, floods=False)
        first, alone = host.transfer(first, ALONE, floods=False)
        flooded = most = 0
        for _ in range(0, syns, LOOK_EVERY):
            first, clocks = host.transfer(first, LOOK_EVERY, floods=True)
            flooded += clocks
            most = max(most, _in_use(engine))
        sent = host.syns
        host.tries.clear()
        for port in range(41000, 41000 + (QUICK_CLIENTS if request.quick else CLIENTS)):
            client = host.connect(port, floods=True)
            most = max(most, _in_use(engine))
            host.leave(client)
        host.transfer(first, 20, floods=True)  # it is still there
        return {
            "width_bits": width,
            "connections": engine.read("identity_connections"),
            "syns": sent,
            "share_kept": alone / ALONE * sent / flooded,
            "connections_most": most,
            "half_open_dropped": engine.read("counters_tcp_half_open_dropped"),
            "new_clients": len(host.tries),
            "lost_syns_of_new_clients": sum(host.tries) - len(host.tries),
            "tries_most": max(host.tries),
        }
