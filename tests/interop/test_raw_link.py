# SPDX-License-Identifier: Apache-2.0
"""The raw link's C library with the RTL over TAP, and with itself over a pair of interfaces."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.extent import FULL
from support.laboratory import Lab
from support.simulate import run_seed
from toehold.install import install_raw_link
from toehold.network_namespace import NetworkNamespace
from toehold.options import LinkOptions, RunOptions
from toehold.raw_link import HARDWARE_MAC, MTU, build_raw_link
from toehold.run import RAW_WIDTH, running, simulator_arguments
from toehold.simulator_build import RAW_PONG, build_simulator

CLIENT = Path(__file__).with_name("raw_link_client.py")
IMPAIRED = {"loss": 0.01, "reorder": 0.01, "duplicate": 0.01, "corrupt": 0.01}
TABLE = 16  # connections of either end

serial = pytest.mark.serial

# Each frame that came in ends under one of these.
ENDS = ("delivered", "acknowledgements_in", "refusals_in")


def assert_every_frame_counted(counters: dict[str, int]) -> None:
    drops = sum(
        n for name, n in counters.items() if name.startswith("drop_") and "_tx_" not in name
    )
    assert drops + sum(counters[name] for name in ENDS) == counters["rx_frames"], counters


class RawLab(Lab):
    """The pong in RTL on a TAP device, and users of the C library."""

    def use(self, case: str, *options: str, timeout: float = 120.0) -> dict:
        words = [str(build_raw_link().library), "toe0", HARDWARE_MAC, case, *options]
        done = self.command(sys.executable, str(CLIENT), *words, timeout=timeout)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def counters(self) -> dict[str, int]:
        """Of the hardware, at the end."""
        return {name.removeprefix("counters_"): n for name, n in self.final().items()}


@contextmanager
def raw_laboratory(folder: Path, **link):
    json_file, pcap = folder / "counters.json", folder / "capture.pcap"
    options = RunOptions(app="raw-pong", pcap=pcap, link=LinkOptions(seed=run_seed(), **link))
    arguments = simulator_arguments(options, "wall", json_file)
    simulator = build_simulator("small", RAW_WIDTH, design=RAW_PONG)
    with running(simulator, arguments, MTU) as (namespace, process):
        yield RawLab(namespace, process, json_file, pcap)


@serial
def test_programs_reach_the_hardware(tmp_path):
    programs = build_raw_link().folder
    with raw_laboratory(tmp_path) as lab:
        for size in (0, 1, 41, 42, 1000, 9001, 16383):
            done = lab.command(
                *(str(programs / "rlping"), "-c", "2", "-i", "1", "-s", str(size)), HARDWARE_MAC
            )
            assert done.returncode == 0 and "2 received, 0 wrong" in done.stdout, done.stdout
        words = ["-c", "20", "--json", "--unreliable", HARDWARE_MAC]
        done = lab.command(str(programs / "rlperf"), *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert [row["received"] for row in json.loads(done.stdout)["rows"]] == [20] * 13
    counters = lab.counters()
    assert counters["opened"] == counters["closed"] == 8
    assert counters["lost"] == 0
    assert_every_frame_counted(counters)


@serial
def test_bad_link_to_the_hardware(tmp_path):
    """Towards the hardware nothing is lost or repeated; what it sends once may be lost, and is
    noticed by the gap, but nothing of it comes twice or out of order."""
    count = 3000 if FULL else 600
    with raw_laboratory(tmp_path, **IMPAIRED) as lab:
        result = lab.use("transfer", "--frames", str(count))
    counters, statistics = lab.counters(), result["statistics"]
    assert counters["delivered"] == count + 2  # First and Last
    assert counters["opened"] == counters["closed"] == 1
    assert counters["drop_duplicate"] > 0 and counters["drop_fcs"] > 0
    assert statistics["retransmitted"] > 0
    assert result["wrong"] == 0
    assert 0.9 * count < result["received"] <= count
    # What was lost behind the last frame that came cannot be noticed.
    assert result["received"] + statistics["lost"] <= count
    assert result["received"] + statistics["lost"] >= count - 8
    assert_every_frame_counted(counters)
    assert_every_frame_counted(statistics)


@serial
def test_hardware_table_full_and_cids_used_again(tmp_path):
    with raw_laboratory(tmp_path) as lab:
        result = lab.use("fill", "--frames", str(TABLE + 3))
        assert (result["opened"], result["refused"], result["answers"]) == (TABLE, 3, TABLE)
        result = lab.use("reuse", "--frames", "300")
        assert result["answers"] == 300
    counters = lab.counters()
    assert counters["drop_table_full"] == 3
    assert counters["opened"] == counters["closed"] == TABLE + 1 + 300
    assert_every_frame_counted(counters)


class Pair:
    """Two interfaces with a cable between, in one namespace; a pong on the second."""

    def __init__(self, namespace: NetworkNamespace, pong: subprocess.Popen, mac: str) -> None:
        self.namespace, self.pong, self.mac = namespace, pong, mac

    def use(self, case: str, *options: str) -> dict:
        words = [str(build_raw_link().library), "near", self.mac, case, *options]
        done = subprocess.run(
            self.namespace.command(["--", sys.executable, str(CLIENT), *words]),
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def end(self) -> dict[str, int]:
        """The pong's statistics."""
        self.pong.terminate()
        output, _ = self.pong.communicate(timeout=20)
        return json.loads(output)


def impairment_options(seed: int) -> list[str]:
    words = [f"--{name}={value}" for name, value in IMPAIRED.items()]
    return [*words, f"--seed={seed}"]


@contextmanager
def pair(*options: str):
    mac = "02:00:00:00:00:02"
    with NetworkNamespace() as namespace:
        ends = ("near", "address", "02:00:00:00:00:01", "type", "veth")
        namespace.run("ip", "link", "add", *ends, "peer", "name", "far", "address", mac)
        for name in ("near", "far"):
            namespace.run("ip", "link", "set", name, "mtu", str(MTU), "up")
        program = build_raw_link().program("rlpong")
        command = [str(program), "-I", "far", "--json", *options]
        pong = subprocess.Popen(
            namespace.command(["--", *command]), stdout=subprocess.PIPE, text=True
        )
        try:
            yield Pair(namespace, pong, mac)
        finally:
            if pong.poll() is None:
                pong.kill()
                pong.wait()


@serial
def test_library_to_library(tmp_path):
    with pair() as ends:
        result = ends.use("transfer", "--frames", "2000", "--longest", "16383")
        assert (result["received"], result["wrong"]) == (2000, 0)
        assert result["statistics"]["lost"] == 0
        result = ends.use("transfer", "--frames", "500", "--unreliable")
        assert result["wrong"] == 0
        counters = ends.end()
    assert counters["opened"] == counters["closed"] == 2
    assert_every_frame_counted(counters)


@serial
def test_library_to_library_over_a_bad_link():
    """Both ends repeat: all comes back, once and in order."""
    count = 20_000 if FULL else 3000
    with pair(*impairment_options(run_seed() + 100)) as ends:
        result = ends.use("transfer", "--frames", str(count), *impairment_options(run_seed()))
        assert (result["received"], result["wrong"]) == (count, 0)
        counters, statistics = ends.end(), result["statistics"]
    for side in (counters, statistics):
        assert side["lost"] == 0 and side["retransmitted"] > 0
        assert all(side[f"impaired_{what}"] > 0 for what in ("lost", "reordered", "duplicated"))
        assert side["impaired_corrupted"] > 0
        assert_every_frame_counted(side)
    assert counters["delivered"] == count + 2


@serial
def test_lossy_link_without_acknowledgement():
    """What is sent once comes in order and once, or not at all, and what is missing is noticed."""
    count = 2000
    with pair() as ends:
        words = impairment_options(run_seed() + 200)
        result = ends.use("transfer", "--frames", str(count), "--unreliable", *words)
        counters, statistics = ends.end(), result["statistics"]
    assert statistics["impaired_lost"] > 0 and statistics["impaired_corrupted"] > 0
    assert result["wrong"] == 0 and 0 < result["received"] < count
    # What was lost behind the last frame that came cannot be noticed.
    assert 0 < counters["lost"] <= count - result["received"]
    assert counters["closed"] == 1
    assert_every_frame_counted(counters)


@serial
def test_library_table_full_and_cids_used_again():
    with pair() as ends:
        result = ends.use("fill", "--frames", str(TABLE + 3))
        assert (result["opened"], result["refused"], result["answers"]) == (TABLE, 3, TABLE)
        assert ends.use("reuse", "--frames", "600")["answers"] == 600
        counters = ends.end()
    assert counters["drop_table_full"] == 3
    assert counters["opened"] == counters["closed"] == TABLE + 1 + 600
    assert_every_frame_counted(counters)


PROGRAM = """
#include <stdio.h>
#include <toehold_raw_link.h>
int main(void) {
  uint8_t mac[6];
  rawlink_options options;
  rawlink_default_options(&options);
  if (rawlink_open("no such interface", &options) != NULL) return 1;
  perror("rawlink_open");
  return rawlink_parse_mac("02:54:4f:45:00:01", mac) || mac[1] != 0x54;
}
"""


def test_installed(tmp_path):
    """A program is built with what pkg-config says, and nothing of the repository."""
    prefix = tmp_path / "prefix"
    install_raw_link(build_raw_link(), prefix)
    (tmp_path / "program.c").write_text(PROGRAM)
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    flags = ["-I", str(prefix / "include"), "-L", str(prefix / "lib"), "-ltoehold_raw_link"]
    try:
        said = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "toehold-raw-link"],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        flags = said.stdout.split()
    except FileNotFoundError:
        pass  # the description itself is then not tried
    program = tmp_path / "program"
    subprocess.run(["cc", "-o", program, tmp_path / "program.c", *flags], check=True)
    environment["LD_LIBRARY_PATH"] = str(prefix / "lib")
    assert subprocess.run([program], env=environment).returncode == 0
    assert subprocess.run([prefix / "bin" / "rlping", "--help"]).returncode == 0
