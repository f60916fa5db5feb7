# SPDX-License-Identifier: Apache-2.0
"""What pacing brings: bursts on the wire, and what a short drop-tail queue loses of them.

The engine, built with TOEHOLD_PACING=1, sends all the time to a host in Python, in virtual time:
once as fast as its windows let it, once paced.
"""

from _flows import MSS, Path
from congestion import jain

PRESETS = ("datacenter",)
COLUMNS = (
    *("experiment", "queue_frames", "pacing", "goodput_mbit_per_second", "lost_frames"),
    *("retransmitted", "timeouts", "most_at_once", "jain_index"),
)

BUILT = {"TOEHOLD_PACING": "1"}
# One connection: its ring is the largest window, and less than what the link and a queue hold. So
# nothing is lost but by bursts.
LONG = {"delay_us": 20_000, "rate_bps": 10_000_000}
LONG_QUEUES, QUICK_LONG_QUEUES = (1000, 16, 8, 4), (1000, 8)
LONG_US, QUICK_LONG_US = 3_000_000, 400_000
# Two connections whose windows are more than that: it is by losses that they know how much.
SHARED = {"delay_us": 10_000, "rate_bps": 2_000_000}
SHARED_QUEUES, QUICK_SHARED_QUEUES = (24, 16, 12, 8), (8,)
SHARED_US, QUICK_SHARED_US = 10_000_000, 2_500_000
SECOND_BEGINS_US, QUICK_SECOND_BEGINS_US = 2_000_000, 100_000

INTERVAL_US = 100_000
FIRST_PORT = 40000
AT_ONCE_US = 100  # less than a segment takes on the link


def measure(request):
    quick = request.quick
    long_us, shared_us = (QUICK_LONG_US, QUICK_SHARED_US) if quick else (LONG_US, SHARED_US)
    later_us = QUICK_SECOND_BEGINS_US if quick else SECOND_BEGINS_US
    runs = [
        *(("one flow", LONG, queue, long_us, 0)
          for queue in (QUICK_LONG_QUEUES if quick else LONG_QUEUES)),
        *(("two flows", SHARED, queue, shared_us, later_us)
          for queue in (QUICK_SHARED_QUEUES if quick else SHARED_QUEUES)),
    ]  # fmt: skip
    rows, summary = [], {}
    for name, link, queue_frames, length_us, second_begins_us in runs:
        for pacing in (0, 1):
            said = "on" if pacing else "off"
            request.tell(f"{name}, queue of {queue_frames} frames, pacing {said}")
            with Path(request.preset, request.widths[0], macros=BUILT) as path:
                path.link.set(0, queue_frames=queue_frames, **link)
                path.link.set(1, delay_us=link["delay_us"])
                path.engine.write("tcp_behaviour_options.pacing", pacing)
                row = _run(path, length_us, second_begins_us)
            rows.append({"experiment": name, "queue_frames": queue_frames, "pacing": said} | row)
    for name in ("one flow", "two flows"):
        for pacing in ("off", "on"):
            found = [r for r in rows if (r["experiment"], r["pacing"]) == (name, pacing)]
            label = f"{name.replace(' ', '_')}_{'paced' if pacing == 'on' else 'unpaced'}"
            summary[f"{label}_most_at_once"] = max(row["most_at_once"] for row in found)
            summary[f"{label}_lost_frames"] = sum(row["lost_frames"] for row in found)
            summary[f"{label}_least_goodput_mbit_per_second"] = min(
                row["goodput_mbit_per_second"] for row in found
            )
    return rows, summary


def _run(path: Path, length_us: int, second_begins_us: int) -> dict:
    """One connection; or a second one from a time on, and then the second half counts."""
    sent_us: list[int] = []

    def watch(direction: int, arrived: bool, data: bytes, time_us: int) -> None:
        if direction == 0 and not arrived and len(data) > MSS:
            sent_us.append(time_us)

    path.link.observe(watch)
    flows = [path.open(FIRST_PORT)]
    begin_us = path.now_us
    if second_begins_us:
        path.run(begin_us + second_begins_us, INTERVAL_US)
        flows.append(path.open(FIRST_PORT + 1))
    half_us = begin_us + (length_us // 2 if second_begins_us else 0)
    path.run(max(half_us, path.now_us), INTERVAL_US)
    before = [flow.receiver.delivered for flow in flows]
    counted_us = path.now_us
    path.run(begin_us + length_us, INTERVAL_US)
    bytes_each = [flow.receiver.delivered - was for flow, was in zip(flows, before, strict=True)]
    row = {
        "goodput_mbit_per_second": sum(bytes_each) * 8 / (path.now_us - counted_us),
        "lost_frames": path.link.counters(0)["queue_dropped"],
        "retransmitted": sum(flow.samples[-1]["retransmitted"] for flow in flows),
        "timeouts": sum(flow.samples[-1]["timeouts"] for flow in flows),
        "most_at_once": _most_at_once(sent_us),
    }
    return row | ({"jain_index": jain(bytes_each)} if second_begins_us else {})


def _most_at_once(times_us: list[int]) -> int:
    """Segments that go out one right behind the other."""
    most = count = 1
    for before, now in zip(times_us, times_us[1:]):
        count = count + 1 if now - before < AT_ONCE_US else 1
        most = max(most, count)
    return most
