# SPDX-License-Identifier: Apache-2.0
"""`toehold run` as the first page of the documents has it, with the engine."""

import json
import subprocess
import sys

import pytest

from toehold.simulator_build import build_simulator

pytestmark = pytest.mark.serial

SECONDS = 120
PAGE = "http://10.77.0.2/"


def toehold(*arguments: str) -> subprocess.CompletedProcess:
    build_simulator()  # not a part of the time
    return subprocess.run(
        [sys.executable, "-m", "toehold", "run", *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def test_demonstration(tmp_path):
    summary = tmp_path / "summary.json"
    done = toehold("--duration", "2s", "--json", str(summary))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout
    assert "3 received, 0% packet loss" in done.stdout
    assert "<h1>Toehold</h1>" in done.stdout
    assert "returned the same" in done.stdout
    assert "It ends after 2 s." in done.stdout and "clocks/s" in done.stdout
    counters = json.loads(summary.read_text())["registers"]
    assert counters["counters_icmp_echo_in"] == counters["counters_icmp_echo_out"] == 3
    # The page and the echo.
    assert counters["counters_tcp_accepted"] == 2
    assert counters["counters_tcp_bytes_in"] > 1_000_000 < counters["counters_tcp_bytes_out"]


def test_page_and_status_of_a_command():
    done = toehold("--", "curl", "-s", PAGE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("<!DOCTYPE html>") and "<h1>Toehold</h1>" in done.stdout
    refused = toehold("--", "curl", "-s", "http://10.77.0.2:4242/")
    assert (refused.returncode, refused.stdout) == (7, "")
