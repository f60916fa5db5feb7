# SPDX-License-Identifier: Apache-2.0
"""Rendering of stored results into documents, and that the documents are up to date."""

import json

import pytest

from toehold import docs
from toehold.console import Failure
from toehold.paths import relative

RESULT = {
    "scenario": "rx",
    "quick": False,
    "revision": "abc",
    "config": {},
    "rows": [
        {"payload_bytes": 64, "width_bits": 64, "path": "direct", "clocks": 19, "detail": [1]},
        {"payload_bytes": 1460, "width_bits": 512, "path": "dram", "clocks": 1234.5678},
    ],
    "summary": {"latency_clocks": 19, "goodput_bytes_per_clock": 7.591},
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rx.json").write_text(json.dumps(RESULT))
    return tmp_path


def shown(folder, options=""):
    text = f"before\n<!-- figures:rx{options} -->\nstale\n<!-- /figures -->\nafter\n"
    return docs.render(text, "here", folder)


def test_every_row_and_plain_column(folder):
    assert shown(folder) == (
        "before\n<!-- figures:rx -->\n"
        "| payload (bytes) | width (bits) | path | clocks |\n"
        "|---:|---:|---|---:|\n"
        "| 64 | 64 | direct | 19 |\n"
        "| 1,460 | 512 | dram | 1,235 |\n"
        "<!-- /figures -->\nafter\n"
    )


def test_rendering_twice_changes_nothing(folder):
    once = shown(folder, " columns=clocks,path where=path:dram")
    assert "| clocks | path |\n|---:|---|\n| 1,235 | dram |\n<!-- /figures -->" in once
    assert docs.render(once, "here", folder) == once


def test_rows_without_a_number_are_left_out(folder):
    rows = [*RESULT["rows"], {"path": "bus", "routes": 3}]
    (folder / "rx.json").write_text(json.dumps({**RESULT, "rows": rows}))
    assert "bus" not in shown(folder, " columns=path,clocks")
    assert "| bus | 3 |" in shown(folder, " columns=path,routes")


def test_first_rows_alone(folder):
    text = shown(folder, " columns=path,clocks first=1")
    assert "| direct | 19 |" in text
    assert "dram" not in text


def test_summary(folder):
    text = shown(folder, " summary")
    assert "| latency (clocks) | 19 |" in text
    assert "| goodput (bytes/clock) | 7.591 |" in text


def test_an_example_in_a_fence_is_left_alone(folder):
    text = "```\n<!-- figures:rx -->\nas it is\n<!-- /figures -->\n```\n"
    assert docs.render(text, "here", folder) == text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (" columns=colour", "here: no row of rx has 'colour'"),
        (" rows=3", "here: a region has no option 'rows'"),
        (" first=0", "here: first=0 must be a number of rows"),
    ],
)
def test_a_mistake_is_one_sentence(folder, options, sentence):
    with pytest.raises(Failure, match=sentence):
        shown(folder, options)


def test_a_figure_without_a_result_fails(tmp_path):
    with pytest.raises(Failure, match="here shows rx, but there is no"):
        shown(tmp_path)


def test_svg(tmp_path):
    source = tmp_path / "handshake.json"
    source.write_text('{"signal": [{"name": "valid", "wave": "01.0"}]}')
    drawing = docs.svg(source)
    assert drawing.startswith("<svg") and ">valid<" in drawing
    assert drawing == docs.svg(source)
    source.write_text("{signal: [}")
    with pytest.raises(Failure, match="handshake.json is not JSON"):
        docs.svg(source)


def test_plots_of_stored_results(tmp_path):
    """By the scenario of the same name; without a stored result there is none."""
    assert docs.plotted(tmp_path) == {}
    stored = RESULT | {
        "scenario": "loss",
        "rows": [
            {
                "loss_percent": loss,
                "sender": sender,
                "congestion_control": "reno",
                "time": "wall",
                "goodput_mbit_per_second": 1 / loss,
            }
            for loss in (1, 10)
            for sender in ("engine", "linux")
        ],
    }
    (tmp_path / "loss.json").write_text(json.dumps(stored))
    ((path, text),) = docs.plotted(tmp_path).items()
    assert relative(path) == "docs/figures/loss.svg"
    assert "Toehold (reno)" in text and "Linux (reno)" in text
    assert docs.plotted(tmp_path)[path] == text


def test_the_documents_of_the_repository_are_up_to_date():
    assert [relative(path) for path in docs.stale()] == [], "run `make docs`"
