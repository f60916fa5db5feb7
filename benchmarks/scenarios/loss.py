# SPDX-License-Identifier: Apache-2.0
"""Goodput under random loss, the engine as sender and Linux as sender on the same link.

One connection at a time over a TAP device and the simulation's link, whose round trip is 40 ms and
which loses frames of both directions at random. Both send into the same window: the engine's ring
of 16 KiB bounds what it has in flight as sender, and what it offers Linux as receiver. The engine
sends by both of its sets of numbers, Linux with CUBIC, which is its default as it comes, with the
default of this machine's kernel, and with Reno. Each sender meets each of the same seeds, for the
same time, and goodput is what the other side has got of the stream in all of that time. Ratios to
"linux" are those to CUBIC.

Then the engine alone, in virtual time, to a host that acknowledges each segment at once: the same
on every machine, as a share of what it sends without loss.
"""

import json
import subprocess
import sys
from pathlib import Path

import _flows
import _linux_end
from matplotlib.figure import Figure

from toehold import run
from toehold.console import fail
from toehold.options import LinkOptions, RunOptions
from toehold.register_map import REGISTERS
from toehold.simulator_build import Simulator, build_simulator

PRESETS = ("datacenter",)
COLUMNS = ("time", "loss_percent", "sender", "congestion_control", "goodput_mbit_per_second")
NOTES = (
    "Beside Linux time is the wall clock's: goodput depends on the machine and its load, so only "
    "ratios within one run say something. Which frame meets which of the seed's "
    "losses depends on the kernel."
)

LOSSES_PERCENT = (0.01, 0.1, 1, 3, 10)
SEEDS = {1: tuple(range(1, 9))}  # by loss: more where the summary's first figure is from
OTHER_SEEDS = (1, 2)
SECONDS = 12.0  # of each seed
QUICK_LOSSES_PERCENT, QUICK_SEEDS, QUICK_SECONDS = (1,), (1,), 2.0
ONE_WAY_SECONDS = 0.02
APPLICATIONS = {"engine": "source", "linux": "discard"}  # the engine's, by who sends
# Without time stamps a segment holds 1460 bytes, as much as the source application writes at once:
# otherwise each of its messages would be a full segment and one of 12 bytes.
TIMESTAMPS = "tcp_behaviour_options.timestamps"
# The path is longer than those of a data center, for which the preset has a smaller timeout.
SETTINGS = ("--set", f"{TIMESTAMPS}=0", "--set", f"tcp_rto_min_us={_flows.RTO_MIN_US}")
CUBIC_FRIENDLY = "tcp_behaviour_options.cubic_friendly"
DEFAULT = Path("/proc/sys/net/ipv4/tcp_congestion_control")
AVAILABLE = DEFAULT.with_name("tcp_available_congestion_control")
LINUX = "cubic"
VIRTUAL_SEEDS, VIRTUAL_SECONDS = (1, 2, 3), 20.0
SEGMENT_BYTES = 1460
MOST_SECONDS = 60.0  # beyond the time that is measured, before a connection is given up
ENGINE = ("newreno", "cubic_friendly")  # by the value of that


def measure(request):
    simulator = build_simulator(request.preset, request.widths[0])
    losses = QUICK_LOSSES_PERCENT if request.quick else LOSSES_PERCENT
    seconds = QUICK_SECONDS if request.quick else SECONDS
    default = DEFAULT.read_text().strip()
    senders = [("engine", control) for control in ENGINE]
    available = AVAILABLE.read_text().split()
    wanted = dict.fromkeys((LINUX, default, "reno"))
    controls = [control for control in wanted if control in available]
    senders += [("linux", control) for control in controls]
    ours = ENGINE[_reset_value(CUBIC_FRIENDLY)]
    rows, goodput = [], {}
    for loss in losses:
        seeds = QUICK_SEEDS if request.quick else SEEDS.get(loss, OTHER_SEEDS)
        runs_of = {who: [] for who in senders}
        for turn, seed in enumerate(seeds):
            # In turns, so that the machine's other load of a while meets each of them.
            first = turn % len(senders)
            for sender, control in senders[first:] + senders[:first]:
                request.tell(f"{loss:g} % loss, seed {seed}, {sender} sends by {control}")
                runs_of[sender, control].append(
                    _connection(simulator, sender, control, loss, seed, seconds)
                )
        for (sender, control), runs in runs_of.items():
            total = sum(done["bytes"] for done in runs)
            spent = sum(done["seconds"] for done in runs)
            goodput[control, loss] = total / spent
            rows.append(
                {
                    "time": "wall",
                    "loss_percent": loss,
                    "sender": sender,
                    "congestion_control": control,
                    "goodput_mbit_per_second": total * 8 / spent / 1e6,
                    "seconds": spent,
                    "retransmitted_segments": sum(done["retransmitted"] for done in runs),
                    "bytes_by_seed": [done["bytes"] for done in runs],
                }
            )
    summary = {}
    for control in controls:
        name = "linux" if control == controls[0] else f"linux_{control}"
        for loss in losses:
            key = f"goodput_ratio_to_{name}_{loss:g}pct".replace(".", "_")
            summary[key] = goodput[ours, loss] / goodput[control, loss]
    rows += _in_virtual_time(request, losses)
    for row in rows:
        if row["time"] == "virtual" and row["congestion_control"] == ours:
            key = f"share_of_lossless_{row['loss_percent']:g}pct".replace(".", "_")
            summary[key] = row["share_of_lossless"]
    return rows, summary


def _in_virtual_time(request, losses) -> list[dict]:
    seeds = QUICK_SEEDS if request.quick else VIRTUAL_SEEDS
    seconds = QUICK_SECONDS if request.quick else VIRTUAL_SECONDS
    rows = []
    for control in ENGINE:
        request.tell(f"virtual time, no loss, {control}")
        lossless = _virtual_goodput(request, control, 0, seeds[0], QUICK_SECONDS)
        for loss in losses:
            request.tell(f"virtual time, {loss:g} % loss, {control}")
            goodput = [_virtual_goodput(request, control, loss, seed, seconds) for seed in seeds]
            mean = sum(goodput) / len(goodput)
            rows.append(
                {
                    "time": "virtual",
                    "loss_percent": loss,
                    "sender": "engine",
                    "congestion_control": control,
                    "goodput_mbit_per_second": mean,
                    "seconds": seconds * len(seeds),
                    "share_of_lossless": mean / lossless,
                }
            )
    return rows


def _virtual_goodput(
    request, control: str, loss_percent: float, seed: int, seconds: float
) -> float:
    """Mbit/s of one connection, from the end of its first second on."""
    link = {"delay_us": round(ONE_WAY_SECONDS * 1e6)}
    with _flows.Path(request.preset, request.widths[0], mss=SEGMENT_BYTES, **link) as path:
        for setting, value in ((TIMESTAMPS, 0), (CUBIC_FRIENDLY, ENGINE.index(control))):
            path.engine.write(setting, value)
        flow = path.open(_flows.PORT)
        path.change_link(seed=seed, loss=loss_percent / 100, **link)
        first = path.now_us + 1_000_000
        path.run(first, every_us=1_000_000)
        begin = flow.receiver.delivered
        path.run(first + round(seconds * 1e6), every_us=1_000_000)
        return (flow.receiver.delivered - begin) * 8 / seconds / 1e6


def _reset_value(name: str) -> int:
    register, field = name.split(".")
    return REGISTERS[register][4][field][2]


def _connection(
    simulator: Simulator,
    sender: str,
    control: str,
    loss_percent: float,
    seed: int,
    seconds: float,
    pcap: Path | None = None,
) -> dict:
    """What the client said of one connection, with segments sent again by whoever sent."""
    link = LinkOptions(loss=loss_percent / 100, delay_s=ONE_WAY_SECONDS, seed=seed)
    options = RunOptions(
        simulator.preset, simulator.width, app=APPLICATIONS[sender], pcap=pcap, link=link
    )
    arguments = [*run.simulator_arguments(options), *SETTINGS]
    if sender == "engine":
        arguments += ["--set", f"{CUBIC_FRIENDLY}={ENGINE.index(control)}"]
    with run.running(simulator, arguments) as (namespace, process):
        client = str(Path(_linux_end.__file__))
        command = namespace.command(["--", sys.executable, client, sender, str(seconds)])
        command += ["--control", control] if sender == "linux" else []
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=seconds + MOST_SECONDS
            )
        except subprocess.TimeoutExpired:
            fail(f"The {sender}'s connection with {loss_percent:g} % loss did not end.")
        if done.returncode:
            fail(f"The {sender}'s connection with {loss_percent:g} % loss: {done.stderr}")
        process.check()
        result = json.loads(done.stdout)
        if sender == "engine":
            registers = next(process.lines(timeout=1.0), process.newest)["registers"]
            result["retransmitted"] = registers["counters_tcp_retransmitted_segments"]
    return result


def figures(document: dict) -> dict[str, Figure]:
    """Goodput over loss, a curve for each sender."""
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    curves: dict[tuple[str, str], list[dict]] = {}
    for row in document["rows"]:
        if row["time"] == "virtual":
            continue
        curves.setdefault((row["sender"], row["congestion_control"]), []).append(row)
    for (sender, control), rows in curves.items():
        axes.plot(
            [row["loss_percent"] for row in rows],
            [row["goodput_mbit_per_second"] for row in rows],
            marker="o" if sender == "engine" else "s",
            label=f"{'Toehold' if sender == 'engine' else 'Linux'} ({control})",
        )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("random loss in each direction (%)")
    axes.set_ylabel("goodput (Mbit/s)")
    axes.set_title("16 KiB window, round trip of 40 ms")
    axes.grid(alpha=0.3)
    axes.legend()
    return {"loss": figure}
