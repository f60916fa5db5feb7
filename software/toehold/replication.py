# SPDX-License-Identifier: Apache-2.0
"""Copies of what leads to many places: each serves the ends that are near each other.

nextpnr's router joins a further end of a net to the wire of that net that is nearest, however late
the signal is there. So from end to end a condition with hundreds of them takes three times what it
would to each by itself (docs/theory/timing.md), and where it is estimated to come in time it is the
slowest in the part. Here each flip-flop or look-up table whose net goes to more than a few tiles,
and is not early, gets copies: equal ones, with the same inputs. Register duplication, or fan-out
optimization, is what the field calls it.
"""

import copy
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import count

from toehold.placement import FAR, GOAL_PS, Placement, Tile, wire

# A net with ends in more tiles is split, if by estimate a path through it takes so long (ps).
TILES_MOST = 16
EARLY_PS = GOAL_PS - 1_500

# So far from the middle of its ends a copy is looked a place for, in tiles.
FARTHEST = 40

MARK = "_copy_"  # in names
OUTPUTS = {"LOGIC": "F", "TRELLIS_FF": "Q"}
SLICES, RESETS_MOST = "ABCD", 2  # of a tile


def replicate(design: dict, tiles: set[Tile] = frozenset()) -> int:
    """Put copies into a placed netlist, in slices that are free, and return how many cells that is.
    `tiles` may be used besides those that are."""
    copies = 0
    # Copies are further ends of what their original asks, and that may have many then.
    while any(more := [_Replication(design, tiles).run(*one) for one in OUTPUTS.items()]):
        copies += sum(more)
    return copies


def share_ends(design: dict) -> int:
    """Where cells have moved: give each end to that of equal cells from which the signal comes
    first, and return how many ends have changed."""
    places, changed = Placement(design), 0
    places.analyse(GOAL_PS)
    equal = defaultdict(list)
    for net, (driver, output) in places.driver.items():
        if OUTPUTS.get(places.kinds[driver]) == output:
            equal[places.names[driver].partition(MARK)[0]].append(net)

    def comes(sink: int, net: int) -> int:
        driver, _ = places.driver[net]
        return places.arrival[net] + wire(places.at[driver], places.at[sink])

    for nets in equal.values():
        if len(nets) == 1:
            continue
        for net in nets:
            for sink, port in _ends(places, net):
                first = min(nets, key=partial(comes, sink))
                if comes(sink, first) < comes(sink, net):
                    places.cells[sink]["connections"][port] = [first]
                    changed += 1
    return changed


def _ends(places: Placement, net: int) -> Iterator[tuple[int, str]]:
    """Of a net: what a wire leads to, and not what is inside its driver's slice."""
    driver, _ = places.driver[net]
    for sink, port in places.sinks[net]:
        if places.at[sink] and not places.is_inside(driver, sink, port):
            yield sink, port


class _Replication:
    def __init__(self, design: dict, tiles: set[Tile]):
        (self.module,) = design["modules"].values()
        self.places = Placement(design, tiles)
        self.places.analyse(GOAL_PS)
        names = self.module["netnames"].values()
        self.nets = count(1 + max(bit for n in names for bit in n["bits"] if isinstance(bit, int)))
        self.taken = {(x, y, bel.split(".")[0]) for x, y, bel in self.places.used}
        self.resets: dict[Tile, set] = defaultdict(set)
        for i, kind in enumerate(self.places.kinds):
            if kind == "TRELLIS_FF":
                self.resets[self.places.at[i]].add(self.places.reset_of(i))

    def run(self, kind: str, output: str) -> int:
        places, copies = self.places, 0
        for net, (driver, port) in list(places.driver.items()):
            if places.kinds[driver] != kind or port != output or not self._may_be_copied(driver):
                continue
            ends: dict[Tile, list[tuple[int, str]]] = {}
            for sink, sink_port in _ends(places, net):
                ends.setdefault(places.at[sink], []).append((sink, sink_port))
            if len(ends) <= TILES_MOST or self._longest(net) < EARLY_PS:
                continue
            parts = sorted(
                _parts(list(ends)), key=lambda p: _distance(_middle(p), places.at[driver])
            )
            for part in parts[1:]:
                found = self._copy(driver, output, _middle(part))
                if found is None:
                    break
                for tile in part:
                    for sink, sink_port in ends[tile]:
                        places.cells[sink]["connections"][sink_port] = [found]
                copies += 1
        return copies

    def _may_be_copied(self, driver: int) -> bool:
        ports = self.places.ports[driver]
        if self.places.kinds[driver] == "LOGIC":
            return "OFX" not in ports
        source = self._source(driver)
        return source is not None and source not in self.places.constants

    def _source(self, ff: int) -> int | None:
        ports = self.places.ports[ff]
        return ports.get("DI", ports.get("M"))

    def _longest(self, net: int) -> int:
        """What the longest path through a net takes, in picoseconds."""
        required = self.places.required[net]
        return 0 if required == FAR else self.places.arrival[net] + GOAL_PS - required

    def _copy(self, original: int, output: str, middle: Tile) -> int | None:
        """A copy near `middle`, and its net; None if there is no place."""
        places = self.places
        is_ff = places.kinds[original] == "TRELLIS_FF"
        reset = places.reset_of(original) if is_ff else None
        site = next(self._free_slices(middle, reset), None)
        if site is None:
            return None
        x, y, name = site
        self.taken.add(site)
        if is_ff:
            self.resets[x, y].add(reset)
        net, cell = next(self.nets), copy.deepcopy(places.cells[original])
        cell["attributes"]["NEXTPNR_BEL"] = f"X{x}/Y{y}/{name}.{'FF0' if is_ff else 'K0'}"
        cell["connections"][output] = [net]
        if is_ff:
            # There is no look-up table beside it.
            cell["connections"].pop("DI", None)
            cell["port_directions"].pop("DI", None)
            cell["connections"]["M"] = [self._source(original)]
            cell["port_directions"]["M"] = "input"
            cell["parameters"]["SD"] = "0 "
        family = f"{places.names[original].partition(MARK)[0]}{MARK}"
        full = next(n for i in count() if (n := f"{family}{i}") not in self.module["cells"])
        self.module["cells"][full] = cell
        self.module["netnames"][full] = {"hide_name": 0, "bits": [net], "attributes": {}}
        return net

    def _free_slices(self, middle: Tile, reset: tuple | None) -> Iterator[tuple[int, int, str]]:
        """From the middle outwards; the flip-flops of a tile have two resets at most."""
        places = self.places
        tiles = [t for t in places.tiles - places.ram_tiles if _distance(t, middle) <= FARTHEST]
        for x, y in sorted(tiles, key=lambda tile: _distance(tile, middle)):
            if reset is None or len(self.resets[x, y] | {reset}) <= RESETS_MOST:
                free = ((x, y, f"SLICE{s}") for s in SLICES)
                yield from (site for site in free if site not in self.taken)


def _distance(a: Tile, b: Tile) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _middle(tiles: list[Tile]) -> Tile:
    xs, ys = zip(*tiles, strict=True)
    return sorted(xs)[len(xs) // 2], sorted(ys)[len(ys) // 2]


def _parts(tiles: list[Tile]) -> list[list[Tile]]:
    """Split where they are farthest apart, into equal halves, until each has few."""
    if len(tiles) <= TILES_MOST:
        return [tiles]
    axis = max((0, 1), key=lambda a: max(t[a] for t in tiles) - min(t[a] for t in tiles))
    tiles = sorted(tiles, key=lambda tile: (tile[axis], tile[1 - axis]))
    half = len(tiles) // 2
    return _parts(tiles[:half]) + _parts(tiles[half:])
