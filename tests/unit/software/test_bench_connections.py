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
