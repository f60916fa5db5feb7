# SPDX-License-Identifier: Apache-2.0
"""Long paths of a netlist that is mapped to ECP5 and not placed: `toehold synth --paths`.

Place and route say how long the one slowest path of each clock is, after an hour for a whole
engine. This is the list of all that are long, by an estimate, a minute after mapping: what a cell
takes on speed grade 8, and for a wire what the router makes of it in an engine that fills half the
part. Of one path the estimate is right by a fifth or so; what it is for is the order, and the
count.
"""

import json
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from toehold import results, synth, yosys
from toehold.console import console, fail
from toehold.paths import BUILD, ROOT

# Nanoseconds. nextpnr's figures of a LFE5U-85F-8, but for wires, which are an average over a routed
# engine: those with more ends are longer.
CLOCK_TO_Q = 0.31
RAM_TO_Q = 4.0
LUT = 0.14
LUT_MULTIPLEXER = 0.15
CARRY_IN = 0.4
CARRY_ON = 0.06
CARRY_OUT = 0.36
SETUP = 0.2
WIRE = 0.55
WIRE_FOR_TWICE_THE_ENDS = 0.12

# What comes into a cell by a wire of its slice.
DIRECT = {"PFUMX": ("ALUT", "BLUT"), "L6MUX21": ("D0", "D1"), "CCU2C": ("CIN",)}
CLOCK_PINS = ("CLK", "WCK", "CLKA", "CLKB")


@dataclass(frozen=True)
class Path_:
    """The longest path to an end."""

    ns: float
    levels: int  # wires from slice to slice on it
    start: str  # signals of the source
    end: str
    pin: str  # of the register or memory at its end


def _wire(ends: int) -> float:
    return WIRE + WIRE_FOR_TWICE_THE_ENDS * math.log2(max(ends, 1))


def _bits(cell: dict, *pins: str) -> list[int]:
    """The nets at pins; constants are none."""
    connections = cell["connections"]
    return [bit for pin in pins for bit in connections.get(pin, ()) if isinstance(bit, int)]


def _arcs(cell: dict) -> list[tuple[int, int, float, bool]]:
    """(from net, to net, nanoseconds, whether the wire between slices is spared) of a cell."""
    kind, found = cell["type"], []
    direct = DIRECT.get(kind, ())
    if kind in ("LUT4", "PFUMX", "L6MUX21"):
        delay = LUT if kind == "LUT4" else LUT_MULTIPLEXER
        for pin in cell["connections"]:
            if pin != "Z":
                found += [
                    (bit, out, delay, pin in direct)
                    for bit in _bits(cell, pin)
                    for out in _bits(cell, "Z")
                ]
    elif kind == "CCU2C":
        low, high = _bits(cell, "A0", "B0", "C0", "D0"), _bits(cell, "A1", "B1", "C1", "D1")
        for pin, sources in (("S0", low), ("S1", low + high), ("COUT", low + high)):
            for out in _bits(cell, pin):
                found += [(bit, out, CARRY_IN, False) for bit in sources]
                delay = CARRY_ON if pin == "COUT" else CARRY_OUT
                found += [(bit, out, delay, True) for bit in _bits(cell, "CIN")]
    elif kind == "TRELLIS_DPR16X4":
        found += [(b, out, LUT, False) for b in _bits(cell, "RAD") for out in _bits(cell, "DO")]
    return found


def _starts(cell: dict) -> list[tuple[int, float]]:
    if cell["type"] == "TRELLIS_FF":
        return [(bit, CLOCK_TO_Q) for bit in _bits(cell, "Q")]
    if cell["type"] == "DP16KD":
        outputs = [pin for pin in cell["connections"] if pin.startswith("DO")]
        return [(bit, RAM_TO_Q) for bit in _bits(cell, *outputs)]
    return []


def _ends(cell: dict) -> list[tuple[int, str, float]]:
    """(net, pin, setup) at which paths end."""
    pins = {"TRELLIS_FF": ("DI", "M", "CE", "LSR"), "TRELLIS_DPR16X4": ("DI", "WAD", "WRE")}
    if cell["type"] == "DP16KD":
        chosen = [pin for pin in cell["connections"] if not pin.startswith(("DO", "CLK"))]
    else:
        chosen = pins.get(cell["type"], ())
    return [
        (bit, pin, 0.0 if pin in ("DI", "M") and cell["type"] == "TRELLIS_FF" else SETUP)
        for pin in chosen
        for bit in _bits(cell, pin)
    ]


class Netlist:
    """Arrival times in a flat netlist that Yosys wrote as JSON."""

    def __init__(self, module: dict) -> None:
        self.cells = module["cells"]
        self.names = _names(module["netnames"])
        self.arcs: dict[int, list[tuple[int, float, bool]]] = defaultdict(list)
        self.fanout: Counter[int] = Counter()
        # Of each net: when it is known, after how many wires, and where that path starts.
        self.arrival: dict[int, tuple[float, int, int]] = {}
        for cell in self.cells.values():
            for source, out, delay, spared in _arcs(cell):
                self.arcs[out].append((source, delay, spared))
            for bit, delay in _starts(cell):
                self.arrival[bit] = (delay, 0, bit)
            directions = cell.get("port_directions", {})
            for pin, nets in cell["connections"].items():
                if directions.get(pin) == "input" and pin not in CLOCK_PINS:
                    self.fanout.update(bit for bit in nets if isinstance(bit, int))

    def arrive(self, net: int) -> tuple[float, int, int]:
        """Of a net that nothing drives, or but a loop, the time is 0."""
        waiting, entered = [net], set()
        while waiting:
            bit = waiting[-1]
            sources = self.arcs.get(bit, ())
            unknown = [s for s, _, _ in sources if s not in self.arrival and s not in entered]
            if bit not in self.arrival and bit not in entered and unknown:
                entered.add(bit)
                waiting += unknown
                continue
            waiting.pop()
            if bit in self.arrival:
                continue
            best = (0.0, 0, bit)
            for source, delay, spared in sources:
                if source in self.arrival:
                    ns, levels, start = self.arrival[source]
                    wire = 0.0 if spared else _wire(self.fanout[source])
                    best = max(best, (ns + wire + delay, levels + (not spared), start))
            self.arrival[bit] = best
        return self.arrival[net]

    def paths(self) -> list[Path_]:
        """The longest to each end, the longest of all first."""
        found = []
        for name, cell in self.cells.items():
            for bit, pin, setup in _ends(cell):
                ns, levels, start = self.arrive(bit)
                ns += _wire(self.fanout[bit]) + setup
                found.append(Path_(ns, levels, self.names.get(start, ""), _signal(name), pin))
        return sorted(found, key=lambda path: -path.ns)


def _signal(name: str) -> str:
    """The signal of the source that a cell or net is named after, without the harness."""
    return synth.signal_of(name.removeprefix("dut."))


def _names(netnames: dict) -> dict[int, str]:
    """A name of each net: of the source if it has one there, the shortest."""
    found: dict[int, tuple[int, int, str]] = {}
    for name, net in netnames.items():
        for bit in net["bits"]:
            if isinstance(bit, int):
                rank = (net.get("hide_name", 0), len(name), _signal(name))
                found[bit] = min(found.get(bit, rank), rank)
    return {bit: name for bit, (_, _, name) in found.items()}


def read(netlist: Path) -> Netlist:
    modules = json.loads(netlist.read_text())["modules"]
    return Netlist(max(modules.values(), key=lambda module: len(module["cells"])))


def block_of(signal: str, depth: int) -> str:
    """The block that a signal is in, by its first `depth` instances."""
    return ".".join(signal.split(".")[:-1][:depth]) or "-"


def table_of(paths: list[Path_], goal_ns: float, depth: int) -> list[dict]:
    """A row for each block with ends beyond the goal: how many, and the longest path there."""
    rows: dict[str, dict] = {}
    for path in paths:
        if path.ns <= goal_ns:
            break
        row = rows.setdefault(
            block_of(path.end, depth),
            {
                "block": block_of(path.end, depth),
                "ends": 0,
                "ns": round(path.ns, 1),
                "levels": path.levels,
                "from": path.start,
                "to": f"{path.end}.{path.pin}",
            },
        )
        row["ends"] += 1
    return list(rows.values())


def paths_command(
    chosen: synth.Chosen, frequency_mhz: float, depth: int, json_file: Path | None, store: bool
) -> None:
    """Map the block in its harness, and print and write its long paths."""
    block = chosen.block
    name = f"synth_paths_{block.top}_{chosen.label}_{chosen.width}"
    folder = BUILD / "synth" / name
    goal = 1000 / frequency_mhz
    with console.status(f"{block.top}: mapping to ECP5"):
        try:
            netlist = read(synth.map_harness(block, folder))
        except yosys.YosysError as error:
            log = folder / "yosys.log"
            log.write_text(error.log)
            fail(f"Yosys: {error}\nThe whole log is in {log.relative_to(ROOT)}.")
    paths = netlist.paths()
    rows = table_of(paths, goal, depth)
    table = Table("BLOCK", "ENDS", "NS", "LEVELS", "FROM", "TO", show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console.print(table)
    late = sum(row["ends"] for row in rows)
    console.print(
        f"{late:,} of {len(paths):,} ends take more than {goal:.1f} ns by estimate, "
        f"{paths[0].ns:.1f} ns at most, through {max(path.levels for path in paths)} levels at "
        "most."
    )
    document = results.document(
        "synth_paths",
        config={
            "top": block.top,
            "preset": chosen.label,
            "width_bits": chosen.width,
            "part": "LFE5U-85F-8",
            "goal_mhz": frequency_mhz,
            "tools": synth.tools(),
            "date": results.date(),
        },
        rows=rows,
        summary={
            "ends": len(paths),
            "ends_beyond_goal": late,
            "longest_ns": round(paths[0].ns, 2),
            "levels": max(path.levels for path in paths),
        },
    )
    written = results.write(document, json_file, store, name=name)
    console.print(f"Written to {', '.join(written)}.", soft_wrap=True)
