# SPDX-License-Identifier: Apache-2.0
"""Seeds are added to a stored result of the same netlist, and to no other."""

import copy
import json

import pytest

from toehold import results, stored_seeds, synth
from toehold.console import Failure

CONFIG = {"top": "toe", "preset": "tiny", "target_mhz": 125, "date": "2026-01-01"}


def result(revision="aaaa", luts=100, **routes):
    """A result with one row per route, named `s` and its seed; None was not routed."""
    rows = [
        {"block": "toe", "device": "ecp5", "lut4": luts, "ff": 50},
        {"block": "toe", "device": "xc7", "lut": 70, "ff": 50},
        {"block": "toe.lists", "module": "lists", "device": "ecp5", "lut4": 40, "ff": 9},
    ]
    for name, mhz in routes.items():
        outcome = {"conflicts": 5} if mhz is None else {"fmax_mhz": mhz}
        rows.append({"block": "toe", "device": "ecp5", "seed": int(name[1:]), **outcome})
    found = stored_seeds.rates(rows) if any(routes.values()) else {}
    return {
        "scenario": "synth_toe",
        "quick": False,
        "revision": revision,
        "config": dict(CONFIG),
        "rows": rows,
        "summary": {"lut_big": luts, **{f"{name}_big": value for name, value in found.items()}},
    }


def by_seed(document):
    return {row["seed"]: row for row in document["rows"] if "seed" in row}


def test_the_others_are_kept():
    stored = result(s2=150.0, s3=140.0)
    before = copy.deepcopy(stored)
    measured = result("bbbb", s1=120.0, s3=None) | {"config": CONFIG | {"date": "2026-02-02"}}
    merged = stored_seeds.added(stored, measured, "big")
    assert stored == before
    assert [row.get("seed") for row in merged["rows"]] == [None, None, None, 1, 2, 3]
    seeds = by_seed(merged)
    assert "revision" not in seeds[2] and seeds[2]["fmax_mhz"] == 150.0
    assert seeds[1]["revision"] == "bbbb" and seeds[1]["date"] == "2026-02-02"
    assert seeds[3]["conflicts"] == 5 and "fmax_mhz" not in seeds[3]
    summary = {"lut_big": 100, "fmax_mhz_big": 150.0, "fmax_mhz_median_big": 135.0}
    assert merged["summary"] == summary
    assert (merged["revision"], merged["config"]) == ("aaaa", CONFIG)


def test_to_an_area_that_was_not_routed():
    merged = stored_seeds.added(result(), result("bbbb", s1=120.0), "big")
    assert merged["summary"]["fmax_mhz_big"] == 120.0


def test_the_same_netlist():
    assert stored_seeds.is_same_netlist(result(s1=100.0), result(s2=90.0))
    assert not stored_seeds.is_same_netlist(result(s1=100.0), result(luts=101, s2=90.0))


def test_another_configuration_is_refused(tmp_path):
    path = tmp_path / "synth_toe.json"
    path.write_text(json.dumps(result(s1=100.0)))
    assert stored_seeds.stored_result(path, CONFIG | {"date": "2026-02-02"})["revision"] == "aaaa"
    with pytest.raises(Failure, match=r"another configuration: target_mhz, tools differ\."):
        stored_seeds.stored_result(path, CONFIG | {"target_mhz": 156.25, "tools": "Yosys"})
    with pytest.raises(Failure, match="to add seeds to"):
        stored_seeds.stored_result(tmp_path / "nothing.json", CONFIG)


def test_by_the_command(tmp_path, monkeypatch):
    """A block with one seed and then with another, and then after it has changed. Place and route
    is a stub."""
    for module in (synth, results):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    monkeypatch.setattr(synth, "BUILD", tmp_path / "build")
    monkeypatch.setattr(synth, "map_harness", lambda block, folder: folder / "harness.json")
    monkeypatch.setattr(synth, "route", lambda path, seed, mhz: synth.Route(seed, 100.0 + seed))

    def run(seed, store=False, **options):
        return synth.synth_command(
            "stream_register",
            None,
            "small",
            64,
            "ecp5",
            [],
            range(seed, seed + 1),
            200.0,
            True,
            0,
            tmp_path / "now.json",
            store,
            False,
            **options,
        )

    assert run(1, store=True) == 0
    (path,) = tmp_path.glob("synth_*.json")
    first = json.loads(path.read_text())
    assert run(2, add_seeds=True) == 0
    both = json.loads(path.read_text())
    assert [row for row in both["rows"] if row.get("seed") != 2] == first["rows"]
    assert {seed: row["fmax_mhz"] for seed, row in by_seed(both).items()} == {1: 101.0, 2: 102.0}
    assert both["summary"]["fmax_mhz_small"] == 102.0

    changed = copy.deepcopy(both)
    changed["rows"][0]["ff"] += 1
    path.write_text(json.dumps(changed))
    with pytest.raises(Failure, match="of another netlist, so no seed was added"):
        run(3, add_seeds=True)
    assert json.loads(path.read_text()) == changed
    assert set(by_seed(json.loads((tmp_path / "now.json").read_text()))) == {3}
