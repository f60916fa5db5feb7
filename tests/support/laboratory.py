# SPDX-License-Identifier: Apache-2.0
"""The engine on a TAP device, Linux beside it, and tshark to judge what went between them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from toehold.network_namespace import NetworkNamespace
from toehold.options import LinkOptions, RunOptions
from toehold.paths import ROOT
from toehold.run import SimulatorProcess, running, simulator_arguments
from toehold.simulator_build import build_simulator

CLIENT = ROOT / "tests" / "interop" / "linux_client.py"

# Each received frame ends under exactly one of these (docs/architecture.md).
ENDS_OF_A_FRAME = (
    "drop_fcs", "drop_runt", "drop_giant", "drop_mac_address", "drop_ethertype", "drop_overflow",
    "arp_requests_in", "arp_replies_in", "drop_arp_malformed", "drop_arp_not_for_us",
    "drop_ip_version", "drop_ip_header", "drop_ip_checksum", "drop_ip_length",
    "drop_ip_fragment", "drop_ip_address", "drop_ip_protocol",
    "icmp_echo_in", "drop_icmp_checksum", "drop_icmp_type", "drop_icmp_length",
    "tcp_segments_in", "drop_tcp_checksum", "drop_tcp_header",
)  # fmt: skip

# What tshark must not find, and what it says then.
FAULTS = {
    "_ws.malformed": "malformed packet",
    "ip.checksum.status == 0": "bad IP checksum",
    "tcp.checksum.status == 0": "bad TCP checksum",
    "icmp.checksum.status == 0": "bad ICMP checksum",
}


class Lab:
    """One engine that runs, and the namespace in which it is reached as 10.77.0.2."""

    def __init__(
        self, namespace: NetworkNamespace, process: SimulatorProcess, json_file: Path, pcap: Path
    ) -> None:
        self.namespace = namespace
        self.process = process
        self.pcap = pcap
        self._json_file = json_file

    def command(self, *arguments: str, timeout: float = 120.0) -> subprocess.CompletedProcess:
        """Runs inside the namespace; the statistics of the simulation are read meanwhile."""
        child = subprocess.Popen(
            self.namespace.command(["--", *arguments]),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            output, errors = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
            pytest.fail(f"{' '.join(arguments)} took over {timeout} s: {output}{errors}")
        finally:
            self.registers()
        return subprocess.CompletedProcess(arguments, child.returncode, output, errors)

    def client(self, case: str, timeout: float = 120.0, **options) -> dict:
        """A case of linux_client.py, which must say that all bytes were right."""
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        done = self.command(sys.executable, str(CLIENT), case, *words, timeout=timeout)
        assert done.returncode == 0, f"{case}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def registers(self) -> dict[str, int]:
        """The latest statistics, a quarter of a second old at most."""
        latest = None
        for line in self.process.lines(timeout=1.0):
            latest = line
        self.process.check()
        self._latest = latest or getattr(self, "_latest", {})
        return self._latest

    def summary(self) -> dict:
        """Registers, link and TAP at the end, after the engine has stopped."""
        return json.loads(self._json_file.read_text())

    def final(self) -> dict[str, int]:
        """All counters at the end, after the engine has stopped."""
        return self.summary()["registers"]


@contextmanager
def _laboratory(
    folder: Path, preset: str, width: int, settings: dict[str, int], link: LinkOptions, judge: bool
) -> Iterator[Lab]:
    json_file, pcap = folder / "counters.json", folder / "capture.pcap"
    options = RunOptions(preset=preset, width=width, pcap=pcap, link=link)
    arguments = simulator_arguments(options, "wall", json_file)
    for name, value in settings.items():
        arguments += ["--set", f"{name}={value}"]
    simulator = build_simulator(preset, width)
    with running(simulator, arguments) as (namespace, process):
        lab = Lab(namespace, process, json_file, pcap)
        yield lab
    if judge:
        judge_capture(pcap)


@pytest.fixture
def laboratory(tmp_path):
    """laboratory(preset=, width=, settings=, loss=, ...) as a context manager gives a Lab."""
    number = 0

    def make(preset="small", width=64, settings=None, judge=True, **link):
        nonlocal number
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        return _laboratory(folder, preset, width, settings or {}, LinkOptions(**link), judge)

    return make


def tshark(pcap: Path, display_filter: str) -> list[str]:
    """The packets of the capture that the filter lets through, one line each.

    Each is looked at by itself: a retransmission that repeats more than one segment, behind the end
    of what tshark takes for a message, is a fault of its reassembly and not of the sender.
    """
    if shutil.which("tshark") is None:
        pytest.skip("tshark is missing: captures are not judged")
    done = subprocess.run(
        [
            *("tshark", "-r", str(pcap), "-Y", display_filter),
            *("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"),
            *("-o", "tcp.desegment_tcp_streams:FALSE"),
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def judge_capture(pcap: Path) -> None:
    """What the engine sent (it is captured on the engine's side of the link) must be faultless."""
    assert_sends_no_fault(pcap, "ip.src == 10.77.0.2")
    assert_acknowledges_what_came(pcap)


def assert_sends_no_fault(pcap: Path, from_engine: str) -> None:
    """tshark finds nothing wrong with the packets that the filter says are from the engine."""
    if tshark(pcap, f"{from_engine} && ({' || '.join(FAULTS)})"):
        for fault, name in FAULTS.items():
            found = tshark(pcap, f"{from_engine} && {fault}")
            assert not found, f"{name}: {found[:3]}"


def assert_acknowledges_what_came(pcap: Path) -> None:
    """No acknowledgement goes beyond the last byte that a whole segment brought.

    tshark's own judgement of this is of no use on a link that loses and repeats: it does not let a
    retransmission move on what it takes for seen.
    """
    fields = ("ip.src", "tcp.srcport", "tcp.dstport", "tcp.seq_raw", "tcp.len", "tcp.flags",
              "tcp.ack_raw", "tcp.checksum.status", "ip.checksum.status",
              "tcp.checksum.ffff")  # fmt: skip
    command = ["tshark", "-r", str(pcap), "-Y", "tcp", "-T", "fields", "-E", "occurrence=f"]
    command += ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    came: dict[str, int] = {}
    judged = 0
    for number, line in enumerate(done.stdout.splitlines()):
        values = line.split("\t")
        if len(values) != len(fields) or "" in values[:7]:
            continue  # too damaged to be a segment
        source, port, peer_port, seq, length, flags, ack, tcp_sum, ip_sum, all_ones = values
        flag = int(flags, 16)
        if source != "10.77.0.2":
            # Linux sends the other of the two zeros of ones' complement for a checksum of zero:
            # it is right, but tshark calls it bad.
            if (tcp_sum == "1" or all_ones) and ip_sum == "1":
                end = int(seq) + int(length) + bool(flag & 0x02) + bool(flag & 0x01)
                if flag & 0x02 or port not in came or (end - came[port]) % 2**32 < 2**31:
                    came[port] = end % 2**32
        elif flag & 0x10 and peer_port in came:
            judged += 1
            ahead = (int(ack) - came[peer_port]) % 2**32
            assert ahead == 0 or ahead >= 2**31, f"segment {number} acknowledges {ahead} too much"
    assert judged or not came, "no acknowledgement was judged"


def assert_every_frame_counted(counters: dict[str, int]) -> None:
    ends = {name: counters[f"counters_{name}"] for name in ENDS_OF_A_FRAME}
    assert sum(ends.values()) == counters["counters_rx_frames"], ends
