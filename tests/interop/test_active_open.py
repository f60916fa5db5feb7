# SPDX-License-Identifier: Apache-2.0
"""The engine as the client of the Linux kernel (engine_client.py)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from toehold.network_namespace import NetworkNamespace
from toehold.simulator_build import build_simulator

pytestmark = pytest.mark.serial

CLIENT = Path(__file__).with_name("engine_client.py")
CLOSED, RESET = 4, 5


def run(case: str, width: int = 64, **options: int) -> dict:
    build_simulator("small", width)
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with NetworkNamespace() as namespace:
        done = subprocess.run(
            namespace.command([sys.executable, str(CLIENT), case, "--width", str(width), *words]),
            capture_output=True, text=True, timeout=180,
        )  # fmt: skip
    assert done.returncode == 0, f"{case}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


@pytest.mark.parametrize("connections, size", [(1, 100_000), (20, 5_000)])
def test_echo(connections, size):
    """Linux closes first."""
    outcome = run("echo", connections=connections, bytes=size)
    assert outcome["finals"] == [CLOSED] * connections
    assert outcome["counters"] == {
        "tcp_opened": connections, "tcp_accepted": 0, "tcp_closed": connections,
        "tcp_reset": 0, "tcp_timed_out": 0, "tcp_resets_out": 0,
    }  # fmt: skip


def test_engine_closes_first():
    outcome = run("closes-first", connections=5, bytes=3_000)
    assert outcome["finals"] == [CLOSED] * 5
    assert outcome["counters"]["tcp_opened"] == 5


def test_engine_aborts():
    """Linux has a connection reset that was established, and says so."""
    outcome = run("aborts", connections=3, bytes=2_000)
    assert outcome["ends"] == ["ECONNRESET"] * 3
    assert outcome["finals"] == [CLOSED] * 3
    counters = outcome["counters"]
    assert counters["tcp_opened"] == counters["tcp_resets_out"] == 3
    assert counters["tcp_timed_out"] == 0


def test_refused():
    """Conformance: RFC9293:MUST-12."""
    outcome = run("refused", connections=3)
    assert outcome["finals"] == [RESET] * 3 and outcome["opened"] == [False] * 3
    assert outcome["counters"]["tcp_opened"] == 0 and outcome["counters"]["tcp_reset"] == 3
