# SPDX-License-Identifier: Apache-2.0
"""Late cells are moved to places that nextpnr takes, and what it routes gets faster."""

import copy
import json
import random
import re
import subprocess
from collections import Counter

import pytest

from support.placed_netlists import (
    legal,
    place_by_nextpnr,
    place_far_apart,
    routed_by_nextpnr,
    scatter,
)
from toehold import native, placement, synth

# Sums, wide conditions, RAM of look-up tables and in blocks, flip-flops with resets and enables.
SOURCE = """
module harness (input logic clk_pin, input logic stimulus_pin, output logic observed_pin);
  logic [63:0] a_q, b_q;
  logic [31:0] sum_q;
  logic [15:0] memory[16], read_q;
  logic [15:0] one[1024], other[1024], one_q, other_q;
  logic late_q, reset_q;
  always_ff @(posedge clk_pin) begin
    a_q <= {a_q[62:0], stimulus_pin ^ a_q[63]};
    b_q <= b_q[7:0] == a_q[7:0] || late_q ? a_q ^ {b_q[0], b_q[63:1]} : b_q;
    if (b_q[40] & a_q[3]) sum_q <= sum_q + b_q[31:0];
    if (late_q) sum_q <= '0;
    memory[a_q[3:0]] <= b_q[15:0];
    read_q <= memory[b_q[3:0]];
    one[a_q[9:0]] <= b_q[15:0];
    one_q <= one[b_q[9:0]];
    other[a_q[19:10]] <= b_q[31:16];
    other_q <= other[b_q[19:10]];
    late_q <= ^(sum_q[15:0] & read_q) | (&a_q[50:40]);
    reset_q <= a_q[5];
    if (reset_q) b_q[63:32] <= '0;
    observed_pin <= ^{sum_q, b_q, read_q, one_q, other_q};
  end
endmodule
"""


@pytest.fixture(scope="module")
def placed(tmp_path_factory):
    """As nextpnr placed it."""
    folder = tmp_path_factory.mktemp("placement")
    place_by_nextpnr(SOURCE, folder)
    return folder


@pytest.fixture
def scattered(placed):
    """With each group that needs no more than a slice in a tile of its own, anywhere: nearly all of
    it is late."""
    places = read(placed)
    places.tiles |= {(x, y) for x in range(2, 120, 2) for y in range(26, 46, 3)}
    tiles = sorted(places.tiles - {at for at in places.at if at})
    random.Random(5).shuffle(tiles)
    scatter(places, tiles)
    return places


def read(folder) -> placement.Placement:
    return placement.Placement(json.loads((folder / "placed.json").read_text()))


def test_what_nextpnr_placed_is_legal(placed):
    places = read(placed)
    assert legal(places)
    found = {shape: 0 for shape in placement.Shape}
    for shape, cells in places.groups:
        found[shape] += 1
        if shape == placement.Shape.RIGID:
            assert {places.kinds[i] for i in cells} & {"CCU2", "LOGIC"}
    assert found[placement.Shape.HALF] > 100
    assert all(found.values())


def test_scattered_cells_come_together(scattered, placed):
    assert legal(scattered)
    goal = 4000
    before = scattered.analyse(goal)
    routed_before = routed_by_nextpnr(scattered, placed)
    scattered.refine(goal)
    after = scattered.analyse(goal)
    assert legal(scattered)
    assert after.total < before.total * 0.6 and after.longest < before.longest * 0.6
    assert routed_by_nextpnr(scattered, placed) < routed_before * 0.8


def test_groups_stay_together(scattered):
    """A carry chain keeps its shape, and what is in a tile with RAM stays beside it."""
    kept = (placement.Shape.RIGID, placement.Shape.TILE)

    def shapes():
        for shape, cells in scattered.groups:
            if shape in kept:
                x, y = scattered.at[cells[0]]
                where = ((*scattered.at[i], scattered.bel[i]) for i in cells)
                yield [(at[0] - x, at[1] - y, at[2]) for at in where]

    def places():
        return [scattered.at[cells[0]] for shape, cells in scattered.groups if shape in kept]

    shapes_before, places_before = list(shapes()), places()
    scattered.refine(4000)
    assert list(shapes()) == shapes_before
    assert places() != places_before
    together = [cells for shape, cells in scattered.groups if shape in kept]
    kinds = {scattered.kinds[i] for cells in together for i in cells}
    assert {"CCU2", "DPRAM", "TRELLIS_RAMW"} <= kinds


def test_what_has_been_moved_is_moved_again_if_that_is_better(tmp_path, monkeypatch):
    """The better one is kept, with what is known of it."""
    design = place_far_apart(SOURCE, tmp_path, 120, 46)
    first, second, third, told = (tmp_path / f"{n}.json" for n in ("first", "second", "third", "t"))
    first.write_text(json.dumps(design))
    told.write_text(json.dumps({"copies": 3, "placed_ns": 99.0, "moved_ns": 88.0}))

    def again(moved, settled):
        found = settled.with_suffix(".estimates")
        assert synth.move_again(tmp_path / "placed.json", moved, told, settled, found)
        places = placement.Placement(json.loads(settled.read_text()))
        assert legal(places)
        ns = places.analyse(placement.GOAL_PS).longest / 1000
        assert json.loads(found.read_text()) == {"copies": 3, "placed_ns": 99.0, "moved_ns": ns}
        return ns

    before = placement.Placement(design).analyse(placement.GOAL_PS).longest / 1000
    assert again(first, second) < 0.8 * before

    def worse(places, goal, seeds):
        tiles = sorted({at for at in places.at if at})
        random.Random(1).shuffle(tiles)
        scatter(places, len(places.groups) * tiles)

    monkeypatch.setattr(placement.Placement, "refine", worse)
    again(second, third)
    assert third.read_text() == second.read_text()


def test_a_flip_flop_leaves_a_tile_with_ram(placed):
    """What is only there does not have to go where the RAM goes."""
    design = json.loads((placed / "placed.json").read_text())
    places = placement.Placement(design)
    ram = next(i for i, kind in enumerate(places.kinds) if kind == "TRELLIS_RAMW")
    tile = places.at[ram]
    free = [b for b in placement.BELS if "FF" in b and (*tile, b) not in places.used]
    guest = next(
        i
        for i, kind in enumerate(places.kinds)
        if kind == "TRELLIS_FF" and "DI" not in places.ports[i] and places.at[i] != tile
    )
    places.cells[guest]["attributes"]["NEXTPNR_BEL"] = f"X{tile[0]}/Y{tile[1]}/{free[0]}"
    places = placement.Placement(design)
    assert places.at[guest] == places.at[ram]
    (shape,) = [shape for shape, cells in places.groups if guest in cells]
    assert shape == placement.Shape.HALF
    places.refine(2000, seeds=[1])
    assert legal(places)
    assert places.at[guest] != places.at[ram]


def test_the_same_seed_gives_the_same_places(placed):
    first, again, other = read(placed), read(placed), read(placed)
    first.refine(4000, moves=50, seeds=[1])
    again.refine(4000, moves=50, seeds=[1])
    other.refine(4000, moves=50, seeds=[2])
    assert first.at == again.at and first.bel == again.bel
    assert first.at != other.at


def test_of_several_seeds_the_fastest_is_taken(scattered):
    def late(*seeds: int) -> placement.Lateness:
        places = copy.deepcopy(scattered)
        said = places.refine(4000, moves=20, seeds=seeds)
        assert said == places.analyse(4000)
        return said

    one_by_one = [late(seed) for seed in (1, 2, 3)]
    assert len({one.longest for one in one_by_one}) > 1
    assert late(1, 2, 3) == min(one_by_one, key=lambda one: (one.longest, one.total))


@pytest.mark.parametrize("moves", [0, 30])
def test_the_program_times_as_this_does(scattered, moves):
    """What it says of where it has put cells is what is found when they are read back."""
    assert scattered.refine(4000, moves=moves, seeds=[1]) == scattered.analyse(4000)


def test_what_is_early_stays(placed):
    places = read(placed)
    before = [*places.at], [*places.bel]
    places.refine(100_000)
    assert (places.at, places.bel) == before


def test_times_are_near_those_of_nextpnr(placed):
    """The longest path of its placement, as it says before it routes; by its estimate wires are
    slower than those that it lays for their own delay."""
    places = read(placed)
    command = [*synth.PART, "--json", "harness.json", "--seed", "1", "--timing-allow-fail"]
    synth.yowasp(
        "nextpnr-ecp5", [*command, "--lpf-allow-unconstrained", "--log", "all.log"], placed
    )
    said = re.findall(
        r"Max frequency for clock[^:]*: ([\d.]+) MHz", (placed / "all.log").read_text()
    )
    longest, theirs = places.analyse(4000).longest / 1000, 1000 / float(said[0])
    assert theirs * 0.85 < longest < theirs * 1.1


def delays_of_nextpnr(folder) -> dict[tuple[str, str, str], int]:
    """Of its file of delays: picoseconds at most through a cell, from its input or clock to its
    output."""
    options = ["--no-pack", "--no-place", "--no-route", "--sdf", "delays.sdf"]
    synth.yowasp("nextpnr-ecp5", [*synth.PART, "--json", "placed.json", *options], folder)
    delays, cell = {}, ""
    for line in (folder / "delays.sdf").read_text().replace("\\", "").splitlines():
        if found := re.search(r"\(INSTANCE (\S+)\)", line):
            cell = found[1]
        elif found := re.search(r"\(IOPATH (\S+) (\S+) \(\d+:\d+:(\d+)\)", line):
            delays[cell, found[1], found[2]] = int(found[3])
    return delays


def test_cells_take_what_nextpnr_says(placed):
    places, delays = read(placed), delays_of_nextpnr(placed)
    places.analyse(4000)
    clocks = {"TRELLIS_FF": ["CLK"], "DP16KD": ["CLKA", "CLKB"]}
    compared = set()
    for net, (i, output) in places.driver.items():
        kind, name = places.kinds[i], places.names[i].replace("\\", "")
        if kind in clocks:
            ways = [(name, clock, output) for clock in clocks[kind]]
            assert places.arrival[net] == max(delays.get(way, 0) for way in ways), name
            compared.add((kind, output[:3]))
        for _, _, port, delay in places.into[net]:
            assert delay == delays[name, port, output], (name, port, output)
            compared.add((kind, port, output))
    assert compared >= {
        *(("CCU2", port, "F") for port in ("A", "FCI")),
        *(("CCU2", port, "FCO") for port in ("A", "FCI")),
        *(("LOGIC", port, "OFX") for port in ("A", "M", "F1", "FXA", "FXB")),
        *(("LOGIC", "A", "F"), ("DPRAM", "A", "F"), ("TRELLIS_FF", "Q"), ("DP16KD", "DOB")),
    }


def annealed_band(folder, lines: int) -> list[int]:
    """So many look-up tables between fixed cells, from left to right through a band of eight rows:
    in which rows they are after annealing. Their own places are at one side."""
    left, right, rows = 4, 44, range(24, 32)
    ends = [((left, rows[i % len(rows)]), (right, rows[i % len(rows)])) for i in range(lines)]
    wires = [([source], end) for source, end in ends]
    return [y for _, y in annealed_between(folder, wires, rows)]


def annealed_between(folder, wires: list[tuple], rows: range) -> list[tuple[int, int]]:
    """Where look-up tables are after annealing that have these sources and these ends."""
    drawn = Drawn([(x, y) for x in range(8, 41) for y in range(8, 48)])
    slots = iter(
        [(x, y, bel) for y in rows for x in range(8, 41) for bel in range(16) if bel % 4 < 2]
    )
    tables = []
    for sources, end in wires:
        table, output = drawn.table(next(slots), [drawn.net(drawn.fixed(*at)) for at in sources])
        drawn.end(output, drawn.fixed(*end))
        tables.append(table)
    places = drawn.annealed(folder)
    return [places[i] for i in tables]


class Drawn:
    """A placed netlist, drawn by hand: lists of what anneal_placement.cpp reads."""

    def __init__(self, tiles: list[tuple[int, int]]):
        self.tiles = tiles
        self.cells, self.groups, self.nets, self.connections, self.arcs = [], [], [], [], []
        # One wire is late whatever is done: if all is early nothing is moved.
        self.end(self.net(self.fixed(0, 0)), self.fixed(63, 63))

    def cell(self, kind: str, x: int, y: int, bel: int = -1) -> int:
        self.cells.append((placement.CELLS.get(kind, placement.OTHER_CELL), x, y, bel, 0, 0, 0))
        return len(self.cells) - 1

    def fixed(self, x: int, y: int) -> int:
        return self.cell("fixed", x, y)

    def group(self, shape: placement.Shape, *cells: int) -> None:
        self.groups.append((int(shape), len(cells), *cells))

    def net(self, driver: int, start: int = 0) -> int:
        """What a cell drives, from `start` picoseconds on."""
        self.nets.append((driver, start))
        return len(self.nets) - 1

    def end(self, net: int, cell: int) -> None:
        self.connections.append((net, cell, 0, 1, 0))

    def table(self, at: tuple[int, int, int], sources: list[int]) -> tuple[int, int]:
        """A look-up table of these nets, and its own."""
        table = self.cell("LOGIC", *at)
        self.group(placement.Shape.HALF, table)
        output = self.net(table)
        for source in sources:
            self.arcs.append((len(self.connections), output, placement.LUT))
            self.connections.append((source, table, 0, 0, 0))
        return table, output

    def annealed(self, folder) -> list[tuple[int, int]]:
        """Where cells are after annealing for 6 ns."""
        lists = (self.tiles, self.cells, self.groups, self.nets, self.connections, self.arcs)
        constants = (placement.WIRE, placement.NEAR, placement.WIRE_NEAR, placement.WIRE_FAR)
        written = [(*constants, 64, 64), [len(rows) for rows in lists], *sum(lists, [])]
        before, after = folder / "before", folder / "after"
        before.write_text("\n".join(" ".join(map(str, row)) for row in written) + "\n")
        command = [native.build("anneal_placement"), before, after, "6000", "1000", "1"]
        subprocess.run(command, check=True, capture_output=True)
        places = [line.split() for line in after.read_text().splitlines()]
        return [(int(x), int(y)) for x, y, *_ in places]


def test_wires_leave_a_crowded_square(tmp_path):
    """A few lines go straight through, as that is the least wire. Of many some go round, where a
    tile would have more wire than can be routed."""
    few, many = annealed_band(tmp_path, 80), annealed_band(tmp_path, 1200)
    assert sum(24 <= y < 32 for y in few) > 0.95 * len(few)
    assert 0.2 * len(many) < sum(not 20 <= y < 36 for y in many)


def test_pins_leave_a_dense_block(tmp_path):
    """Look-up tables with four inputs from one place, and that is where they are wanted: as near as
    they could be a block of four tiles would have 160 pins, more than it has ways for."""
    place = (24, 28)
    wires = [([place] * 4, place)] * 200
    found = annealed_between(tmp_path, wires, range(8, 16))
    blocks = Counter((x // 2, y // 2) for x, y in found)
    assert 5 * max(blocks.values()) <= 120
    assert sum(abs(x - 24) + abs(y - 28) for x, y in found) < 8 * len(found)


def test_rams_take_their_flip_flops_with_them(tmp_path):
    """Each of two RAMs stands where the other is wanted. What it gives comes late, so its
    flip-flops have to be near it; and what these give is wanted soon at the other side."""
    drawn = Drawn([(x, y) for x in range(1, 63) for y in range(20, 44)])
    sides, rams = (8, 56), []
    for side, wanted in (sides, sides[::-1]):
        ram = drawn.cell("DP16KD", side, 32)
        drawn.group(placement.Shape.RAM, ram)
        rams.append(ram)
        for i in range(18):
            x = side + (1 + i % 3) * (1 if side < wanted else -1)
            flip_flop = drawn.cell("TRELLIS_FF", x, 32, 2 + i // 3 % 2 + 4 * (i // 6))
            drawn.group(placement.Shape.HALF, flip_flop)
            drawn.end(drawn.net(ram, 5000), flip_flop)
            drawn.end(drawn.net(flip_flop, 4500), drawn.fixed(wanted, 32))
    places = drawn.annealed(tmp_path)
    assert [places[ram][0] for ram in rams] == [sides[1], sides[0]]


def test_a_carry_chain_goes_with_what_waits_for_it(tmp_path):
    """A counter stands far from what its bits together enable. Neither its carry chain nor the
    look-up tables between can go alone: the wire between them would be what it saves."""
    drawn = Drawn([(x, y) for x in range(1, 63) for y in range(28, 36)])
    halves = [(3 + i // 8, 30, i % 2 + 4 * (i % 8 // 2)) for i in range(16)]
    sums = [drawn.cell("CCU2", *at) for at in halves]
    bits = [drawn.cell("TRELLIS_FF", x, y, bel + 2) for x, y, bel in halves]
    drawn.group(placement.Shape.RIGID, *sums, *bits)
    counts = [drawn.net(bit, 2200) for bit in bits]
    parts = [drawn.table((3 + i, 31, 0), counts[4 * i : 4 * i + 4])[1] for i in range(4)]
    _, enable = drawn.table((5, 32, 0), parts)
    for y in range(20, 44):
        drawn.end(enable, drawn.fixed(60, y))
    x, y = drawn.annealed(tmp_path)[bits[0]]
    assert x > 40
