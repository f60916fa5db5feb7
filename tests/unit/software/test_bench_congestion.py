# SPDX-License-Identifier: Apache-2.0
"""Short runs of the benchmarks of congestion and loss: what they must find in any case, and that
their plots are drawn. The figures that documents show come from the long runs."""

import json
import shutil

import pytest

from toehold import bench, plots, results

SEGMENT = 536  # of the benchmark's receiver


@pytest.fixture(scope="module")
def congestion() -> dict:
    return bench.run(bench.find("congestion"), "datacenter", None, quick=True)


def recoveries(document: dict, experiment: str) -> list[dict]:
    return [row for row in document["rows"] if row["experiment"] == experiment]


def test_slow_start_doubles_the_window_each_round_trip(congestion):
    (row,) = recoveries(congestion, "slow start")
    series = row["series"]
    assert series["cwnd_bytes"][0] // SEGMENT == 10  # RFC 6928
    assert congestion["summary"]["slow_start_growth_per_round_trip"] == pytest.approx(2, rel=0.01)
    assert series["cwnd_bytes"] == sorted(series["cwnd_bytes"]) and not series["lost_ms"]
    assert all(abs(us - 40_000) < 5_000 for us in series["srtt_us"])


def test_one_loss_leaves_seven_tenths_of_what_is_in_flight(congestion):
    """RFC 9438 section 4.6; then 8/15 of a segment each round trip (section 4.3)."""
    (row,) = recoveries(congestion, "one loss")
    assert row["ssthresh_after_bytes"] == row["cwnd_after_bytes"]
    # The most of the round trip counts: up to two segments more than at the sample before.
    left = 0.7 * row["in_flight_before_bytes"]
    assert 0 <= row["cwnd_after_bytes"] - left <= 2 * SEGMENT
    assert row["timeouts"] == 0 and row["recovered_after_ms"] < 60
    over_ms = row["start_ms"] + row["recovered_after_ms"]
    series = row["series"]
    later = [
        (time, cwnd)
        for time, cwnd in zip(series["time_ms"], series["cwnd_bytes"])
        if time > over_ms
    ]
    rounds = (later[-1][0] - over_ms) / 40
    assert rounds > 1
    assert abs((later[-1][1] - row["cwnd_after_bytes"]) / SEGMENT - 8 / 15 * rounds) <= 1


def test_a_lost_retransmission_is_told_by_what_comes_after_it(congestion):
    """RFC 8985: without the timer, whose window would be one segment. It counts as a loss again."""
    rows = recoveries(congestion, "repeated loss")
    assert [row["timeouts"] for row in rows] == [0, 0]
    assert SEGMENT < rows[-1]["cwnd_after_bytes"] < 0.7 * rows[-1]["ssthresh_after_bytes"] + SEGMENT
    assert congestion["summary"]["repeated_loss_retransmitted_segments"] == 3


def test_two_flows_share_a_bottleneck(congestion):
    assert congestion["summary"]["two_flows_least_jain_index"] >= 0.95
    assert 1.5 < congestion["summary"]["two_flows_least_goodput_mbit_per_second"] < 2


@pytest.fixture(scope="module")
def pacing() -> dict:
    return bench.run(bench.find("pacing"), "datacenter", None, quick=True)


def test_a_paced_window_fits_into_a_short_queue(pacing):
    """The first window, of ten segments, is more than the queue of eight frames holds; what a link
    takes at the pace of its round trip needs none."""
    summary = pacing["summary"]
    assert summary["one_flow_unpaced_most_at_once"] == 10
    assert summary["one_flow_unpaced_lost_frames"] >= 2
    assert summary["one_flow_paced_most_at_once"] == 1
    assert summary["one_flow_paced_lost_frames"] == 0
    goodput = "goodput_mbit_per_second"
    off, on = (
        row for row in pacing["rows"] if row["queue_frames"] == 8 and "jain_index" not in row
    )
    assert on[goodput] > 1.3 * off[goodput]
    # Where nothing is lost the pace costs half a round trip once: the first window's.
    off, on = (row for row in pacing["rows"] if row["queue_frames"] == 1000)
    assert on[goodput] > 0.95 * off[goodput]


def test_plots_are_the_same_each_time(congestion):
    module = bench.find("congestion").module
    drawn = plots.draw(module, congestion)
    assert set(drawn) == {"congestion", "fairness"}
    assert drawn == plots.draw(module, json.loads(json.dumps(congestion)))
    assert all(text.startswith("<?xml") and "virtual time" in text for text in drawn.values())


@pytest.mark.serial
def test_loss_measures_every_sender(tmp_path):
    if shutil.which("unshare") is None:
        pytest.skip("unshare is missing: nothing is measured beside Linux")
    scenario = bench.find("loss")
    document = bench.run(scenario, "datacenter", None, quick=True)
    assert {row["sender"] for row in document["rows"]} == {"engine", "linux"}
    assert {row["congestion_control"] for row in document["rows"]} >= {
        *("newreno", "cubic_friendly", "reno")
    }
    for row in document["rows"]:
        assert row["loss_percent"] == 1
        if row["time"] == "virtual":
            assert 0.4 < row["share_of_lossless"] < 1, row
        else:
            # By wall clock, beside other tests: a lost segment may cost most of so short a time.
            assert sum(row["bytes_by_seed"]) > 10_000, row
    # How good it is, is said by the long run on a quiet machine.
    assert document["summary"]["goodput_ratio_to_linux_1pct"] > 0.2
    assert "ratios within one run" in document["notes"]
    (path,) = plots.write(scenario.module, document, tmp_path)
    drawn = (tmp_path / "loss.svg").read_text()
    assert "Toehold (newreno)" in drawn and "Toehold (cubic_friendly)" in drawn
    assert sorted(document) == sorted([*results.KEYS, "notes"])
