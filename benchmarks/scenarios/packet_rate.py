# SPDX-License-Identifier: Apache-2.0
"""The smallest frames: clocks from one to the next, in and out at once.

Emulated clients send segments of 6 bytes, which fill frames of 64 bytes, as fast as the line takes
them: 14.88 million a second at 10 Gbit/s, 148.81 million at 100 Gbit/s. Delayed acknowledgements
are off, so that each frame in is answered by one of the same size.
"""

from _line import engine, frame_clocks
from _load import check

from toehold.load import EXCHANGE, OPEN, SEND, Load, Task

PRESETS = ("datacenter",)
CHECKED = True
WIDTHS = (64, 512)
NOTES = (
    "With delayed acknowledgements, an answer tells of two frames. Frames of one connection may "
    "become one event, with one answer. The limit is the line's: a frame of 64 bytes takes 84."
)

PAYLOAD = 6
CONNECTIONS = {"one": 1, "many": 128}
ACKNOWLEDGEMENTS = {"each": 0, "delayed": None}  # delayed_ack_us, None: as the preset says
TURNS_AT_ONCE = 512
FOREVER = 1 << 40
WARM_UP_CLOCKS, CLOCKS, QUICK_CLOCKS = 10_000, 100_000, 20_000


def measure(request):
    rows, summary = [], {}
    for width in request.widths:
        for name, count in CONNECTIONS.items():
            for acknowledged, delay_us in ACKNOWLEDGEMENTS.items():
                request.tell(f"{width} bits, {count} connections")
                clocks = QUICK_CLOCKS if request.quick else CLOCKS
                frames_in, frames_out = _frames(request.preset, width, count, delay_us, clocks)
                rows.append(
                    {
                        "width_bits": width,
                        "connections": count,
                        "acknowledged": acknowledged,
                        "in_clocks_per_frame": clocks / frames_in,
                        "out_clocks_per_frame": clocks / frames_out,
                        "limit_clocks_per_frame": frame_clocks(PAYLOAD, width),
                    }
                )
                if acknowledged == "each":
                    # Of both directions, the slower one counts.
                    summary[f"clocks_per_frame_{name}_w{width}"] = clocks / min(
                        frames_in, frames_out
                    )
    return rows, summary


def _frames(preset: str, width: int, count: int, delay_us: int | None, clocks: int):
    with engine(preset, width) as simulation:
        if delay_us is not None:
            simulation.write("tcp_behaviour_delayed_ack_us", delay_us)
        with Load(simulation, clients=count, mss=PAYLOAD) as load:
            load.run(Task(OPEN, kind=SEND, at_once=min(count, 16)))
            at_once = max(count, TURNS_AT_ONCE)
            load.start(Task(EXCHANGE, turns=FOREVER, at_once=at_once, bytes=PAYLOAD))
            load.finish(WARM_UP_CLOCKS)
            before = load.counters()
            load.finish(clocks)
            after = check(load)
    return (after[name] - before[name] for name in ("frames_in", "frames_out"))
