# SPDX-License-Identifier: Apache-2.0
"""TCP/IP stacks that are not ours as peers, in virtual time: gVisor, smoltcp, lwIP, and Toehold.

Each moves data both ways, as client and as server, over every kind of link; what comes back is
compared by hash, and tshark judges the capture. One transfer by hand: peer_transfer.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.extent import FULL
from support.laboratory import assert_every_frame_counted, judge_capture
from support.link_cases import ENGINE, FULL_BYTES, LINKS, LinkCase, limit_s
from support.peers import STACKS, NotAvailable, build_peer
from support.simulate import run_seed
from toehold.simulator_build import build_simulator

pytestmark = pytest.mark.long

TRANSFER = Path(__file__).with_name("peer_transfer.py")
TOEHOLD = "toehold"
WALL_S = 600


def transfer(
    peer: str,
    role: str,
    link: LinkCase,
    pcap: Path,
    preset: str = "datacenter",
    width: int = 64,
    size: int | None = None,
    record=None,
) -> dict:
    """Runs peer_transfer.py; what it printed, judged. `record` is pytest's record_property."""
    __tracebackhide__ = True
    if peer != TOEHOLD:
        try:
            build_peer(peer)
        except NotAvailable as reason:
            pytest.skip(f"{peer}: not available because {reason}")
    build_simulator(preset, width)
    size = size or (FULL_BYTES if FULL else link.bytes)
    times = ENGINE if peer == TOEHOLD else STACKS[peer].times
    limit = limit_s(times, link, size, preset)
    options = {
        "preset": preset, "width": width, "bytes": size, "seed": run_seed(),
        **link.options, "limit": f"{limit:.1f}s", "pcap": pcap,
    }  # fmt: skip
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, str(TRANSFER), peer, role, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WALL_S)
    said = f"{' '.join(command[1:])}\n{done.stderr}"
    if not done.stdout:
        pytest.fail(f"ended with {done.returncode}: {said}", pytrace=False)
    outcome = json.loads(done.stdout)
    if record:
        record(
            "transfer",
            json.dumps({
                "link": next(name for name, case in LINKS.items() if case == link),
                "peer": peer, "role": role, "bytes": size,
                "virtual_seconds": outcome["virtual_s"], "limit_seconds": limit,
                "retransmitted_segments":
                    outcome["registers"]["counters_tcp_retransmitted_segments"],
                "timeouts": outcome["registers"]["counters_tcp_retransmit_timeouts"],
            }),
        )  # fmt: skip
    if not outcome["finished"]:
        how = "before the connection broke" if outcome["failed"] else "in time"
        pytest.fail(f"{outcome['received']} of {size} bytes came back {how}: {said}", False)
    if not outcome["same"]:
        pytest.fail(f"what came back is not what was sent: {said}", pytrace=False)
    assert outcome["received"] == size
    judge(outcome, role, size)
    judge_capture(pcap)
    return outcome


def judge(outcome: dict, role: str, size: int) -> None:
    """The engine's own account of one connection that was opened, used and closed in order."""
    counters = outcome["registers"]
    assert_every_frame_counted(counters)
    expected = {
        "tcp_accepted": int(role == "client"), "tcp_opened": int(role == "server"),
        "tcp_closed": 1, "tcp_reset": 0, "tcp_timed_out": 0,
        "tcp_bytes_in": size, "tcp_bytes_out": size,
    }  # fmt: skip
    assert {name: counters[f"counters_{name}"] for name in expected} == expected


def assert_faults(outcome: dict, kind: str, share: float) -> None:
    """The link did what the case is about, and nothing else."""
    directions = (outcome["to_peer"], outcome["to_engine"])
    frames = sum(direction["frames_in"] for direction in directions)
    found = sum(direction[kind] for direction in directions)
    assert found > 0 if share * frames > 10 else found == 0 or share > 0, f"{found} {kind}"


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("role", ["client", "server"])
@pytest.mark.parametrize("peer", STACKS)
def test_transfer(peer, role, link, tmp_path, record_property):
    case = LINKS[link]
    outcome = transfer(peer, role, case, tmp_path / "capture.pcap", record=record_property)
    assert_faults(outcome, "lost", case.loss)
    assert_faults(outcome, "reordered", case.reorder)
    assert_faults(outcome, "duplicated", case.duplicate)
    assert_faults(outcome, "corrupted", case.corrupt)


@pytest.mark.parametrize("role", ["client", "server"])
@pytest.mark.parametrize("link", LINKS)
def test_toehold_to_toehold(role, link, tmp_path, record_property):
    size = FULL_BYTES if FULL else 100_000
    capture = tmp_path / "capture.pcap"
    transfer(TOEHOLD, role, LINKS[link], capture, size=size, record=record_property)


# Rings of 2 KiB hold one or two segments: what is lost is only ever missed by the timer.
@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("peer", STACKS)
def test_small_rings(peer, width, tmp_path):
    transfer(
        *(peer, "client", LINKS["mild"], tmp_path / "capture.pcap"),
        preset="small", width=width, size=FULL_BYTES if FULL else 50_000,
    )  # fmt: skip


@pytest.mark.parametrize("peer", STACKS)
def test_same_seed_same_run(peer, tmp_path):
    """Otherwise a failure could not be looked into."""
    outcomes, captures = [], []
    for number in range(2):
        pcap = tmp_path / f"{number}.pcap"
        outcome = transfer(peer, "server", LINKS["mild"], pcap, size=50_000)
        del outcome["wall_s"]
        outcomes.append(outcome)
        captures.append(pcap.read_bytes())
    assert outcomes[0] == outcomes[1]
    assert captures[0] == captures[1]
