# SPDX-License-Identifier: Apache-2.0
"""Tables that put results of synthesis beside each other and beside published figures."""

import json

import pytest

from toehold import area, docs
from toehold.paths import RESULTS


def result(name, rows, **config):
    return {
        "scenario": f"synth_{name}",
        "quick": False,
        "revision": "abc",
        "config": {
            "top": name,
            "preset": "small",
            "width_bits": 64,
            "parameters": {"DataWidth": "64", "Apps": "2"},
            **config,
        },
        "rows": rows,
        "summary": {},
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    tiny = result(
        "tiny",
        [
            {"block": "tiny", "device": "ecp5", "lut4": 30, "lutram": 6, "ff": 20, "dp16kd": 1},
            {"block": "tiny", "device": "xc7", "lut": 15, "lutram": 4, "ff": 21, "bram36": 2},
            {"block": "tiny.part", "device": "ecp5", "lut4": 12, "lutram": 0, "ff": 9},
            {"block": "tiny", "device": "ecp5", "seed": 1, "fmax_mhz": 120.5, "copies": 3},
            {"block": "tiny", "device": "ecp5", "seed": 2, "fmax_mhz": 110.25},
        ],
        set={"Connections": "16"},
        date="2020-02-03",
    )
    (tmp_path / "synth_tiny_small_64.json").write_text(json.dumps(tiny))
    published = [
        {"design": "Theirs", "device": "P", "lut": 40, "ff": 50, "bram36": 6,
         "ours": [["synth_tiny_small_64", "xc7"], ["synth_not_measured_64", "xc7"]]}
    ]  # fmt: skip
    monkeypatch.setattr(area, "PUBLISHED", tmp_path / "published.json")
    (tmp_path / "published.json").write_text(json.dumps(published))
    return tmp_path


def test_area_has_a_row_for_each_device(folder):
    ecp5, xc7 = area.area(folder)
    assert ecp5["configuration"] == "tiny small Apps=2 Connections=16"
    assert (ecp5["LUT"], ecp5["FF"], ecp5["DP16KD"], ecp5["BRAM36"]) == (30, 20, 1, None)
    assert (ecp5["worst_fmax_mhz"], ecp5["best_fmax_mhz"]) == (110.25, 120.5)
    assert (ecp5["copies"], xc7["copies"]) == (3, None)
    assert (ecp5["seeds"], xc7["seeds"]) == ("2", None)
    assert ecp5["by"] == "Yosys, nextpnr, routed"
    assert (xc7["LUT"], xc7["BRAM36"], xc7["worst_fmax_mhz"]) == (15, 2, None)
    assert xc7["by"] == "Yosys, not routed"
    assert (xc7["source"], xc7["of"]) == ("abc", "2020-02-03")


def test_seeds_that_were_not_routed_are_told():
    assert [area._seeds(*of) for of in ((0, 0), (1, 1), (3, 2))] == [None, "1", "3, 1 not routed"]


def test_ours_stands_below_what_was_published(folder):
    theirs, ours = area.published(folder)
    assert (theirs["design"], theirs["LUT"], theirs["by"]) == ("Theirs", 40, "as published")
    assert (ours["LUT"], ours["FF"], ours["BRAM36"], ours["by"]) == (15, 21, 2, area.SYNTHESIS)


def test_what_stands_beside_a_paper_is_stored():
    """A name that is misspelt would never show."""
    for design in json.loads(area.PUBLISHED.read_text()):
        for name, device in design["ours"]:
            rows = json.loads((RESULTS / f"{name}.json").read_text())["rows"]
            assert any(row["device"] == device for row in rows), name


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"top": "toe", "preset": "bulk"}, "all"),
        ({"top": "toe", "preset": "bulk", "macros": {"TOEHOLD_SACK": "0"}}, "all but SACK=0"),
        ({"top": "toe", "preset": "small"}, "all but GAPS=2"),
        ({"top": "toe", "preset": "tiny"}, "none"),
        (
            {
                "top": "toe",
                "preset": "scale",
                "macros": {"TOEHOLD_FEATURES": "0", "TOEHOLD_OPENS": "1"},
            },
            "none but OPENS=1",
        ),
        ({"top": "raw_link", "preset": "small"}, None),
    ],
)
def test_an_engine_says_which_features_it_has(config, words):
    assert area.built_with(config) == words


def test_documents_show_them(folder):
    text = "<!-- figures:published columns=LUT,by -->\n<!-- /figures -->\n"
    assert "| 40 | as published |\n| 15 | Yosys, not routed |" in docs.render(text, "here", folder)


def test_steps_say_where_they_come_from(folder):
    stored = {**result("steps", [{"step": "weigh", "lut4": 7}]), "config": {"date": "2020-02-03"}}
    (folder / "synth_steps.json").write_text(json.dumps(stored))
    row = {"step": "weigh", "lut4": 7, "source": "abc", "of": "2020-02-03"}
    assert area.steps(folder) == [row]
    assert len(area.area(folder)) == 2  # it is of no block, and has no row there
