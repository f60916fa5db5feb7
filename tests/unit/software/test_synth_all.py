# SPDX-License-Identifier: Apache-2.0
"""`toehold synth` of all configurations: what it measures, takes from what is stored, and writes.

Yosys and nextpnr are stubs here, but for one small block; test_synth.py has both.
"""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from toehold import area, results, synth, synth_all
from toehold.console import Failure
from toehold.options import Preset
from toehold.synth_all import Configuration

CELLS = {
    "LUT4": 90,
    "TRELLIS_FF": 50,
    "DP16KD": 3,
    "LUT6": 60,
    "RAMB36E1": 2,
    "RAMB18E1": 1,
    "FDRE": 40,
}
SMALL = Configuration("small", top="stream_register", devices=("ecp5", "xc7"), seeds=range(2, 3))


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """What was mapped and routed, by stubs; nothing outside of the folder is touched."""
    calls = []

    def map_flat(block, device, folder):
        calls.append(device.title)
        stat = {"modules": {"\\shell": {"num_cells_by_type": CELLS}}}
        (folder / "stat.json").write_text(json.dumps(stat))

    def route(netlist, seed, frequency_mhz):
        calls.append(f"seed {seed}, {frequency_mhz:g} MHz")
        return synth.Route(seed, 140.0)

    monkeypatch.setattr(synth, "map_flat", map_flat)
    monkeypatch.setattr(synth, "map_harness", lambda block, folder: folder / "harness.json")
    monkeypatch.setattr(synth, "route", route)
    monkeypatch.setattr(synth_all, "FOLDER", tmp_path / "all")
    for module in (synth_all, results):
        monkeypatch.setattr(module, "RESULTS", tmp_path / "stored")
    (tmp_path / "stored").mkdir()
    monkeypatch.setattr(synth_all, "configurations", lambda: iter([SMALL]))
    return calls


def run(tmp_path, device=None, route=True, store=False, check=False, width=64):
    file = tmp_path / "now.json"
    status = synth_all.all_command(width, device, 156.25, route, file, store, check)
    return status, json.loads(file.read_text())


def test_every_preset_and_every_size_that_was_published():
    by_name = {}
    for c in synth_all.configurations():
        by_name[f"synth_{c.top}_{c.label.replace('-', '_')}_{c.width or 64}"] = c
    presets = {c.preset for c in by_name.values() if c.label == c.preset and c.top == "toe"}
    assert presets == {preset.value for preset in Preset}
    for entry in json.loads(area.PUBLISHED.read_text()):
        for name, device in entry["ours"]:
            assert device in by_name[name].devices, name


def test_the_figures_of_all_are_in_one_summary(tmp_path, monkeypatch, capfd):
    wanted = [
        c
        for c in synth_all.configurations()
        if c.label in ("1024", "1024-bare", "10000", "10g", "small")
    ]
    monkeypatch.setattr(synth_all, "FOLDER", tmp_path / "all")
    monkeypatch.setattr(synth_all, "configurations", lambda: iter(wanted))
    monkeypatch.setattr(synth_all, "_cells", lambda block, device, folder: CELLS)
    monkeypatch.setattr(synth_all, "_route", lambda job: [synth.Route(2, 140.0)])
    status, document = run(tmp_path)
    assert status == 0
    said = capfd.readouterr().out
    assert "toe low-latency TxRingsInDram=1 RxRingsInDram=1; features: none, Xilinx" in said
    assert "toe low-latency TxRingsInDram=1 RxRingsInDram=1, Xilinx" in said
    assert "toe small; features: all but GAPS=2, ECP5: 90 LUT4" in said
    named = (
        "fmax_mhz_small fmax_mhz_10g lut_small ff_small lut_xc7_1024 ff_xc7_1024 bram36_xc7_1024 "
        "lut_xc7_10000 ff_xc7_10000 bram36_xc7_10000"
    )
    assert set(named.split()) <= document["summary"].keys()
    assert document["summary"]["lut_small"] == 90 and document["summary"]["bram36_xc7_1024"] == 3
    assert {row["features"] for row in document["rows"]} == {
        "all",
        "none",
        "none but OPENS=1",
        "all but GAPS=2",
        None,
    }
    tops = {row["block"] for row in document["rows"]}
    assert tops == {"toe", "checksum_offload", "raw_link"}


def test_what_is_not_stored_is_routed_and_what_is_stored_is_taken(tmp_path, measured):
    status, first = run(tmp_path, store=True)
    assert (status, sorted(measured)) == (0, ["ECP5", "Xilinx 7-series", "seed 2, 156.25 MHz"])
    (path,) = (tmp_path / "stored").iterdir()
    stored = json.loads(path.read_text())
    assert path.name == "synth_stream_register_small_64.json"
    assert stored["summary"]["fmax_mhz_small"] == 140.0
    assert first["rows"][-1]["seed"] == 2 and "revision" not in first["rows"][-1]

    measured.clear()
    before = path.read_text()
    _, again = run(tmp_path, store=True)
    assert measured == []  # neither mapped nor routed
    assert again["rows"][-1]["fmax_mhz"] == 140.0
    assert again["rows"][-1]["revision"] == stored["revision"]
    assert path.read_text() == before

    stored["rows"][0]["ff"] += 1
    path.write_text(json.dumps(stored))
    _, again = run(tmp_path)
    assert measured == ["seed 2, 156.25 MHz"]  # its netlist is another one
    assert "revision" not in again["rows"][-1]


@pytest.mark.parametrize("what", ["a device", "a clock rate"])
def test_what_was_not_measured_stays_stored(what, tmp_path, measured, monkeypatch, capfd):
    run(tmp_path, store=True)
    (path,) = (tmp_path / "stored").iterdir()
    stored = json.loads(path.read_text())
    stored["summary"]["ff_small"] += 1
    if what == "a device":
        stored["rows"].append({"block": "stream_register", "device": "xcup"})
    else:
        unrouted = replace(SMALL, seeds=range(0))
        monkeypatch.setattr(synth_all, "configurations", lambda: iter([unrouted]))
    path.write_text(json.dumps(stored))
    before = path.read_text()
    run(tmp_path, store=True)
    assert path.read_text() == before
    assert "is left as it is stored" in capfd.readouterr().out


def test_area_alone(tmp_path, measured):
    _, document = run(tmp_path, device="xc7", route=True)
    assert measured == ["Xilinx 7-series"]
    assert [row["device"] for row in document["rows"]] == ["xc7"]
    measured.clear()
    _, document = run(tmp_path, route=False)
    assert measured == ["ECP5"]
    assert not any("seed" in row for row in document["rows"])


def test_what_is_worse_than_stored_is_told(tmp_path, measured, capfd):
    status, _ = run(tmp_path, route=False, check=True)
    assert status == 1 and "There is no" in capfd.readouterr().err
    run(tmp_path, store=True)
    assert run(tmp_path, route=False, check=True)[0] == 0
    (path,) = (tmp_path / "stored").iterdir()
    stored = json.loads(path.read_text())
    stored["summary"]["ff_small"] = 30
    path.write_text(json.dumps(stored))
    assert run(tmp_path, route=False, check=True)[0] == 1
    assert "ff_small is 50, 30 is stored." in capfd.readouterr().err


def test_widths(tmp_path, measured, monkeypatch):
    """What has a width of its own is left out at others."""
    fixed = Configuration("fixed", top="stream_register", width=64, devices=("xc7",))
    monkeypatch.setattr(synth_all, "configurations", lambda: iter([SMALL, fixed]))
    assert len(run(tmp_path, width=512, device="xc7")[1]["rows"]) == 1
    assert len(run(tmp_path, width=64, device="xc7")[1]["rows"]) == 2
    assert {c.label for c in synth_all._wanted(64, ["xc7"])} == {"small", "fixed"}


def test_a_real_block_is_mapped_once(tmp_path, monkeypatch):
    monkeypatch.setattr(synth_all, "FOLDER", tmp_path / "all")
    monkeypatch.setattr(synth_all, "configurations", lambda: iter([SMALL]))
    _, first = run(tmp_path, device="ecp5", route=False)
    assert first["rows"][0]["ff"] == 66  # as test_synth says

    def never(*_):
        raise AssertionError("It was mapped before.")

    monkeypatch.setattr(synth, "map_flat", never)
    assert run(tmp_path, device="ecp5", route=False)[1]["rows"] == first["rows"]


def test_an_error_of_yosys_is_one_sentence(tmp_path, measured, monkeypatch):
    def broken(block, device, folder):
        raise synth.yosys.YosysError("ERROR: nothing works", "a long log")

    monkeypatch.setattr(synth, "map_flat", broken)
    with pytest.raises(Failure, match="stream_register small: ERROR: nothing works"):
        run(tmp_path, device="xc7")
    assert [path.read_text() for path in (tmp_path / "all").rglob("yosys.log")] == ["a long log"]


@pytest.mark.parametrize(
    ("options", "macros", "sentence"),
    [
        ("--device max10", {}, "no device 'max10'; choose from ecp5, xc7, xcup"),
        ("", {"TOEHOLD_SACK": "0"}, "TOEHOLD_SACK is for one block: name a --preset or a --top"),
        ("--seeds 2 --device max10", {}, "no device 'max10'"),
        ("--store --no-route", {}, "--store is for all of it: without --device and --no-route"),
        ("--store --device xc7", {}, "--store is for all of it: without --device and --no-route"),
    ],
)
def test_a_mistake_gets_one_sentence(options, macros, sentence, monkeypatch):
    for name, value in macros.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "toehold", "synth", *options.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert sentence in done.stderr and len(done.stderr.strip().splitlines()) == 1
