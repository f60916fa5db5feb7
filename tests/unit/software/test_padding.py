# SPDX-License-Identifier: Apache-2.0
"""What is placed with room around it is routed without what kept the room."""

import json

import pytest

from toehold import padding, synth, yosys

LUTS = 100


def netlist_of(luts: int) -> dict:
    """A netlist as Yosys writes it: look-up tables in a row, and a flip-flop behind them."""

    def lut(i: int) -> dict:
        connections = {"A": [i + 2], "B": ["0"], "C": ["0"], "D": ["0"], "Z": [i + 3]}
        return {"type": "LUT4", "connections": connections}

    cells = {f"lut{i}": lut(i) for i in range(luts)}
    cells["ff"] = {"type": "TRELLIS_FF", "connections": {"DI": [luts + 2], "Q": [luts + 3]}}
    netnames = {"nets": {"bits": list(range(2, luts + 4))}, "constant": {"bits": ["0", "1"]}}
    return {"modules": {"other": {"cells": {}}, "top": {"cells": cells, "netnames": netnames}}}


def test_padding_touches_nothing_else():
    before, design = netlist_of(LUTS)["modules"], netlist_of(LUTS)
    count = padding.add(design, "top", LUTS)
    after = design["modules"]
    assert count == LUTS * padding.PER_LUT
    added = {n: c for n, c in after["top"]["cells"].items() if n not in before["top"]["cells"]}
    assert len(added) == count and after["other"] == before["other"]
    assert all(after["top"]["cells"][name] == cell for name, cell in before["top"]["cells"].items())
    driven = [cell["connections"]["Z"][0] for cell in added.values()]
    used = {bit for name in before["top"]["netnames"].values() for bit in name["bits"]}
    assert len(set(driven)) == count and not used & set(driven)
    # Each is beside a look-up table of its own.
    beside = [cell["connections"]["A"][0] for cell in added.values()]
    assert len(set(beside)) == count and set(beside) <= set(range(3, LUTS + 3))


@pytest.mark.parametrize(
    ("luts", "paddable", "share"),
    [(1000, 1000, 0.4), (50_548, 40_000, 0.2), (58_548, 40_000, 0.0), (80_000, 40_000, 0.0)],
)
def test_only_as_much_as_fits(luts, paddable, share):
    assert padding.share(luts, paddable) == pytest.approx(share)


def test_what_has_no_look_up_tables():
    assert padding.add(netlist_of(0), "top", 0) == 0


def test_removing_gives_the_netlist_again():
    design = netlist_of(LUTS)
    count = padding.add(design, "top", LUTS)
    del design["modules"]["other"]  # nextpnr writes one module
    assert padding.remove(design) == count
    assert design["modules"]["top"] == netlist_of(LUTS)["modules"]["top"]


def test_a_padded_block_is_routed(tmp_path, monkeypatch):
    """All the way: the same cells are placed and routed, and padding is nowhere in the report. Of
    what has not changed nothing is done again."""
    source = tmp_path / "harness.sv"
    source.write_text(
        "module harness (input logic clk_pin, stimulus_pin, output logic observed_pin);\n"
        "  logic [31:0] value_q;\n"
        "  always_ff @(posedge clk_pin) begin\n"
        "    value_q <= {value_q[30:0], stimulus_pin ^ (value_q[31] & value_q[7])} + value_q;\n"
        "    observed_pin <= ^value_q;\n"
        "  end\n"
        "endmodule\n"
    )
    yosys.run(
        [
            yosys.read_slang("harness", [source]),
            f"synth_ecp5 -top harness -json {tmp_path}/harness.json",
        ]
    )
    monkeypatch.setattr(synth, "LARGE_NETLIST_LUTS", 1)
    netlist = synth.add_settings(tmp_path / "harness.json", "harness")
    result = synth.route(netlist, seed=3, frequency_mhz=100)
    assert 50 < result.fmax_mhz < 1000
    placed = (tmp_path / "placed_3.json").read_text()
    moved = (tmp_path / "settled_3.json").read_text()
    assert padding.PREFIX in placed and padding.PREFIX not in moved
    cells = json.loads(moved)["modules"]["top"]["cells"]
    assert all("NEXTPNR_BEL" in cell["attributes"] for cell in cells.values())
    assert any(step["signal"].startswith("value_q") for step in result.path)
    carries = [c for c in cells.values() if c["parameters"].get("MODE") == "CCU2"]
    assert any(c["connections"]["D"] for c in carries)  # inputs are in order

    calls = []
    monkeypatch.setattr(synth, "yowasp", lambda *call: calls.append(call))
    assert synth.route(netlist, seed=3, frequency_mhz=100) == result and not calls
