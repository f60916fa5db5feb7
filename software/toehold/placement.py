# SPDX-License-Identifier: Apache-2.0
"""What nextpnr placed for an ECP5, with cells moved to where they make less of a path late.

nextpnr's electrostatic placer weighs a wire by how late it is where it moves the wire's end, and
where it moves the driver only if that has few ends (docs/theory/timing.md). So a condition of many
ends stands where most of them are, however far what it waits for is, and whoever waits for it. Here
each such cell is tried at places on the way between its latest input and its most urgent end, with
nextpnr's own estimate of a wire's delay, and moved where the worst slack through it gets better.

Moved are look-up tables of four and of five inputs, flip-flops, and a look-up table with its
flip-flop. Carry chains, RAM and wider multiplexers stay. A place is taken only if it is legal as
nextpnr has it: of a tile's flip-flops two resets at most, of a slice's one control set, and one use
of each M.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

# Picoseconds of speed grade 8, as nextpnr estimates them: a wire by the tiles between its ends, and
# cells from any input to an output.
WIRE = 76
LUT, WIDE_LUT, WIDE_SELECT = 180, 350, 170
CARRY_IN, CARRY_PASS, CARRY_OUT = 355, 28, 328
CLOCK_TO_Q, RAM_CLOCK_TO_Q = 395, 4200

# Ports that are reached inside a slice, or by the chain.
NO_WIRE = ("FCI", "FXA", "FXB", "F1")
LUT_INPUTS = ("A", "B", "C", "D")
FF_ENDS = ("DI", "M", "CE", "LSR")

FAR = 1 << 30  # no requirement
LEAST_GAIN = 100  # ps; less is within what the router changes
NEAR = 6  # tiles around a wished place in which a free one is looked for
TRIED = 4  # free places that are compared there

# A goal after the other, so that the latest are helped first; each so many times.
GOALS_PS = (11_000, 10_000, 9_500, 9_000, 8_500, 8_000)
SWEEPS = 3

Tile = tuple[int, int]
Site = tuple[int, int, str]


@dataclass(frozen=True)
class Lateness:
    """What is too late by estimate: the longest path (ps), the sum of what ends are late by (ps),
    and how many ends are."""

    longest: int
    total: int
    ends: int


def wire(a: Tile, b: Tile) -> int:
    """nextpnr's estimate of a wire's delay, in picoseconds."""
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    return WIRE * (6 + max(dx - 5, 0) + max(dy - 5, 0) + 2 * (min(dx, 5) + min(dy, 5)))


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
        self.sinks: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for i, cell in enumerate(self.cells):
            for port, net in self.ports[i].items():
                if cell["port_directions"][port] != "output":
                    self.sinks[net].append((i, port))
                elif (
                    self.at[i]
                    and self.kinds[i] not in ("DCCA", "TRELLIS_IO")
                    and "$PACKER_" not in self.names[i]
                ):
                    # Neither clocks nor pins nor constants.
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
        """Cells that move together, by each of them: a look-up table, its other half, its
        flip-flop."""
        self.group: dict[int, list[int]] = {}
        for i, kind in enumerate(self.kinds):
            if self.at[i] is None:
                continue
            group = None
            if kind == "LOGIC" and not {"FXA", "FXB", "FCI", "FCO"} & set(self.ports[i]):
                group = self._wide_lut(i) if "OFX" in self.ports[i] else self._lut(i)
            elif kind == "TRELLIS_FF" and "M" in self.ports[i] and "DI" not in self.ports[i]:
                group = [i]
            for cell in group or []:
                self.group[cell] = group

    def _lut(self, i: int) -> list[int] | None:
        ports = self.ports[i]
        if "F" not in ports or {"M", "F1"} & set(ports) or self._is_fixed(ports["F"]):
            return None
        behind = self._flip_flops(i, "F")
        return [i, *behind] if len(behind) <= 1 else None

    def _wide_lut(self, i: int) -> list[int] | None:
        ports = self.ports[i]
        if ports.get("F1") not in self.driver or self._is_fixed(ports["OFX"]):
            return None
        other, _ = self.driver[ports["F1"]]
        if {"FXA", "FXB", "FCI", "M", "OFX"} & set(self.ports[other]):
            return None
        if len(self.sinks[ports["F1"]]) != 1 or self.sinks.get(ports.get("F")):
            return None
        behind = self._flip_flops(i, "OFX")
        group = [i, other, *behind]
        slices = {(self.at[c], self.bel[c].split(".")[0]) for c in group}
        bels = [self.bel[c].split(".")[1] for c in group]
        return group if len(slices) == 1 and bels == ["K0", "K1", "FF0"][: len(group)] else None

    def _is_fixed(self, net: int) -> bool:
        """It goes on inside its slice."""
        return any(port in NO_WIRE for _, port in self.sinks[net])

    def _flip_flops(self, i: int, output: str) -> list[int]:
        sinks = self.sinks[self.ports[i][output]]
        return [e for e, port in sinks if port == "DI" and self.at[e] == self.at[i]]

    def _is_wide(self, group: list[int]) -> bool:
        return len(group) > 1 and self.kinds[group[1]] == "LOGIC"

    # ---- Time ----------------------------------------------------------------------------------

    def wire(self, driver: int, sink: int, port: str) -> int:
        a, b = self.at[driver], self.at[sink]
        return 0 if port in NO_WIRE or (port == "DI" and a == b) else wire(a, b)

    def analyse(self, goal: int) -> Lateness:
        """Find when each net arrives and when it is required, for a clock of `goal` picoseconds."""
        arrival, required = self.arrival, self.required
        for net in self.order:
            i, _ = self.driver[net]
            latest = _start(self.kinds[i])
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

    def _around(self, group: list[int], goal: int) -> tuple[list, list]:
        """What a group waits for: places, arrivals, whether it ends there; and who waits for it:
        for which of its cells, at what place, and when it is required there."""
        inside, waits, waited = set(group), [], []
        extra = WIDE_SELECT if self._is_wide(group) else 0
        for cell in group:
            is_ff = self.kinds[cell] == "TRELLIS_FF"
            for port, net in self.ports[cell].items():
                if net not in self.driver:
                    continue
                i, _ = self.driver[net]
                if i == cell:
                    for end, _ in self.ends[net]:
                        if end not in inside:
                            waited.append((cell, self.at[end], goal))
                    for behind, end, _, delay in self.out_of[net]:
                        if end not in inside:
                            waited.append((cell, self.at[end], self.required[behind] - delay))
                elif i not in inside and (not is_ff or port in FF_ENDS):
                    waits.append((self.at[i], self.arrival[net] + (0 if is_ff else extra), is_ff))
        return waits, waited

    def _slack(self, group: list[int], waits: list, waited: list, at: Tile, goal: int) -> int:
        """The worst slack through a group if it stood there."""
        slack, latest = FAR, 0
        for place, arrives, is_ff in waits:
            time = arrives + wire(place, at)
            if is_ff:
                slack = min(slack, goal - time)
            else:
                latest = max(latest, time + LUT)
        if len(group) > 1 and self.kinds[group[-1]] == "TRELLIS_FF":
            slack = min(slack, goal - latest)
        for cell, place, required in waited:
            time = CLOCK_TO_Q if self.kinds[cell] == "TRELLIS_FF" else latest
            slack = min(slack, required - time - wire(at, place))
        return slack

    # ---- Places --------------------------------------------------------------------------------

    def _reset_of(self, ff: int) -> tuple:
        return self.ports[ff].get("LSR"), self.cells[ff]["parameters"].get("LSRMUX")

    def _resets(self, tile: Tile, without: list[int]) -> set[tuple]:
        found = set()
        for name in "ABCD":
            for bel in ("FF0", "FF1"):
                i = self.used.get((*tile, f"SLICE{name}.{bel}"))
                if i is not None and i not in without:
                    found.add(self._reset_of(i))
        return found

    def free(self, group: list[int], tile: Tile) -> list[str] | None:
        """Bels of the tile in which the group may stand, if there are any."""
        if tile not in self.tiles or tile in self.ram_tiles:
            return None
        flip_flop = group[-1] if self.kinds[group[-1]] == "TRELLIS_FF" else None
        if flip_flop is not None:
            resets = self._resets(tile, group) | {self._reset_of(flip_flop)}
            if len(resets) > 2:
                return None
        for name in "ABCD":
            bels = [f"SLICE{name}.{bel}" for bel in ("K0", "K1", "FF0", "FF1")]
            there = [self.used.get((*tile, bel)) for bel in bels]
            there = [None if i in group else i for i in there]
            luts = [i for i in there[:2] if i is not None]
            if any(self.kinds[i] != "LOGIC" for i in luts):
                continue
            if self._is_wide(group):
                if not any(i is not None for i in there):
                    return bels[: len(group)]
                continue
            if flip_flop is None:
                if None in there[:2]:
                    return [bels[there.index(None)]]
                continue
            if there[2] is not None or there[3] is not None:
                continue
            if any({"M", "OFX"} & set(self.ports[i]) for i in luts):
                continue
            if len(group) == 1:
                return [bels[2]]
            if None in there[:2]:
                free = there.index(None)
                return [bels[free], bels[2 + free]]
        return None

    def move(self, group: list[int], tile: Tile, bels: list[str]) -> None:
        for cell in group:
            del self.used[*self.at[cell], self.bel[cell]]
        for cell, bel in zip(group, bels, strict=True):
            self.at[cell], self.bel[cell] = tile, bel
            self.used[*tile, bel] = cell

    def _wished(self, group: list[int], waits: list, waited: list) -> set[Tile]:
        """Places to try: from the latest input on, towards the most urgent end and where it is."""
        here = self.at[group[0]]
        latest = max(waits, key=lambda item: item[1] + wire(item[0], here))[0]
        towards = [here]
        if waited:
            towards.append(min(waited, key=lambda item: item[2] - wire(here, item[1]))[1])
            urgent = sorted(waited, key=lambda item: item[2])[:8]
            middle = len(urgent) // 2
            towards.append(
                (
                    sorted(place[0] for _, place, _ in urgent)[middle],
                    sorted(place[1] for _, place, _ in urgent)[middle],
                )
            )
        return {
            (
                round(latest[0] + (x - latest[0]) * quarter / 4),
                round(latest[1] + (y - latest[1]) * quarter / 4),
            )
            for x, y in towards
            for quarter in range(5)
        }

    def _better(self, group: list[int], goal: int) -> tuple[Tile, list[str]] | None:
        """A free place at which the worst slack through a group is better by LEAST_GAIN."""
        waits, waited = self._around(group, goal)
        if not waits:
            return None
        slack = self._slack(group, waits, waited, self.at[group[0]], goal)
        if slack >= 0:
            return None
        best, found = slack + LEAST_GAIN, None
        ranked = sorted(
            (self._slack(group, waits, waited, tile, goal), tile)
            for tile in self._wished(group, waits, waited)
        )
        for wished, (x, y) in ranked[:-4:-1]:
            if wished <= slack + LEAST_GAIN:
                break
            tried = 0
            for dx, dy in RING:
                tile = (x + dx, y + dy)
                bels = self.free(group, tile)
                if bels is None:
                    continue
                reached = self._slack(group, waits, waited, tile, goal)
                if reached > best:
                    best, found = reached, (tile, bels)
                tried += 1
                if tried == TRIED:
                    break
        return found

    def sweep(self, goal: int) -> int:
        """Try every cell on a path that is late, the latest first; how many groups were moved."""
        late = []
        for net in self.order:
            slack = self.required[net] - self.arrival[net]
            if slack < 0:
                flip_flops = (e for e, _ in self.sinks[net] if self.kinds[e] == "TRELLIS_FF")
                late += [(slack, cell) for cell in (self.driver[net][0], *flip_flops)]
        seen, moved = set(), 0
        for _, cell in sorted(late):
            group = self.group.get(cell)
            if group is None or group[0] in seen:
                continue
            seen.add(group[0])
            found = self._better(group, goal)
            if found:
                self.move(group, *found)
                moved += 1
        return moved

    def refine(self, goals: tuple[int, ...] = GOALS_PS, sweeps: int = SWEEPS) -> None:
        """Move what is late for each goal after the other. A sweep that made it worse is undone."""
        for goal in goals:
            best = self.analyse(goal)
            kept = self._places()
            for _ in range(sweeps):
                if not self.sweep(goal):
                    break
                reached = self.analyse(goal)
                if (reached.total, reached.longest) < (best.total, best.longest):
                    best, kept = reached, self._places()
            self.at, self.bel, self.used = kept

    def _places(self) -> tuple[list, list, dict]:
        return list(self.at), list(self.bel), dict(self.used)

    def write(self) -> None:
        """Put the places into the design that was read."""
        for cell in self.group:
            x, y = self.at[cell]
            self.cells[cell]["attributes"]["NEXTPNR_BEL"] = f"X{x}/Y{y}/{self.bel[cell]}"


RING = sorted(
    ((dx, dy) for dx in range(-NEAR, NEAR + 1) for dy in range(-NEAR, NEAR + 1)),
    key=lambda step: abs(step[0]) + abs(step[1]),
)


def _kind(cell: dict) -> str:
    """Its type, and of logic the mode of its half of a slice."""
    if cell["type"] != "TRELLIS_COMB":
        return cell["type"]
    return cell["parameters"].get("MODE") or "LOGIC"


def _start(kind: str) -> int:
    return {"TRELLIS_FF": CLOCK_TO_Q, "DP16KD": RAM_CLOCK_TO_Q}.get(kind, 0)


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
    return [
        *((port, WIDE_LUT) for port in LUT_INPUTS),
        *((port, WIDE_SELECT) for port in ("FXA", "FXB", "F1", "M")),
    ]


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
