# SPDX-License-Identifier: Apache-2.0
"""The Linux kernel as client and as server over every kind of link, by the wall clock.

The kernel takes its time from nowhere else, so that of the engine follows the wall clock as well
and what waits, waits: transfers are short but for TOEHOLD_FULL=1.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.extent import FULL
from support.laboratory import assert_every_frame_counted, judge_capture
from support.link_cases import FULL_BYTES, LINKS, RetransmissionTimes, limit_s
from support.simulate import run_seed
from toehold.network_namespace import NetworkNamespace
from toehold.simulator_build import build_simulator

pytestmark = pytest.mark.serial

CLIENT = Path(__file__).with_name("engine_client.py")
PRESET = "datacenter"
# TCP_RTO_MIN and TCP_TIMEOUT_INIT.
LINUX = RetransmissionTimes(least_s=0.2, first_s=1.0)
# A ring of bytes takes the simulation some thousand clocks, at a hundred thousand a second when it
# has half a core; twice for the machine's other work.
TURN_S = 0.1
CLOSED = 4

# What test_linux.py and test_active_open.py do not have.
QUICK = {
    "client": {
        "loss_1": 60_000, "loss_10": 60_000, "reorder_5": 100_000, "duplicate_5": 60_000,
        "corrupt_1": 60_000, "delay_50ms": 100_000,
    },
    "server": {
        "loss_1": 60_000, "loss_10": 60_000, "reorder_5": 60_000, "duplicate_5": 60_000,
        "corrupt_1": 60_000, "delay_50ms": 100_000, "mild": 100_000,
    },
}  # fmt: skip
CASES = [
    (role, link, FULL_BYTES if FULL else QUICK[role][link])
    for role in QUICK
    for link in (LINKS if FULL else QUICK[role])
]


@pytest.mark.parametrize("role, link, size", CASES)
def test_transfer(role, link, size, laboratory, tmp_path):
    case = LINKS[link]
    limit = limit_s(LINUX, case, size, PRESET, TURN_S)
    if role == "client":
        with laboratory(preset=PRESET, seed=run_seed(), delay_s=case.delay_s, **case.shares) as lab:
            lab.client("echo", timeout=limit, bytes=size)
        counters = lab.final()
        assert_every_frame_counted(counters)
        assert counters["counters_tcp_bytes_in"] == size
        return
    pcap = tmp_path / "capture.pcap"
    options = {
        **case.options, "seed": run_seed(), "preset": PRESET, "bytes": size,
        "seconds": f"{limit:.1f}", "pcap": pcap,
    }  # fmt: skip
    build_simulator(PRESET, 64)
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with NetworkNamespace() as namespace:
        done = subprocess.run(
            namespace.command([sys.executable, str(CLIENT), "echo", *words]),
            capture_output=True, text=True, timeout=limit + 60,
        )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert json.loads(done.stdout)["finals"] == [CLOSED]
    judge_capture(pcap)
