# SPDX-License-Identifier: Apache-2.0
"""1,024 sessions that open one after the other, 50 ms apart, and then fill the line for long.

While they open a clock is 10 us long for the engine, whose time is an input: its timers see 50 ms
between two of them, and the simulation 5,000 clocks. Then the clock is the line's, and every
session sends segments of 1,460 bytes to the discard application as fast as the line carries them.
"""

from _line import engine, payload_limit
from _load import PERIODS_PS, check

from toehold.load import EXCHANGE, OPEN, SEND, Load, Task

PRESETS = ("low-latency",)
WIDTHS = (64, 512)
COLUMNS = (
    *("width_bits", "sessions", "seconds_to_open", "still_open", "clocks", "gigabytes"),
    *("gbit_per_second", "limit_gbit_per_second", "share"),
)
NOTES = "The limit is what a full line of such segments carries, without acknowledgements."

SESSIONS, QUICK_SESSIONS = 1024, 64
CLOCKS, QUICK_CLOCKS = 10_000_000, 100_000
WARM_UP_CLOCKS = 50_000
PAYLOAD = 1460
INTERVAL_US = 50_000
OPENING_CLOCK_PS = 10_000_000
FOREVER = 1 << 40  # turns
RECEIVED = "counters_tcp_bytes_in"


def measure(request):
    sessions = QUICK_SESSIONS if request.quick else SESSIONS
    rows = []
    for width in request.widths:
        request.tell(f"{width} bits")
        rows.append(
            _row(request.preset, width, sessions, QUICK_CLOCKS if request.quick else CLOCKS)
        )
    summary = {f"share_of_limit_w{row['width_bits']}": row["share"] for row in rows}
    summary |= {f"still_open_w{row['width_bits']}": row["still_open"] for row in rows}
    return rows, summary


def _row(preset: str, width: int, sessions: int, clocks: int) -> dict:
    with engine(preset, width) as simulation:
        simulation.set_clock_period(OPENING_CLOCK_PS)
        with Load(simulation, clients=sessions, mss=PAYLOAD) as load:
            begin_us = simulation.time_us
            load.run(Task(OPEN, kind=SEND, at_once=4, turns_per_second=1_000_000 / INTERVAL_US))
            opened_us = simulation.time_us
            simulation.set_clock_period(PERIODS_PS[width])
            load.start(Task(EXCHANGE, turns=FOREVER, at_once=2 * sessions, bytes=PAYLOAD))
            load.finish(WARM_UP_CLOCKS)
            before = simulation.read(RECEIVED)
            load.finish(clocks)
            received = simulation.read(RECEIVED) - before & 0xFFFFFFFF
            counters = check(load)
    limit = payload_limit(PAYLOAD, width)
    gbit = 8e3 / PERIODS_PS[width]  # of a byte a clock
    return {
        "width_bits": width,
        "sessions": sessions,
        "seconds_to_open": (opened_us - begin_us) / 1e6,
        "still_open": counters["connected"],
        "clocks": clocks,
        "gigabytes": received / 1e9,
        "gbit_per_second": received / clocks * gbit,
        "limit_gbit_per_second": limit * gbit,
        "share": received / clocks / limit,
    }
