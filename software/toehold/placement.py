# SPDX-License-Identifier: Apache-2.0
"""What nextpnr placed for an ECP5, with cells moved to where they make less of a path late.

nextpnr's electrostatic placer weighs a wire by how late it is where it moves the wire's end, and
where it moves the driver only if that has few ends (docs/theory/timing.md). So a condition of many
ends stands where most of them are, however far what it waits for is, and whoever waits for it. Here
the placement is annealed again at a low temperature, with what a wire takes that is laid for its
own delay, and with every connection weighed by how late it is.

This reads and writes netlists, and says when each net arrives; native/anneal_placement.cpp moves.
Look-up tables, flip-flops, multiplexers, carry chains and RAM move, each with what cannot be
elsewhere than beside it.
"""

import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from itertools import count
from pathlib import Path

from toehold import native
from toehold.processes import PROCESSES

# Picoseconds of speed grade 8. A wire, as nextpnr lays what would be late in a dense engine: at
# least WIRE, and more for each tile that is crossed each way, by as much for the first NEAR and as
# little beyond; and by which input it goes to, where it is not a flip-flop's or D of a look-up
# table (docs/theory/timing.md). Cells are as nextpnr has them, from any input to an output.
WIRE, NEAR, WIRE_NEAR, WIRE_FAR = 410, 5, 115, 45
INPUTS = {
    "LOGIC": {"A": 250, "B": 190, "C": 95},
    "CCU2": {"A": 140, "B": 130, "D": -110},
}
LUT, WIDE_LUT = 180, 306
WIDE_INPUTS = {"F1": 126, "FXA": 179, "FXB": 180, "M": 193}
CARRY_IN, CARRY_PASS, CARRY_OUT = 355, 56, 328
CLOCK_TO_Q = 395
RAM_CLOCK_TO_Q = {"DOA": 4099, "DOB": 4263}

# Ports that are reached inside a slice, or by the chain.
NO_WIRE = ("FCI", "FXA", "FXB", "F1")
LUT_INPUTS = ("A", "B", "C", "D")
FF_ENDS = ("DI", "M", "CE", "LSR")

FAR = 1 << 30  # no requirement

GOAL_PS = 6_400  # 156.25 MHz
MOVES = 2_000  # tried for each group of cells
SEEDS = (1, 2)  # the longest path differs by a twentieth between them

BELS = tuple(f"SLICE{name}.{bel}" for name in "ABCD" for bel in ("K0", "K1", "FF0", "FF1"))
BELS += ("SLICEC.RAMW",)
# Kinds of cells, as anneal_placement.cpp has them.
CELLS = {"LOGIC": 0, "CCU2": 1, "DPRAM": 1, "RAMW_BLOCK": 1, "TRELLIS_FF": 2, "DP16KD": 3}
OTHER_CELL = 4

Tile = tuple[int, int]
Site = tuple[int, int, str]


class Shape(IntEnum):
    """Where a group may go: to any half of a slice, to any slice, elsewhere as it is in its slices,
    elsewhere with all of its tile, where another block RAM is, and nowhere."""

    HALF = 0
    SLICE = 1
    RIGID = 2
    TILE = 3
    RAM = 4
    FIXED = 5


@dataclass(frozen=True)
class Lateness:
    """What is too late by estimate: the longest path (ps), the sum of what ends are late by (ps),
    and how many ends are."""

    longest: int
    total: int
    ends: int


def wire(a: Tile, b: Tile) -> int:
    """A wire's delay to an input that is as good as any, in picoseconds."""
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    near = min(dx, NEAR) + min(dy, NEAR)
    return WIRE + WIRE_NEAR * near + WIRE_FAR * (dx + dy - near)


def site_of(cell: dict) -> Site | None:
    bel = cell["attributes"].get("NEXTPNR_BEL")
    if not bel:
        return None
    x, y, name = bel.split("/")
    return int(x[1:]), int(y[1:]), name


def tiles_of(design: dict) -> set[Tile]:
    """The tiles in which something stands in a slice."""
    (module,) = design["modules"].values()
    sites = (site_of(cell) for cell in module["cells"].values())
    return {site[:2] for site in sites if site and site[2].startswith("SLICE")}


class Placement:
    """A placed netlist: its cells, nets, places and times. `tiles` may be used besides those that
    are."""

    def __init__(self, design: dict, tiles: set[Tile] = frozenset()):
        (module,) = design["modules"].values()
        self.cells = list(module["cells"].values())
        self.names = list(module["cells"])
        self.kinds = [_kind(cell) for cell in self.cells]
        self.ports = [
            {p: bits[0] for p, bits in cell["connections"].items() if bits} for cell in self.cells
        ]
        self.at: list[Tile | None] = []
        self.bel: list[str] = []
        for cell in self.cells:
            site = site_of(cell)
            self.at.append(site[:2] if site else None)
            self.bel.append(site[2] if site else "")
        self.used = {
            (*self.at[i], self.bel[i]): i
            for i in range(len(self.cells))
            if self.bel[i].startswith("SLICE")
        }
        self.tiles = {site[:2] for site in self.used} | tiles
        self.ram_tiles = {
            site[:2]
            for site, i in self.used.items()
            if self.kinds[i] in ("TRELLIS_RAMW", "DPRAM", "RAMW_BLOCK")
        }
        self._find_nets()
        self._find_arcs()
        self._find_groups()
        self.arrival: dict[int, int] = {}
        self.required: dict[int, int] = {}

    # ---- The netlist ---------------------------------------------------------------------------

    def _find_nets(self) -> None:
        self.driver: dict[int, tuple[int, str]] = {}
        self.constants: dict[int, tuple[int, str]] = {}
        self.sinks: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for i, cell in enumerate(self.cells):
            for port, net in self.ports[i].items():
                if cell["port_directions"][port] != "output":
                    self.sinks[net].append((i, port))
                elif "$PACKER_" in self.names[i]:
                    self.constants[net] = (i, port)
                elif self.at[i] and self.kinds[i] not in ("DCCA", "TRELLIS_IO"):
                    # Neither clocks nor pins.
                    self.driver[net] = (i, port)

    def _find_arcs(self) -> None:
        """Of each net: from which net through which cell and port, in what time; and back."""
        self.into: dict[int, list[tuple[int, int, str, int]]] = {}
        self.out_of = defaultdict(list)
        self.ends: dict[int, list[tuple[int, str]]] = {}
        for net, (i, output) in self.driver.items():
            self.into[net] = [
                (self.ports[i][port], i, port, delay)
                for port, delay in _delays(self.kinds[i], output)
                if self.ports[i].get(port) in self.driver
            ]
            self.ends[net] = [
                (e, port)
                for e, port in self.sinks[net]
                if self.at[e] and _is_end(self.kinds[e], port)
            ]
        for net, arcs in self.into.items():
            for source, i, port, delay in arcs:
                self.out_of[source].append((net, i, port, delay))
        self.order = list(_ordered(self.into))

    def _find_groups(self) -> None:
        """Cells that move together, as what connects them leaves no other place to either: a
        look-up table and its flip-flop, those of a wide one, a carry chain; and RAM of look-up
        tables with all of its tile, but for flip-flops that are only there."""
        one_of = list(range(len(self.cells)))

        def root(cell: int) -> int:
            while one_of[cell] != cell:
                one_of[cell] = one_of[one_of[cell]]
                cell = one_of[cell]
            return cell

        for net, (driver, _) in (self.driver | self.constants).items():
            for sink, port in self.sinks[net]:
                if port in NO_WIRE or (port == "DI" and self.at[sink] == self.at[driver]):
                    one_of[root(sink)] = root(driver)
        first: dict[Tile, int] = {}
        for cell, tile in enumerate(self.at):
            if tile in self.ram_tiles and not self._is_alone(cell):
                one_of[root(cell)] = root(first.setdefault(tile, cell))
        together = defaultdict(list)
        for cell, tile in enumerate(self.at):
            if tile is not None:
                together[root(cell)].append(cell)
        self.groups = [(self._shape(cells), cells) for cells in together.values()]

    def _is_alone(self, cell: int) -> bool:
        """A flip-flop that is not loaded from beside it."""
        return self.kinds[cell] == "TRELLIS_FF" and "DI" not in self.ports[cell]

    def _shape(self, cells: list[int]) -> Shape:
        kinds = {self.kinds[i] for i in cells}
        if kinds == {"DP16KD"}:
            return Shape.RAM
        if len(cells) == 1 and self._is_alone(cells[0]):
            return Shape.HALF
        tiles = {self.at[i] for i in cells}
        if tiles & self.ram_tiles:
            return Shape.TILE if len(tiles) == 1 else Shape.FIXED
        if not kinds <= {"LOGIC", "CCU2", "TRELLIS_FF"}:
            return Shape.FIXED
        if "CCU2" in kinds or len({(self.at[i], self.bel[i].split(".")[0]) for i in cells}) > 1:
            return Shape.RIGID
        if len({self.bel[i][-1] for i in cells}) > 1:
            return Shape.SLICE
        return Shape.HALF

    # ---- Time ----------------------------------------------------------------------------------

    def wire(self, driver: int, sink: int, port: str) -> int:
        if self.is_inside(driver, sink, port):
            return 0
        return wire(self.at[driver], self.at[sink]) + self._input(sink, port)

    def _input(self, sink: int, port: str) -> int:
        return INPUTS.get(self.kinds[sink], {}).get(port, 0)

    def is_inside(self, driver: int, sink: int, port: str) -> bool:
        """It goes on inside its slice, or along a carry chain."""
        return port in NO_WIRE or (port == "DI" and self.at[driver] == self.at[sink])

    def analyse(self, goal: int) -> Lateness:
        """Find when each net arrives and when it is required, for a clock of `goal` picoseconds."""
        arrival, required = self.arrival, self.required
        for net in self.order:
            i, output = self.driver[net]
            latest = _start(self.kinds[i], output)
            for source, cell, port, delay in self.into[net]:
                time = arrival[source] + self.wire(self.driver[source][0], cell, port) + delay
                latest = max(latest, time)
            arrival[net] = latest
        longest = total = ends = 0
        for net in reversed(self.order):
            i, _ = self.driver[net]
            soonest = FAR
            for end, port in self.ends[net]:
                delay = self.wire(i, end, port)
                soonest = min(soonest, goal - delay)
                time = arrival[net] + delay
                longest = max(longest, time)
                if time > goal:
                    total += time - goal
                    ends += 1
            for behind, cell, port, delay in self.out_of[net]:
                soonest = min(soonest, required[behind] - delay - self.wire(i, cell, port))
            required[net] = soonest
        return Lateness(longest, total, ends)

    # ---- Moving --------------------------------------------------------------------------------

    def refine(
        self, goal: int = GOAL_PS, moves: int = MOVES, seeds: Sequence[int] = SEEDS
    ) -> Lateness:
        """Move what is late for a clock of `goal` picoseconds; `moves` for each group are tried.

        It is done from each seed, and the one with the shortest longest path is taken. What the
        program says of its placement is returned."""
        program = native.build("anneal_placement")
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(PROCESSES) as pool:
            before = Path(folder) / "before"
            before.write_text("\n".join(" ".join(map(str, row)) for row in self._rows()) + "\n")

            def anneal(seed: int) -> tuple[Lateness, Path]:
                after = Path(folder) / f"after_{seed}"
                command = [program, before, after, str(goal), str(moves), str(seed)]
                said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                return Lateness(*map(int, said.splitlines()[-1].split())), after

            late, after = min(
                pool.map(anneal, seeds), key=lambda one: (one[0].longest, one[0].total)
            )
            self._take(after.read_text().splitlines())
        return late

    def _take(self, rows: list[str]) -> None:
        """Put cells where anneal_placement.cpp has them."""
        rams = {self.at[i]: self.bel[i] for i, kind in enumerate(self.kinds) if kind == "DP16KD"}
        for shape, cells in self.groups:
            if shape != Shape.FIXED:
                for i in cells:
                    x, y, bel = map(int, rows[i].split())
                    self.at[i] = (x, y)
                    self.bel[i] = rams[x, y] if shape == Shape.RAM else BELS[bel]

    def _rows(self) -> Iterator[tuple]:
        """What anneal_placement.cpp reads, which says what it is."""
        nets = {net: n for n, net in enumerate(self.order)}
        connections, arcs = {}, []
        for net in self.order:
            for sink, port in self.sinks[net]:
                if self.at[sink]:
                    connections[net, sink, port] = len(connections)
        for net, into in self.into.items():
            for source, i, port, delay in into:
                arcs.append((connections[source, i, port], nets[net], delay))
        width = 1 + max(at[0] for at in self.at if at)
        height = 1 + max(at[1] for at in self.at if at)
        tiles = sorted(self.tiles)
        yield WIRE, NEAR, WIRE_NEAR, WIRE_FAR, width, height
        yield len(tiles), len(self.cells), len(self.groups), len(nets), len(connections), len(arcs)
        yield from tiles
        controls, resets = defaultdict(count().__next__), defaultdict(count().__next__)
        for i, kind in enumerate(self.kinds):
            x, y = self.at[i] or (0, 0)
            bel = (
                BELS.index(self.bel[i]) if self.bel[i] in BELS and self.at[i] in self.tiles else -1
            )
            control = reset = 0
            if kind == "TRELLIS_FF":
                control, reset = controls[self._control_of(i)], resets[self.reset_of(i)]
            uses_m = "M" in self.ports[i]
            yield CELLS.get(kind, OTHER_CELL), x, y, bel, control, reset, int(uses_m)
        for shape, cells in self.groups:
            yield shape, len(cells), *cells
        for net in self.order:
            driver, output = self.driver[net]
            yield driver, _start(self.kinds[driver], output)
        for net, sink, port in connections:
            driver, _ = self.driver[net]
            yield (
                nets[net],
                sink,
                int(self.is_inside(driver, sink, port)),
                int(_is_end(self.kinds[sink], port)),
                self._input(sink, port),
            )
        yield from arcs

    def reset_of(self, ff: int) -> tuple:
        parameters = self.cells[ff]["parameters"]
        return self.ports[ff].get("LSR"), parameters.get("LSRMUX"), parameters.get("SRMODE")

    def _control_of(self, ff: int) -> tuple:
        parameters = self.cells[ff]["parameters"]
        return (
            *self.reset_of(ff),
            *(self.ports[ff].get(port) for port in ("CLK", "CE")),
            *(parameters.get(name) for name in ("CLKMUX", "CEMUX", "GSR")),
        )

    def write(self) -> None:
        """Put the places into the design that was read."""
        for shape, cells in self.groups:
            if shape != Shape.FIXED:
                for i in cells:
                    x, y = self.at[i]
                    self.cells[i]["attributes"]["NEXTPNR_BEL"] = f"X{x}/Y{y}/{self.bel[i]}"


def _kind(cell: dict) -> str:
    """Its type, and of logic the mode of its half of a slice."""
    if cell["type"] != "TRELLIS_COMB":
        return cell["type"]
    return cell["parameters"].get("MODE") or "LOGIC"


def _start(kind: str, output: str) -> int:
    """When an output is there after the clock, of what has no inputs to wait for."""
    if kind == "DP16KD":
        return RAM_CLOCK_TO_Q[output[:3]]
    return CLOCK_TO_Q if kind == "TRELLIS_FF" else 0


def _is_end(kind: str, port: str) -> bool:
    if kind == "TRELLIS_FF":
        return port in FF_ENDS
    if kind == "DP16KD":
        return "CLK" not in port
    return kind == "TRELLIS_RAMW" or (kind == "DPRAM" and port == "WRE")


def _delays(kind: str, output: str) -> list[tuple[str, int]]:
    """Through a cell: from which inputs to the output, in how many picoseconds."""
    if kind == "CCU2":
        own, chain = (CARRY_IN, CARRY_PASS) if output == "FCO" else (LUT, CARRY_OUT)
        return [*((port, own) for port in LUT_INPUTS), ("FCI", chain)]
    if kind not in ("LOGIC", "DPRAM"):
        return []
    if output == "F":
        return [(port, LUT) for port in LUT_INPUTS]
    return [*((port, WIDE_LUT) for port in LUT_INPUTS), *WIDE_INPUTS.items()]


def _ordered(into: dict[int, list[tuple]]) -> Iterator[int]:
    """Nets in an order in which each comes behind those it waits for."""
    seen = set()
    for root in into:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(into[root]))]
        while stack:
            net, sources = stack[-1]
            source = next((s for s, *_ in sources if s not in seen), None)
            if source is None:
                yield net
                stack.pop()
            else:
                seen.add(source)
                stack.append((source, iter(into[source])))
