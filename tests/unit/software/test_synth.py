# SPDX-License-Identifier: Apache-2.0
"""Synthesis reports, on a block small enough to count by hand."""

import json
import subprocess
import sys
import time
from collections import Counter

import pytest

from toehold import cores, elaborate, steps, synth, yosys
from toehold.console import Failure

# 18 flip-flops that matter, and ports of every kind that the wrappers must connect.
TINY_PKG = """
package tiny_pkg;
  typedef enum logic [1:0] {Red, Green, Blue} colour_e;
  typedef struct packed { logic [3:0] high; colour_e low; } pair_t;
endpackage
"""
INNER = """
module inner (input logic clk, input logic [7:0] d_i, output logic [7:0] q_o);
  always_ff @(posedge clk) q_o <= d_i;
endmodule
"""
TINY = """
module tiny import tiny_pkg::*; #(parameter int DataWidth = 64, parameter int Step = 1) (
  input logic clk, input logic rst,
  input logic [7:0] a_i [2], input colour_e colour_i, input pair_t pair_i,
  output logic [7:0] sum_o, output colour_e colour_o
);
  logic [7:0] total_q;
  inner first (.clk, .d_i(a_i[0] ^ 8'(pair_i)), .q_o(sum_o));
  inner second (.clk, .d_i(total_q), .q_o());
  always_ff @(posedge clk) begin
    total_q  <= total_q + a_i[1] + 8'(Step);
    colour_o <= colour_e'(colour_i ^ pair_i.low ^ 2'(sum_o) ^ 2'(total_q >> 6));
    if (rst) total_q <= '0;
  end
endmodule
"""


@pytest.fixture
def files(tmp_path):
    listed = []
    for name, text in (("tiny_pkg", TINY_PKG), ("inner", INNER), ("tiny", TINY)):
        listed.append(tmp_path / f"{name}.sv")
        listed[-1].write_text(text)
    return listed


@pytest.fixture
def block(files):
    return elaborate.elaborate("tiny", files, [], "small", 128)


def test_ports_are_those_of_the_module(block):
    assert [(port.name, port.is_input, port.bits) for port in block.ports] == [
        ("clk", True, 1),
        ("rst", True, 1),
        ("a_i", True, 16),
        ("colour_i", True, 2),
        ("pair_i", True, 6),
        ("sum_o", False, 8),
        ("colour_o", False, 2),
    ]


def test_width_sets_the_parameter_of_that_name(block):
    assert dict(block.parameters) == {"DataWidth": "128"}


def test_unknown_parameter_is_one_sentence(files):
    with pytest.raises(Failure, match="tiny has no parameter 'Steps'; it has: DataWidth, Step"):
        elaborate.elaborate("tiny", files, [], parameters={"Steps": "2"})


def test_area(block, tmp_path):
    """total_q, sum_o and colour_o: 18 flip-flops; `second` goes nowhere and is removed."""
    ecp5 = synth.figures(
        synth.DEVICES["ecp5"], synth.map_flat(block, synth.DEVICES["ecp5"], tmp_path)
    )
    assert ecp5["ff"] == 18
    assert 8 <= ecp5["lut4"] <= 40
    assert ecp5["dp16kd"] == ecp5["lutram"] == 0
    xc7 = synth.figures(synth.DEVICES["xc7"], synth.map_flat(block, synth.DEVICES["xc7"], tmp_path))
    assert xc7["ff"] == 18
    assert 8 <= xc7["lut"] <= 40


def test_what_is_routed_is_proven_and_areas_are_not(block, tmp_path):
    for device in synth.DEVICES.values():
        synth.map_flat(block, device, tmp_path / "area")
        assert "&verify" not in (tmp_path / "area" / "synth.log").read_text(), device.title
    synth.map_harness(block, tmp_path / "route")
    assert "&verify" in (tmp_path / "route" / "synth.log").read_text()


def test_deep_memory_is_mapped(tmp_path):
    """Of more words than the loop that clears it in simulation may have in synthesis."""
    files, include_dirs = cores.sources([cores.core_of_module("ram_simple_dual_port").name])
    parameters = {"Width": "1", "Depth": "131072"}
    block = elaborate.elaborate("ram_simple_dual_port", files, include_dirs, parameters=parameters)
    xc7 = synth.figures(synth.DEVICES["xc7"], synth.map_flat(block, synth.DEVICES["xc7"], tmp_path))
    assert xc7["bram36"] == 4


@pytest.mark.parametrize("name", ["ecp5", "xc7"])
def test_registers_that_are_kept_stay_apart(tmp_path, name):
    """Equal ones, for each slice of a memory: both addresses of 10 bits and a strobe, in four."""
    files, include_dirs = cores.sources([cores.core_of_module("ram_sliced").name])
    parameters = {"Width": "32", "Depth": "1024", "ReadLatency": "2"}
    block = elaborate.elaborate("ram_sliced", files, include_dirs, parameters=parameters)
    device = synth.DEVICES[name]
    assert synth.figures(device, synth.map_flat(block, device, tmp_path))["ff"] == 84


def test_tree_names_every_block(block, tmp_path):
    tree = synth.map_tree(block, tmp_path)
    assert (tree.name, tree.module) == ("tiny", "tiny")
    assert tree.children["first"].module == "inner"
    assert synth.figures(synth.DEVICES["ecp5"], tree.children["first"].cells)["ff"] == 8
    assert tree.total()["TRELLIS_FF"] >= 18


def test_figures_count_what_cells_stand_for():
    cells = Counter({"LUT4": 10, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "TRELLIS_FF": 7, "DP16KD": 1})
    values = synth.figures(synth.DEVICES["ecp5"], cells)
    assert values == {"lut4": 28, "lutram": 12, "ff": 7, "dp16kd": 1, "mult18": 0}
    cells = Counter({"LUT6": 4, "LUT1": 1, "RAM32M": 2, "SRL16E": 3, "FDRE": 5, "FDSE": 1})
    values = synth.figures(synth.DEVICES["xc7"], cells)
    assert (values["lut"], values["lutram"], values["ff"]) == (16, 11, 6)
    cells = Counter({"RAMB36E1": 4, "RAMB18E1": 3})
    assert synth.figures(synth.DEVICES["xc7"], cells)["bram36"] == 6


def test_order_of_blocks():
    blocks = [
        synth.Node("b", "m", Counter({"LUT4": 2, "TRELLIS_FF": 9})),
        synth.Node("a", "m", Counter({"LUT4": 5})),
        synth.Node("c", "m", Counter({"LUT4": 3, "TRELLIS_FF": 1})),
    ]
    for sort, names in (("lut4", "acb"), ("ff", "bca"), ("name", "abc")):
        shown = sorted(blocks, key=lambda block, by=sort: synth.order(block, by))
        assert "".join(block.name for block in shown) == names


def test_worse_than_stored():
    stored = {"lut_small": 1000, "ff_small": 10, "fmax_mhz_small": 100.0, "bram36_xc7_small": 4}
    same = {"lut_small": 1050, "ff_small": 18, "fmax_mhz_small": 95.0, "new_small": 7}
    assert synth.regressions(stored, same) == []
    worse = {"lut_small": 1051, "ff_small": 19, "fmax_mhz_small": 94.9}
    assert synth.regressions(stored, worse) == [
        "ff_small is 19, 10 is stored.",
        "fmax_mhz_small is 94.9, 100 is stored.",
        "lut_small is 1051, 1000 is stored.",
    ]


def test_a_route_that_comes_to_no_end_is_given_up():
    log = "Info:     iter={} wires=900000 overused={} overuse={} archfail=NA\n"
    falling = [50_000 // (i + 1) for i in range(100)]
    text = "".join(log.format(i + 1, count, count) for i, count in enumerate(falling))
    assert synth.conflicts("Info: Packing...\n" + text) == falling
    assert not any(synth.is_hopeless(falling[:i]) for i in range(1, 101))
    assert synth.is_hopeless([*falling, 1500])
    assert not synth.is_hopeless([*falling, 700]), "a few more come and go"
    assert not synth.is_hopeless([900, 5000]), "it has only begun"
    assert synth.is_hopeless([1] * (synth.ROUNDS_MOST + 1))


def test_a_program_is_ended_when_it_is_hopeless(tmp_path, monkeypatch):
    slow = tmp_path / "yowasp-slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(synth, "VENV_BIN", tmp_path)
    monkeypatch.setattr(synth, "SECONDS_PER_LOOK", 0.1)
    looks = iter((False, True))
    begin = time.monotonic()
    assert not synth.yowasp("slow", [], tmp_path, hopeless=lambda: next(looks))
    assert time.monotonic() - begin < 30


def test_the_log_of_a_run_before_ends_no_other(tmp_path, monkeypatch):
    netlist, log = tmp_path / "netlist.json", tmp_path / "route.log"
    netlist.write_text("{}")
    log.write_text("hopeless")

    def yowasp(program, arguments, folder, hopeless):
        assert not hopeless(), "nothing has been said yet"
        log.write_text("all is well")
        assert not hopeless()
        log.write_text("hopeless")
        return not hopeless()

    monkeypatch.setattr(synth, "yowasp", yowasp)
    assert not synth.nextpnr(tmp_path, netlist, "made", log.name, [], lambda t: t == "hopeless")


def test_fields_of_a_preset():
    files, include_dirs = cores.sources([cores.core_of_module("toe").name])
    block = elaborate.elaborate(
        "toe", files, include_dirs, "low-latency", 128, settings={"Connections": "16"}
    )
    data = next(port for port in block.ports if port.name == "s_axis_rx_tdata")
    assert data.bits == 128
    assert "Connections: 16," in dict(block.parameters)["Config"]
    assert "toe_config_pkg::LowLatencyConfig.CutThrough" in dict(block.parameters)["Config"]
    with pytest.raises(Failure, match="The configuration has no 'Gaps'; it has: DataWidth, Conn"):
        elaborate.elaborate("toe", files, include_dirs, settings={"Gaps": "1"})


def test_bits_of_structs_are_named(block):
    """colour_i is an enum, pair_i a struct of one and four bits more."""
    signals = ["pair_i[5]", "pair_i[0]", "total_q[3]", "first.q_o[0]", "nosuch", "memory.0.1_DI"]
    found = elaborate.places(block, signals)
    assert {name: place[0] for name, place in found.items()} == {
        "pair_i[5]": "pair_i.high[3]",
        "pair_i[0]": "pair_i.low[0]",
        "total_q[3]": "total_q[3]",
        "first.q_o[0]": "first.q_o[0]",
    }
    assert found["first.q_o[0]"][1] == "inner.sv:2"


def test_the_harness_keeps_the_whole_block(block, tmp_path):
    """Input bits, output bits, their folds and the reset are registers too, and none is lost."""
    source = tmp_path / "harness.sv"
    source.write_text(elaborate.harness(block))
    yosys.run(
        [
            yosys.read_slang("harness", [*block.files, source]),
            "synth_ecp5 -top harness",
            f"tee -q -o {tmp_path}/stat.json stat -json -top harness",
        ]
    )
    cells = synth._stat(tmp_path / "stat.json")["harness"]
    inputs, outputs, folds, reset = 1 + 24, 10, 3 + 1, 1
    assert cells["TRELLIS_FF"] == 18 + inputs + outputs + folds + reset


def test_fmax_and_critical_path(block, tmp_path):
    netlist = synth.map_harness(block, tmp_path)
    result = synth.route(netlist, seed=1, frequency_mhz=100)
    assert 100 < result.fmax_mhz < 1000
    signals = [step["signal"] for step in result.path]
    known = {"stimulus_q", "total_q", "sum_o", "colour_o", "level_0", "reset_q", "first.q_o"}
    assert any(signal.split("[")[0] in known for signal in signals), signals
    assert not any("LUT4" in signal for signal in signals)
    times = [step["ns"] for step in result.path]
    assert times == sorted(times) and times[-1] == pytest.approx(1000 / result.fmax_mhz, rel=0.2)


@pytest.mark.parametrize(
    ("net", "signal"),
    [
        ("block.fifo.count_q[3]_LUT4_Z_1_A[2]", "fifo.count_q[3]"),
        ("block.total_q_CCU2C_S0_COUT_TRELLIS_FF_Q", "total_q"),
        ("block.m_data", "m_data"),
        ("level_1[2]", "level_1[2]"),
    ],
)
def test_signal_of(net, signal):
    assert synth.signal_of(net) == signal


def test_an_error_in_the_source_says_where(files, capfd):
    files[2].write_text(TINY.replace("total_q <= '0;", "total_q <= nothing;"))
    with pytest.raises(Failure, match="tiny does not elaborate"):
        elaborate.elaborate("tiny", files, [])
    assert "tiny.sv" in capfd.readouterr().err


def test_command_line(tmp_path):
    """One real block from end to end, without routing."""
    file = tmp_path / "out.json"
    arguments = "synth --top stream_register --device ecp5 --no-route --depth 1 --json".split()
    done = subprocess.run(
        [sys.executable, "-m", "toehold", *arguments, str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(file.read_text())
    assert document["scenario"] == "synth_stream_register"
    # 32 bits of output and spare, and a valid bit for each.
    assert document["summary"]["ff_small"] == 66
    assert "fmax_mhz_small" not in document["summary"]
    assert "stream_register" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--top nosuch", "There is no module 'nosuch' in any core"),
        ("--top stream_register --device max10", "no device 'max10'; choose from ecp5, xc7, xcup"),
        ("--top stream_register -G Depth", "'Depth' is not NAME=VALUE"),
        ("--top stream_register --set Mtu=9000", "stream_register takes no configuration"),
        ("--top stream_register --sort brams", "cannot be sorted by 'brams'; choose from lut4"),
        ("--top stream_register --add-seeds", "to add seeds to: run once with --store"),
        ("--add-seeds --no-route", "--add-seeds is about routes on ECP5"),
    ],
)
def test_a_mistake_gets_one_sentence(arguments, sentence):
    done = subprocess.run(
        [sys.executable, "-m", "toehold", "synth", *arguments.split()],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert sentence in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_every_step_is_called_as_it_is_declared(tmp_path):
    files, include_dirs = cores.sources([cores.core_of_module("connection_pipeline").name])
    source = tmp_path / "step.sv"
    for _, kind, call in steps.STEPS:
        source.write_text(steps.SHELL.format(kind=kind, call=call))
        assert elaborate.elaborate("step", [*files, source], include_dirs).ports


def test_a_step_by_itself(tmp_path):
    """A small one: conditions, and no sum."""
    timeout = next(step for step in steps.STEPS if step[0] == "timeout")
    row = steps.measure(*timeout, tmp_path)
    assert row["step"] == "timeout"
    assert 40 < row["lut4"] < 400
    assert 3 < row["cells on the longest path"] < 12


@pytest.mark.parametrize("carries", [True, False])
def test_a_step_with_registers_behind_it(tmp_path, carries):
    """No fewer registers than the result has bits; a sum has carry cells, or more LUTs."""
    portion = next(step for step in steps.STEPS if step[0] == "portion")
    row = steps.measure_retimed(*portion, 1, carries, tmp_path)
    assert row["registers behind"] == 1 and row["carry cells"] == carries
    assert row["ff"] >= 32
    assert ("CCU2C" in (tmp_path / "stat.json").read_text()) == carries


def test_large_netlists_tell_the_router(tmp_path):
    """Where wires are dense, and nowhere else; what is there stays."""

    def written(luts: int) -> dict:
        cells = {f"lut{i}": {"type": "LUT4"} for i in range(luts)}
        netlist = tmp_path / "netlist.json"
        modules = {"LUT4": {"cells": {}}, "top": {"cells": cells}}
        netlist.write_text(json.dumps({"modules": modules}, indent=1))
        return json.loads(synth.add_settings(netlist, "top").read_text())["modules"]["top"]

    small, large = written(synth.LARGE_NETLIST_LUTS - 1), written(synth.LARGE_NETLIST_LUTS)
    assert "settings" not in small and large["settings"] == synth.NEXTPNR_SETTINGS
    assert len(large["cells"]) == synth.LARGE_NETLIST_LUTS
    with pytest.raises(ValueError, match="does not have one module other"):
        synth.add_settings(tmp_path / "netlist.json", "other")
