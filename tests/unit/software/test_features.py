# SPDX-License-Identifier: Apache-2.0
"""What an engine is built without: where the macros come from and where they go."""

import json

import pytest

from toehold import area, cores, elaborate, feature_costs, features
from toehold.console import Failure

TOE = cores.sources([cores.core_of_module("toe").name])


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch):
    for name in features.macros():
        monkeypatch.delenv(name, raising=False)


def test_macros_are_those_of_the_package(monkeypatch):
    assert {features.ALL, "TOEHOLD_GAPS", "TOEHOLD_SACK"} <= set(features.macros())
    monkeypatch.setenv("TOEHOLD_SACK", "0")
    monkeypatch.setenv("TOEHOLD_SEED", "7")  # is no feature
    assert features.given() == {"TOEHOLD_SACK": "0"}
    assert features.of("bulk") == features.given()
    assert features.label(features.of("small")) == "gaps2_sack0"
    assert features.label(features.of("tiny")) == "features0_sack0"


def test_each_is_left_out_by_itself():
    first, second, *others = feature_costs.variants()
    assert first == {} and second == {features.ALL: "0"}
    assert all(len(macros) == 1 for macros in others)
    assert {"TOEHOLD_GAPS": "0"} in others and {"TOEHOLD_TIMESTAMPS": "0"} in others
    assert {"TOEHOLD_PACING": "1"} in others and {"TOEHOLD_PACING": "0"} not in others


@pytest.mark.parametrize(
    ("macros", "sentence"),
    [
        ({"TOEHOLD_GAPS": "0", "TOEHOLD_SACK": "1"}, "TOEHOLD_SACK needs gaps"),
        ({"TOEHOLD_GAPS": "1"}, "TOEHOLD_GAPS must be 0 or at least 2"),
    ],
)
def test_what_does_not_go_together_is_said(macros, sentence, capfd):
    with pytest.raises(Failure, match="toe does not elaborate"):
        elaborate.elaborate("toe", *TOE, defines=macros)
    assert sentence in capfd.readouterr().err


def test_costs_are_differences(tmp_path):
    rows = [{"macros": "all features", "lut4": 200, "ff": 50, "dp16kd": 3},
            {"macros": "TOEHOLD_SACK=0", "lut4": 150, "ff": 48, "dp16kd": 2}]  # fmt: skip
    stored = {"scenario": "synth_features", "quick": False, "revision": "abc", "rows": rows,
              "config": {"date": "2020-02-03"}, "summary": {}}  # fmt: skip
    (tmp_path / "synth_features.json").write_text(json.dumps(stored))
    whole, without = area.features(tmp_path)
    assert whole["built with"] == "all features" and whole["LUT less by (%)"] == 0
    assert (without["LUT"], without["DP16KD"]) == (150, 2)
    assert (without["LUT less by (%)"], without["FF less by (%)"]) == (25, 4)
