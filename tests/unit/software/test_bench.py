# SPDX-License-Identifier: Apache-2.0
"""The registry of scenarios and the JSON that a benchmark writes."""

import json

import pytest

from toehold import bench, results
from toehold.console import Failure

SCENARIO = '''
"""Squares of the widths."""
PRESETS = ("small", "scale")
WIDTHS = (64, 512)

def measure(request):
    request.tell("squaring")
    factor = 1 if request.quick else 2
    rows = [{"width_bits": w, "square": w * w * factor} for w in request.widths]
    return rows, {"largest_square": max(row["square"] for row in rows)}
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "squares.py").write_text(SCENARIO)
    (tmp_path / "_helper.py").write_text("raise RuntimeError('not a scenario')\n")
    return tmp_path


def call(folder, scenario="squares", **options):
    defaults = dict(quick=False, preset="small", width=None, json_file=None, store=False)
    bench.bench_command(scenario, **{**defaults, **options}, list_only=False, folder=folder)


def test_json_has_the_documented_shape(folder, tmp_path, capsys):
    call(folder, json_file=tmp_path / "out.json")
    document = json.loads((tmp_path / "out.json").read_text())
    assert sorted(document) == sorted(results.KEYS)
    assert (document["scenario"], document["quick"]) == ("squares", False)
    assert document["config"] == {"preset": "small", "widths_bits": [64, 512]}
    assert document["rows"] == [
        {"width_bits": 64, "square": 8192},
        {"width_bits": 512, "square": 524288},
    ]
    assert document["summary"] == {"largest_square": 524288}
    assert document["revision"]
    assert "width (bits)" in capsys.readouterr().out


def test_width_and_quick_reach_the_scenario(folder, tmp_path):
    call(folder, json_file=tmp_path / "out.json", quick=True, width=128)
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["quick"] is True
    assert document["rows"] == [{"width_bits": 128, "square": 16384}]


def test_without_a_preset_each_scenario_has_its_first(folder, tmp_path):
    call(folder, json_file=tmp_path / "out.json", preset=None)
    assert json.loads((tmp_path / "out.json").read_text())["config"]["preset"] == "small"


def test_notes_and_figures_of_a_scenario(folder, tmp_path, capsys):
    (folder / "squares.py").write_text(
        SCENARIO
        + """
NOTES = "Widths are exact."

def figures(document):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([row["square"] for row in document["rows"]])
    return {"growth": figure}
"""
    )
    # A name longer than a line: names are printed whole, so that they can be copied.
    out = tmp_path / ("long" * 25) / "out.json"
    out.parent.mkdir()
    call(folder, json_file=out)
    assert json.loads(out.read_text())["notes"] == "Widths are exact."
    figure = out.parent / "growth.svg"
    drawn = figure.read_text()
    assert drawn.startswith("<?xml")
    assert f"{out}, {figure} after" in capsys.readouterr().out
    call(folder, json_file=out)
    assert figure.read_text() == drawn


def test_store_writes_a_second_file(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    call(folder, json_file=tmp_path / "out.json", store=True)
    stored = (tmp_path / "results" / "squares.json").read_text()
    assert stored == (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"scenario": "cubes"}, "no scenario 'cubes'; the scenarios are: squares"),
        ({"preset": "datacenter"}, "squares measures small, scale, not datacenter"),
        ({"store": True, "quick": True}, "A quick run is not stored"),
        ({"scenario": None, "json_file": "x.json"}, "name one scenario too"),
    ],
)
def test_what_cannot_be_is_one_sentence(folder, options, sentence):
    with pytest.raises(Failure, match=sentence):
        call(folder, **options)


def test_a_scenario_without_measure_is_named(folder):
    (folder / "hollow.py").write_text('"""Nothing."""\n')
    with pytest.raises(Failure, match=r"hollow has no function measure\(request\)"):
        call(folder, "hollow")
