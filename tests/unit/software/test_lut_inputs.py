# SPDX-License-Identifier: Apache-2.0
"""Inputs of look-up tables in the order in which they come: each cell does what it did."""

import json
import random
from itertools import product

import pytest

from support.placed_netlists import design_routed_by_nextpnr, place_by_nextpnr
from toehold import lut_inputs, placement

# Sums, differences, comparisons and counters, with wide logic around them.
SOURCE = """
module harness (input logic clk_pin, input logic stimulus_pin, output logic observed_pin);
  logic [63:0] a_q, b_q;
  logic [31:0] sum_q, difference_q, less_q;
  logic [15:0] count_q;
  logic below_q;
  always_ff @(posedge clk_pin) begin
    a_q <= {a_q[62:0], stimulus_pin ^ a_q[63]};
    b_q <= b_q[7:0] == a_q[7:0] ? a_q ^ {b_q[0], b_q[63:1]} : b_q;
    sum_q <= sum_q + (b_q[31:0] ^ a_q[40:9]);
    difference_q <= (a_q[31:0] & b_q[63:32]) - b_q[31:0];
    less_q <= b_q[40] ? less_q - 32'd5 : sum_q;
    below_q <= (a_q[31:0] | b_q[40:9]) < difference_q;
    count_q <= count_q + 16'(below_q);
    observed_pin <= ^{sum_q, b_q, difference_q, less_q, count_q};
  end
endmodule
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lut_inputs")
    place_by_nextpnr(SOURCE, folder)
    return folder


def read(folder) -> dict:
    return json.loads((folder / "placed.json").read_text())


def tables_of(design: dict) -> dict[str, dict]:
    (module,) = design["modules"].values()
    return {n: c for n, c in module["cells"].items() if c["type"] == "TRELLIS_COMB"}


def value(cell: dict, nets: dict[int, int], carry: int) -> tuple[int, int]:
    """A look-up table's output, and of a carry chain what it carries on, as Yosys's model of CCU2C
    has them. What leads nowhere is 1."""
    row = 0
    for weight, port in enumerate("ABCD"):
        bits = cell["connections"].get(port)
        row |= (nets[bits[0]] if bits else 1) << weight
    contents = int(cell["parameters"]["INITVAL"], 2)
    passes = contents >> row & 1
    if cell["parameters"].get("MODE") != "CCU2":
        return passes, 0
    gated = carry
    carried = contents >> (row & 0b11) & 1
    if cell["parameters"]["CCU2_INJECT1"] == "YES":
        gated = carried = 0
    return passes ^ gated, carry if passes else carried


def test_every_cell_does_what_it_did(folder):
    before, design = read(folder), read(folder)
    assert lut_inputs.order_inputs(design) > 100
    seen = {"LOGIC": 0, "CCU2": 0}
    old, new = tables_of(before), tables_of(design)
    assert old.keys() == new.keys()
    for name, cell in old.items():
        bits = [cell["connections"][p][0] for p in "ABCD" if cell["connections"].get(p)]
        found = [new[name]["connections"][p][0] for p in "ABCD" if new[name]["connections"].get(p)]
        assert sorted(bits) == sorted(found)
        seen[cell["parameters"].get("MODE") or "LOGIC"] += cell != new[name]
        for values in product((0, 1), repeat=len(bits)):
            nets = dict(zip(bits, values, strict=True))
            for carry in (0, 1):
                assert value(cell, nets, carry) == value(new[name], nets, carry), name
        for port, others in cell["connections"].items():
            assert port in "ABCD" or new[name]["connections"][port] == others
    assert min(seen.values()) > 30, seen


def test_what_comes_last_has_the_fastest_input(folder):
    design = read(folder)
    places = placement.Placement(design)
    places.analyse(0)
    comes = {
        (i, net): places.arrival[net] + placement.wire(places.at[driver], places.at[i])
        for net, (driver, _) in places.driver.items()
        for i, port in places.sinks[net]
        if port in "ABCD"
    }
    lut_inputs.order_inputs(design)
    ordered = {"LOGIC": 0, "CCU2": 0}
    for i, kind in enumerate(places.kinds):
        bits = {p: b[0] for p in "ABCD" if (b := places.cells[i]["connections"].get(p))}
        if kind not in ordered or any((i, net) not in comes for net in bits.values()):
            continue
        found = [comes[i, net] for net in bits.values()]
        assert found == sorted(found), places.names[i]
        if kind == "LOGIC" and found:
            assert "".join(bits) == "ABCD"[4 - len(bits) :]
        ordered[kind] += len(found) > 1
    assert min(ordered.values()) > 50, ordered


@pytest.mark.parametrize(
    ("contents", "ports"),
    [
        (0b1001_0110_1010_1000, "AB"),  # carried if both are: neither says it alone
        (0b1001_0110_1010_1010, "ABC"),
        (0b1001_0110_1010_1010, ""),
    ],
)
def test_a_carry_that_needs_both_operands_stays(contents, ports):
    both = [contents >> row & 1 for row in range(16)]
    both[12:] = [0, 0, 0, 0] if ports == "AB" else both[12:]
    assert lut_inputs._order_carry(both, list(ports)) is None


@pytest.mark.parametrize("late", "AB")
@pytest.mark.parametrize("passed", [0b0110, 0b1001], ids=["sum", "difference"])
def test_either_operand_of_a_sum_may_be_the_late_one(passed, late):
    table = [(passed << 12 | 0x6AA) >> row & 1 for row in range(16)]
    early = "AB".replace(late, "")
    _, moved = lut_inputs._order_carry(table, [early, late])
    assert moved == {early: "A", late: "D"}


def test_a_table_is_the_same_by_its_inputs_names():
    chosen = random.Random(1)
    for _ in range(200):
        table = [chosen.getrandbits(1) for _ in range(16)]
        ports = chosen.sample("ABCD", chosen.randint(1, 4))
        new, moved = lut_inputs._order_logic(table, ports)
        for values in product((0, 1), repeat=len(ports)):
            at = dict(zip(ports, values, strict=True))
            old_row = sum(at.get(port, 1) << n for n, port in enumerate("ABCD"))
            back = {new_port: port for port, new_port in moved.items()}
            new_row = sum(at.get(back.get(port), 1) << n for n, port in enumerate("ABCD"))
            assert new[new_row] == table[old_row]


def test_nextpnr_takes_them(folder):
    design = read(folder)
    assert lut_inputs.order_inputs(design)
    assert design_routed_by_nextpnr(design, folder) > 0
