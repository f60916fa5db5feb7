# SPDX-License-Identifier: Apache-2.0
"""The registry of scenarios and the JSON that a benchmark writes."""

import json

import pytest
from rich.console import Console

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


@pytest.mark.parametrize("lines", [1, 4, 40])
def test_a_narrow_terminal_shows_all(lines, monkeypatch, capsys):
    """12 figures have no room in 80 characters: the table is turned, or cells are folded."""
    console = Console(highlight=False, width=80)
    monkeypatch.setattr(bench, "console", console)
    headings = [f"figure {i}" for i in range(12)]
    cells = [[f"{line:02d}{i:02d},555,666" for i in range(12)] for line in range(lines)]
    shown = bench.tables("Title", headings, [True] * 12, cells)
    assert len(shown) == 1
    for table in shown:
        console.print(table)
    text = capsys.readouterr().out
    assert "…" not in text
    assert text.count(",") == 2 * 12 * lines
    if lines < 40:
        assert all(value in text for line in cells for value in line)
        assert all(text.count(name) == len(shown) for name in headings[2:])


def test_two_tables_where_one_has_no_room(monkeypatch):
    monkeypatch.setattr(bench, "console", Console(width=80))
    cells = [[f"{line},555,666" for _ in range(12)] for line in range(7)]
    first, second = bench.tables("Title", ["figure"] * 12, [True] * 12, cells)
    assert (first.title, second.title) == ("Title", "")
    assert (len(first.columns), len(second.columns)) == (1 + 4, 1 + 3)


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
        ({"check": True}, "--check compares quick runs"),
        ({"check": True, "quick": True, "store": True}, "--check compares quick runs"),
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


def stored_quick(folder, summary):
    folder.mkdir(exist_ok=True)
    document = results.document("squares", {}, [{}], summary, quick=True)
    (folder / "squares.json").write_text(json.dumps(document))
    return folder


@pytest.mark.parametrize(
    "stored, complaint",
    [
        (262144, None),  # the same
        (262144 * 1.029, None),
        (262144 * 1.05, "largest_square is 262,144"),
        (200000, None),  # better
    ],
)
def test_figures_that_became_worse(folder, tmp_path, stored, complaint):
    options = dict(quick=True, check=True, json_file=tmp_path / "out.json")
    options["stored"] = stored_quick(tmp_path / "stored", {"largest_square": stored})
    if complaint is None:
        call(folder, **options)
    else:
        with pytest.raises(Failure, match=complaint):
            call(folder, **options)


def test_figures_that_are_gone_or_were_never_stored(folder, tmp_path):
    options = dict(quick=True, check=True, json_file=tmp_path / "out.json")
    stored = stored_quick(tmp_path / "stored", {"smallest_square": 1})
    with pytest.raises(Failure, match="smallest_square is no longer measured"):
        call(folder, **options, stored=stored)
    with pytest.raises(Failure, match="nothing to compare"):
        call(folder, **options, stored=tmp_path / "nothing")


def test_one_width_is_compared_by_itself(folder, tmp_path):
    document = results.document(
        "squares",
        {"widths_bits": [64, 512]},
        [{}],
        {"largest_square": 1, "other_width": 1},
        quick=True,
    )
    stored = tmp_path / "stored"
    stored.mkdir()
    (stored / "squares.json").write_text(json.dumps(document))
    options = dict(quick=True, check=True, json_file=tmp_path / "out.json", stored=stored)
    call(folder, **options, width=64)
    with pytest.raises(Failure, match="other_width is no longer measured"):
        call(folder, **options)


@pytest.mark.parametrize(
    "name, less_is_better",
    [
        ("clocks_per_frame_many_w64", True),
        ("in_bytes_per_clock", False),
        ("left_over_w64", True),
        ("share_both_256_w64", False),
    ],
)
def test_what_is_worse(name, less_is_better):
    assert bench.worse(name, 110, 100) == less_is_better
    assert bench.worse(name, 90, 100) != less_is_better
    assert not bench.worse(name, 100, 100)
