# SPDX-License-Identifier: Apache-2.0
"""All connections that the engine holds at once: set up, requests on each, and closed.

They are opened through the wire. The requests come in random order, and every byte of the
replies is compared. TOEHOLD_REQUESTS=n takes another number of them, which the result tells.
DRAM counts in pages of 512 bytes that have ever been written to, so what is told is the most that
was in use: while all were established, and with what closing them wrote besides (ids that are free
again). What is counted is state, tuples and timers; the tables of pages, which tell where payload
is, lie behind them and are told apart.
"""

import os

from _load import connections, loaded_engine

from toehold.load import CLOSE, EXCHANGE, OPEN, SHUFFLED, Task

PRESETS = ("scale", "cached", "small")
WIDTHS = (64,)
COLUMNS = (
    "width_bits",
    "established",
    "requests_each",
    "clocks_per_setup",
    "clocks_per_request",
    "clocks_per_close",
    "latency_p999_clocks",
    "dram_bytes_per_connection",
    "dram_bytes_when_closed",
)
LARGEST = {"million": 1_000_000}
OTHERS_LARGEST = 250_000
QUICK = 1000
REQUESTS = int(os.environ.get("TOEHOLD_REQUESTS") or 4)
REQUEST_BYTES = 64
AT_ONCE = 64
# Of each connection: three clients, in front of those of pages (line_memory_pkg).
STATE_BYTES = 3 * 4 * 64


def measure(request):
    rows, summary = [], {}
    for width in request.widths:
        # A few ids rest between two connections.
        largest = LARGEST.get(request.preset, OTHERS_LARGEST)
        count = min(largest, connections(request.preset) * 31 // 32)
        if request.quick:
            count = min(count, QUICK)
        with loaded_engine(request.preset, width, count) as (engine, load):
            request.tell(f"opening {count}")
            setup = load.run(Task(OPEN, at_once=AT_ONCE))
            established = load.counters()["connected"]
            request.tell(f"{REQUESTS * count} requests")
            turns = load.run(
                Task(
                    EXCHANGE,
                    turns=REQUESTS * count,
                    bytes=REQUEST_BYTES,
                    at_once=AT_ONCE,
                    choice=SHUFFLED,
                )
            )
            end = STATE_BYTES * connections(request.preset)
            state = engine.memory_bytes_below("state", end)
            tables = engine.memory_counters("state")["host_bytes"] - state
            request.tell("closing")
            teardown = load.run(Task(CLOSE, at_once=AT_ONCE))
            counters = load.counters()
            closed = engine.memory_bytes_below("state", end)
            for port in ("state", "payload"):
                if engine.memory_counters(port)["protocol_errors"]:
                    raise RuntimeError(f"The engine broke the rules of AXI4 at m_axi_{port}.")
        if counters["connected"] or counters["bytes_received"] != REQUESTS * count * REQUEST_BYTES:
            raise RuntimeError(f"Not all was exchanged and closed: {counters}")
        rows.append(
            {
                "width_bits": width,
                "connections": count,
                "established": established,
                "requests_each": REQUESTS,
                "clocks_per_setup": round(setup.clocks_per_turn, 2),
                "clocks_per_request": round(turns.clocks_per_turn, 2),
                "clocks_per_close": round(teardown.clocks_per_turn, 2),
                "latency_median_clocks": turns.latency_median,
                "latency_p999_clocks": turns.latency_p999,
                "latency_maximum_clocks": turns.latency_maximum,
                "dram_bytes_per_connection": round(state / established, 1),
                "dram_bytes_when_closed": round(closed / established, 1),
                "page_table_bytes_per_connection": round(tables / established, 1),
                "wrong_bytes": counters["wrong_bytes"],
                "lost_connections": counters["lost"],
                "retransmissions": counters["retransmissions"],
            }
        )
    names = "established clocks_per_setup dram_bytes_per_connection wrong_bytes lost_connections"
    for name in names.split():
        summary[name] = rows[0][name]
    return rows, summary
