# SPDX-License-Identifier: Apache-2.0
"""Short runs of the scenarios with many connections."""

import pytest

from toehold import bench


@pytest.fixture
def measure():
    def run(name: str, preset: str) -> tuple[list[dict], dict]:
        scenario = bench.find(name)
        request = bench.Request(preset, (64,), True, lambda words: None)
        return scenario.module.measure(request)

    return run


def test_connections(measure):
    """State and payload in DRAM: every connection lives through it, with the right bytes."""
    _, summary = measure("connections", "cached")
    assert summary["established"] == 62  # of 64: a few ids rest
    assert summary["wrong_bytes"] == summary["lost_connections"] == 0
    assert 0 < summary["dram_bytes_per_connection"]


def test_sessions(measure):
    """They stay open, and the line is full of what they send; neither can be more than all, but for
    the segment that was on its way when counting began."""
    rows, summary = measure("sessions", "low-latency")
    assert summary["still_open_w64"] == rows[0]["sessions"]
    segment = 1460 / (rows[0]["clocks"] * 8)
    assert 0.99 < summary["share_of_limit_w64"] <= 1 + segment
    assert rows[0]["seconds_to_open"] >= 0.05 * (rows[0]["sessions"] - 1)
