# SPDX-License-Identifier: Apache-2.0
"""Copies of what leads to many places are equal to it, and nextpnr takes their places."""

import json

import pytest

from support.placed_netlists import design_routed_by_nextpnr, legal, place_far_apart
from toehold import placement, replication

# A condition from a look-up table and one from a flip-flop, each with hundreds of ends. The copies
# of the latter and of what is in front of it have resets of their own.
SOURCE = """
module harness (input logic clk_pin, input logic stimulus_pin, output logic observed_pin);
  logic [799:0] a_q, b_q;
  logic step_q, late_q, one_q, other_q, reset_q;
  logic both;
  assign both = one_q && other_q && a_q[3];
  always_ff @(posedge clk_pin) begin
    one_q <= stimulus_pin;
    other_q <= one_q ^ b_q[5];
    late_q <= a_q[7] ^ b_q[9];
    step_q <= late_q;
    if (a_q[1]) step_q <= '0;
    if (a_q[2]) late_q <= '0;
    reset_q <= b_q[11];
    if (both) a_q <= {a_q[798:0], stimulus_pin ^ a_q[799]};
    if (step_q) b_q <= {b_q[0], b_q[799:1]} ^ a_q;
    if (reset_q) b_q[99:0] <= '0;
    observed_pin <= ^{a_q[799:780], b_q[799:780]};
  end
endmodule
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replication")
    place_far_apart(SOURCE, folder, 100, 94)
    return folder


def read(folder) -> dict:
    return json.loads((folder / "placed.json").read_text())


def module_of(design: dict) -> dict:
    (module,) = design["modules"].values()
    return module


def wires_of_enables(design: dict) -> int:
    """In picoseconds, of all."""
    places = placement.Placement(design)
    return sum(
        placement.wire(places.at[driver], places.at[sink])
        for net, (driver, _) in places.driver.items()
        for sink, port in places.sinks[net]
        if port == "CE" and places.at[sink]
    )


def replicated(folder, monkeypatch, early_ps: int = 0) -> tuple[dict, int]:
    monkeypatch.setattr(replication, "EARLY_PS", early_ps)
    design = read(folder)
    return design, replication.replicate(design)


def test_no_net_that_is_late_has_many_ends(folder, monkeypatch):
    design, copies = replicated(folder, monkeypatch)
    assert copies >= 2 * (400 // replication.TILES_MOST - 1)
    places = placement.Placement(design)
    for net, (driver, output) in places.driver.items():
        if output in "FQ":
            tiles = {places.at[sink] for sink, _ in places.sinks[net]} - {places.at[driver], None}
            assert len(tiles) <= replication.TILES_MOST, places.names[driver]


def test_ends_get_a_copy_that_is_near_them(folder, monkeypatch):
    after = wires_of_enables(replicated(folder, monkeypatch)[0])
    assert after < 0.6 * wires_of_enables(read(folder))


def test_copies_are_equal_to_what_they_are_copied_from(folder, monkeypatch):
    """With each copy's output named as the original's the netlist is the one before."""
    before, (design, copies) = module_of(read(folder)), replicated(folder, monkeypatch)
    module = module_of(design)
    added = [name for name in module["cells"] if name not in before["cells"]]
    assert len(added) == copies > 0
    same = {}
    for name in added:
        cell, original = module["cells"][name], before["cells"][name.partition(replication.MARK)[0]]
        output = replication.OUTPUTS["TRELLIS_FF" if cell["type"] == "TRELLIS_FF" else "LOGIC"]
        (copied,), (net,) = cell["connections"][output], original["connections"][output]
        assert copied not in same and module["netnames"][name]["bits"] == [copied]
        same[copied] = net
    for name in added:
        cell, original = module["cells"][name], before["cells"][name.partition(replication.MARK)[0]]
        assert cell["type"] == original["type"]
        ours, theirs = dict(cell["connections"]), dict(original["connections"])
        parameters = [dict(c["parameters"]) for c in (cell, original)]
        if cell["type"] == "TRELLIS_FF":
            # It is loaded past the look-up table, of which there is none beside it.
            assert parameters[0].pop("SD") == "0 "
            parameters[1].pop("SD")
            theirs["M"] = theirs.pop("DI", None) or theirs["M"]
        assert parameters[0] == parameters[1]
        for port in ours:
            assert [same.get(bit, bit) for bit in ours[port]] == theirs[port]
    for name, cell in before["cells"].items():
        for port, bits in module["cells"][name]["connections"].items():
            assert [same.get(bit, bit) for bit in bits] == cell["connections"][port]


def test_nextpnr_takes_their_places(folder, monkeypatch):
    design, copies = replicated(folder, monkeypatch)
    assert copies and legal(placement.Placement(design))
    assert design_routed_by_nextpnr(design, folder) > 0


def test_what_is_early_has_no_copies(folder, monkeypatch):
    design, copies = replicated(folder, monkeypatch, 1_000_000)
    assert copies == 0 and design == read(folder)


def test_ends_go_to_what_is_nearest_when_cells_have_moved(folder, monkeypatch):
    """Copies change places, and with each end that it has its own from before: the same wires."""
    design, _ = replicated(folder, monkeypatch)
    assert replication.share_ends(design) >= 0
    wires, before = wires_of_enables(design), netlist_of(design)
    cells = module_of(design)["cells"]
    names = sorted(
        name for name in cells if name.startswith(f"step_q_TRELLIS_FF_Q{replication.MARK}")
    )
    sites = [cells[name]["attributes"]["NEXTPNR_BEL"] for name in names]
    for name, site in zip(names, sites[1:] + sites[:1], strict=True):
        cells[name]["attributes"]["NEXTPNR_BEL"] = site
    assert wires_of_enables(design) > 1.3 * wires
    assert replication.share_ends(design) > 200
    assert wires_of_enables(design) <= wires
    assert netlist_of(design) == before
    assert replication.share_ends(design) == 0


def netlist_of(design: dict) -> dict:
    """What each input of each cell is connected to, equal cells taken as one."""
    module = module_of(design)
    driver = {
        bit: name.partition(replication.MARK)[0] + port
        for name, cell in module["cells"].items()
        for port, bits in cell["connections"].items()
        for bit in bits
        if cell["port_directions"][port] == "output"
    }
    return {
        (name, port): [driver[bit] for bit in bits]
        for name, cell in module["cells"].items()
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "input"
    }
