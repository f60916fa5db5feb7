# SPDX-License-Identifier: Apache-2.0
"""What nextpnr's fast router brings late is earlier when it is laid anew."""

import json

import pytest

from support.placed_netlists import place_far_apart, report_of_nextpnr
from toehold import rerouting, synth

# Two enables with hundreds of ends, and nothing else that goes far. One of them is slowest.
SOURCE = """
module harness (input logic clk_pin, input logic stimulus_pin, output logic observed_pin);
  (* keep *) logic [299:0] a_q, b_q;
  logic step_q, next_q;
  always_ff @(posedge clk_pin) begin
    step_q <= stimulus_pin;
    next_q <= step_q;
    if (step_q) a_q <= ~a_q;
    if (next_q) b_q <= ~b_q;
    observed_pin <= a_q[0];
  end
endmodule
"""


@pytest.fixture(scope="module")
def routed(tmp_path_factory):
    """A netlist that router2 has routed, and its report."""
    folder = tmp_path_factory.mktemp("rerouting")
    design = place_far_apart(SOURCE, folder, 60, 46)
    (module,) = design["modules"].values()
    module["settings"]["router"] = "router2"
    return folder / "routed.json", report_of_nextpnr(design, folder)


def test_late_enables_come_earlier(routed):
    netlist, report = routed
    before = synth.rate(report)
    _, again = synth.reroute(netlist, report, 1, 2.5 * before)
    assert synth.rate(again) > 1.8 * before


def test_what_is_on_the_slowest_path_is_opened_and_nothing_else(routed):
    netlist, report = routed
    before, design = (json.loads(netlist.read_text()) for _ in range(2))
    nets = rerouting.slowest_nets(report)
    assert len({"step_q", "next_q"} & nets) == 1
    opened = rerouting.open_up(design, nets, 125)
    (old,), (new,) = before["modules"].values(), design["modules"].values()
    changed = {n for n, v in new["netnames"].items() if v != old["netnames"][n]}
    assert changed <= nets and len(changed) == opened > 0
    assert new["settings"]["router"] == "router1" != old["settings"]["router"]
    assert float(new["settings"]["target_freq"]) == 125e6
    assert new["cells"] == old["cells"]


@pytest.mark.parametrize(
    ("rates", "asked", "best"),
    [
        ([130], [120], 130),
        ([114, 125.5], [120, 125.5], 125.5),
        ([114, 125], [120, 125.5], 125),
        ([114, 114.5, None, None], [120, 125.5, 125.5, 120.225], 114.5),
        ([114, 120, 124, 125.5], [120, 125.5, 125.5, 125.5], 125.5),
        ([114, 124, 120], [120, 125.5, 125.5], 124),
        ([99, 99, 99], [120, 110, 105], 100),
        ([None, 108, None, None], [120, 110, 118.8, 113.4], 108),
        ([None, None, None], [120, 110, 105], 100),
        ([120, None], [120, 125.5], 120),
    ],
    ids=[
        "at once",
        "step by step",
        "as fast as that",
        "hardly faster",
        "again and again",
        "not again",
        "slower",
        "smaller steps",
        "no end",
        "the same is not asked for again",
    ],
)
def test_it_goes_on_while_it_gets_faster(monkeypatch, rates, asked, best):
    def report(mhz):
        return {"fmax": {"clock": {"achieved": mhz}}}

    made, of_name = [], {"routed": 100}

    def reroute(routed, before, seed, frequency_mhz):
        """Files are named after what was asked for, so another netlist may have the same name."""
        best = max([100, *filter(None, rates[: len(made)])])
        assert of_name[routed] == synth.rate(before) == best
        made.append(round(frequency_mhz, 3))
        mhz, name = rates[len(made) - 1], f"{frequency_mhz:.1f}"
        of_name[name] = mhz or of_name.get(name)
        return mhz and (name, report(mhz))

    monkeypatch.setattr(synth, "reroute", reroute)
    assert synth.rate(synth.faster("routed", report(100), 1, 125)) == best
    assert made == asked


def test_what_it_begins_with_stays(monkeypatch, tmp_path):
    """Asked for the same clock again, it does not write over the netlist that may be the best."""

    def nextpnr(folder, netlist, made, log, arguments, hopeless):
        design = json.loads(netlist.read_text())
        design["laid"] += 1
        (folder / arguments[arguments.index("--write") + 1]).write_text(json.dumps(design))
        (folder / made).write_text("{}")
        return True

    monkeypatch.setattr(synth, "nextpnr", nextpnr)
    routed = tmp_path / "routed_1.json"
    design = {"modules": {"top": {"settings": {}, "netnames": {}}}, "laid": 0}
    routed.write_text(json.dumps(design))
    for laid in range(1, 5):
        before = routed.read_text()
        written, _ = synth.reroute(routed, {"critical_paths": []}, 1, 125.5)
        assert json.loads(written.read_text())["laid"] == laid
        assert routed.read_text() == before
        routed = written


HEAD = "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|\n"
ROW = "Info:      17000 |    10294       6705 |  547   453 |      7496|       2.35      44.87|\n"


@pytest.mark.parametrize("rows", [3, rerouting.ROWS_MOST + 1])
def test_it_is_given_up_when_it_comes_to_no_end(rows):
    assert rerouting.is_hopeless(HEAD + rows * ROW) == (rows > rerouting.ROWS_MOST)


@pytest.mark.parametrize(
    ("late", "hopeless"),
    [
        ([3301], False),
        ([3301, 2165, 2046, 2069, 2044], False),
        ([3301, 2165, 2046, 2069, 2044, 2084, 2037], True),
        ([3301, 2500, 2400, 2300, 2200, 1900, 1800], False),
        ([997, 333, 213, 218, 218, 206, 166, 167, 165, 167, 166, 167], False),
        ([166, 0], False),
    ],
    ids=["begun", "soon", "taking turns", "slowly", "few are left", "done"],
)
def test_it_is_given_up_when_nets_take_wires_from_each_other(late, hopeless):
    log = HEAD
    for arcs in late:
        slack = "WNS=-0.80ns TNS=-938.59ns"
        log += f"{ROW}Info:      {arcs} arcs ripped up due to negative slack {slack}.\n"
    assert rerouting.is_hopeless(log) == hopeless
