# SPDX-License-Identifier: Apache-2.0
"""The congestion window in virtual time: slow start, losses, and two flows on one bottleneck.

The engine sends all the time to a host in Python with SACK; the host throws away chosen segments,
or the link's queue is short. What is plotted is what the engine answers to CommandQuery.
"""

from _flows import MSS, RING_BYTES, Flow, Path
from matplotlib.figure import Figure

PRESETS = ("datacenter",)
COLUMNS = (
    *("experiment", "start_ms", "in_flight_before_bytes", "cwnd_before_bytes"),
    *("ssthresh_after_bytes", "cwnd_after_bytes", "timeouts"),
)

# One flow: a round trip of 40 ms; the rate spaces segments and is never used up.
DELAY_US, RATE_BPS = 20_000, 10_000_000
EVERY_US, QUICK_EVERY_US = 2_000, 5_000
# Segments by their place in the stream; those twice in the list lose their retransmission too.
EXPERIMENTS = {
    "slow start": (300_000, ()),
    "one loss": (1_000_000, (80,)),
    "repeated loss": (3_000_000, (80, 230, 236, 440, 440)),
}
QUICK_EXPERIMENTS = {
    "slow start": (120_000, ()),
    "one loss": (300_000, (80,)),
    "repeated loss": (800_000, (80, 180, 180)),
}

# Two flows: what the link and its queue hold is less than the two windows.
BOTTLENECK = {"delay_us": 10_000, "rate_bps": 2_000_000}
QUEUES_FRAMES, QUICK_QUEUES_FRAMES = (12, 8, 16, 24), (12,)  # the first one is plotted
INTERVAL_US = 500_000
# When the second one begins, and the end.
TWO_FLOWS_US, QUICK_TWO_FLOWS_US = (2_000_000, 20_000_000), (100_000, 3_500_000)

FIRST_PORT = 40000
UNSET = 1 << 22  # ssthresh before the first loss


def measure(request):
    rows, summary = [], {}
    width = request.widths[0]
    for name, (length_us, lost) in (QUICK_EXPERIMENTS if request.quick else EXPERIMENTS).items():
        request.tell(name)
        every_us = QUICK_EVERY_US if request.quick else EVERY_US
        flow = _one_flow(request.preset, width, length_us, every_us, lost)
        rows += _episodes(name, flow)
        summary |= _key_figures(name, rows[-1], flow)
    shared = []
    for queue_frames in QUICK_QUEUES_FRAMES if request.quick else QUEUES_FRAMES:
        request.tell(f"two flows, queue of {queue_frames} frames")
        times = QUICK_TWO_FLOWS_US if request.quick else TWO_FLOWS_US
        shared.append(_shared_link(_two_flows(request.preset, width, queue_frames, *times)))
        shared[-1]["queue_frames"] = queue_frames
    for row in shared[1:]:
        del row["series"]
    for name in ("jain_index", "goodput_mbit_per_second"):
        summary[f"two_flows_least_{name}"] = min(row[name] for row in shared)
    return rows + shared, summary


def _shared_link(shares: dict[str, list]) -> dict:
    """The row of two flows, by what they got in the second half of the time."""
    half = len(shares["time_ms"]) // 2
    totals = [sum(shares[name][half:]) for name in ("first_bytes", "second_bytes")]
    seconds = (shares["time_ms"][-1] - shares["time_ms"][half - 1]) / 1e3
    return {
        "experiment": "two flows",
        "jain_index": jain(totals),
        "goodput_mbit_per_second": sum(totals) * 8 / seconds / 1e6,
        "series": shares,
    }


def jain(shares: list[float]) -> float:
    """Jain's index of fairness: 1 when all are equal, 1/n when one has everything."""
    total = sum(shares)
    return total**2 / (len(shares) * sum(share**2 for share in shares)) if total else 0.0


def _one_flow(
    preset: str, width: int, length_us: int, every_us: int, lost: tuple[int, ...]
) -> Flow:
    left = list(lost)

    def drops(begin: int) -> bool:
        if begin // MSS not in left:
            return False
        left.remove(begin // MSS)
        return True

    with Path(preset, width, delay_us=DELAY_US, rate_bps=RATE_BPS) as path:
        flow = path.open(FIRST_PORT, drops)
        begin = path.now_us
        path.run(begin + length_us, every_us)
    if left:
        raise RuntimeError(f"Segments {left} never came.")
    for sample in flow.samples:
        sample["time_us"] -= begin
    flow.receiver.dropped = [time - begin for time in flow.receiver.dropped]
    return flow


def _episodes(name: str, flow: Flow) -> list[dict]:
    """A row for each recovery; the first one carries the experiment's series."""
    samples = flow.samples
    rows = []
    for index in range(1, len(samples)):
        before, now = samples[index - 1], samples[index]
        timed_out = now["timeouts"] > before["timeouts"]
        if not timed_out and now["recovering"] <= before["recovering"]:
            continue
        over = next((later for later in samples[index:] if not later["recovering"]), None)
        if over and over["timeouts"] > now["timeouts"]:
            over = None  # the timer has ended it
        rows.append(
            {
                "experiment": name,
                "start_ms": now["time_us"] / 1e3,
                "in_flight_before_bytes": before["in_flight_bytes"],
                "cwnd_before_bytes": before["cwnd_bytes"],
                "ssthresh_after_bytes": now["ssthresh_bytes"],
                "cwnd_after_bytes": (now if timed_out else over or now)["cwnd_bytes"],
                "timeouts": now["timeouts"] - before["timeouts"],
                "recovered_after_ms": (over["time_us"] - now["time_us"]) / 1e3 if over else None,
            }
        )
    if not rows:
        rows = [{"experiment": name, "cwnd_after_bytes": samples[-1]["cwnd_bytes"]}]
    rows[0]["series"] = _series(flow)
    return rows


def _series(flow: Flow) -> dict[str, list]:
    """The samples that differ from the one before."""
    names = ("cwnd_bytes", "ssthresh_bytes", "in_flight_bytes", "srtt_us")
    kept = [
        sample
        for before, sample in zip([None, *flow.samples], flow.samples)
        if before is None or any(sample[name] != before[name] for name in names)
    ]
    if kept[-1] is not flow.samples[-1]:
        kept.append(flow.samples[-1])
    series = {"time_ms": [sample["time_us"] / 1e3 for sample in kept]}
    series |= {name: [sample[name] for sample in kept] for name in names}
    return series | {"lost_ms": [time / 1e3 for time in flow.receiver.dropped]}


def _key_figures(name: str, row: dict, flow: Flow) -> dict[str, float]:
    samples = flow.samples
    if name == "slow start":
        start = samples[0]["cwnd_bytes"]
        # Acknowledgements of the first window come one round trip later, within the time that its
        # segments take on the link.
        round_us = 2 * DELAY_US + start * 8 * 1_000_000 // RATE_BPS * 5 // 4
        after = next(s["cwnd_bytes"] for s in samples if s["time_us"] >= round_us)
        return {"slow_start_growth_per_round_trip": after / start}
    if name == "one loss":
        return {"one_loss_cwnd_to_flight": row["cwnd_after_bytes"] / row["in_flight_before_bytes"]}
    return {
        "repeated_loss_retransmitted_segments": samples[-1]["retransmitted"],
        "repeated_loss_timeouts": samples[-1]["timeouts"],
    }


def _two_flows(
    preset: str, width: int, queue_frames: int, second_starts_us: int, length_us: int
) -> dict[str, list]:
    """Bytes that each flow delivered in each interval, by the interval's end."""
    with Path(preset, width) as path:
        path.link.set(0, queue_frames=queue_frames, **BOTTLENECK)
        path.link.set(1, delay_us=BOTTLENECK["delay_us"])
        flows = [path.open(FIRST_PORT)]
        path.run(second_starts_us, INTERVAL_US)
        flows.append(path.open(FIRST_PORT + 1))
        path.run(length_us, INTERVAL_US)
    delivered = [{s["time_us"]: s["delivered_bytes"] for s in flow.samples} for flow in flows]
    times = sorted(delivered[0])
    shares = {"time_ms": [time / 1e3 for time in times[1:]]}
    for name, at in zip(("first_bytes", "second_bytes"), delivered):
        shares[name] = [at.get(end, 0) - at.get(begin, 0) for begin, end in zip(times, times[1:])]
    return shares


def figures(document: dict) -> dict[str, Figure]:
    """The window of each experiment, and the shares of the two flows."""
    series = {row["experiment"]: row["series"] for row in document["rows"] if "series" in row}
    shares = series.pop("two flows")
    return {"congestion": _windows(series), "fairness": _shares(shares)}


def _windows(series: dict[str, dict]) -> Figure:
    figure = Figure(figsize=(7, 2.6 * len(series)), layout="constrained")
    for axes, (name, seen) in zip(
        figure.subplots(len(series), squeeze=False)[:, 0], series.items()
    ):
        times = seen["time_ms"]
        for column, label, style in (
            ("in_flight_bytes", "in flight", {"color": "0.7"}),
            ("ssthresh_bytes", "ssthresh", {"color": "tab:orange", "linestyle": "--"}),
            ("cwnd_bytes", "cwnd", {"color": "tab:blue"}),
        ):
            values = [None if value >= UNSET else value / 1024 for value in seen[column]]
            if any(value is not None for value in values):
                values = [float("nan") if value is None else value for value in values]
                axes.step(times, values, where="post", label=label, **style)
        axes.axhline(RING_BYTES / 1024, color="0.8", linewidth=0.8, label="ring")
        for index, lost in enumerate(seen["lost_ms"]):
            label = None if index else "segment lost"
            axes.axvline(lost, color="tab:red", linewidth=0.8, linestyle=":", label=label)
        axes.set_title(name)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("KiB")
        axes.legend(fontsize="small")
    axes.set_xlabel("virtual time (ms)")
    return figure


def _shares(shares: dict[str, list]) -> Figure:
    figure = Figure(figsize=(7, 4.6), layout="constrained")
    upper, lower = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    times = [time / 1e3 for time in shares["time_ms"]]
    for name, label in (("first_bytes", "first flow"), ("second_bytes", "second flow")):
        rates = [count * 8 / INTERVAL_US for count in shares[name]]
        upper.step(times, rates, where="pre", label=label)
    upper.axhline(BOTTLENECK["rate_bps"] / 1e6, color="0.8", linewidth=0.8, label="link")
    upper.set_ylim(bottom=0)
    upper.set_ylabel("goodput (Mbit/s)")
    upper.set_title("two flows on one link, each interval of half a second")
    upper.legend(fontsize="small")
    pairs = zip(shares["first_bytes"], shares["second_bytes"])
    lower.step(times, [jain(pair) for pair in pairs], where="pre", color="tab:green")
    lower.set_ylim(0.4, 1.05)
    lower.set_ylabel("Jain's index")
    lower.set_xlabel("virtual time (s)")
    return figure
