# SPDX-License-Identifier: Apache-2.0
"""toehold-sim fed from captures, on the stand-in for the engine. Needs no privilege."""

import json
import random
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Padding, Raw
from scapy.utils import RawPcapNgReader, RawPcapReader, wrpcap

from toehold.simulator_build import build_simulator
from unit.simulation.stand_in_build import stand_in

SECONDS = 60

SOURCE, ENGINE = "02:54:4f:45:00:02", "02:54:4f:45:00:01"


def sim(*arguments: object, check: bool = True) -> subprocess.CompletedProcess:
    command = [stand_in(64).program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def frames(count: int) -> list[bytes]:
    """IPv4 by their type, which the link model corrupts without a mark."""
    source = random.Random(3)
    header = bytes(12) + b"\x08\x00"
    return [header + source.randbytes(source.randint(60, 1400)) for _ in range(count)]


def capture(path: Path, frames: list[bytes], gap_us: int = 100) -> Path:
    """A pcap in microseconds, which starts some time in 2001."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            seconds, micros = divmod(1_000_000_000 * 1_000_000 + number * gap_us, 1_000_000)
            file.write(struct.pack("<IIII", seconds, micros, len(frame), len(frame)) + frame)
    return path


def captured(path: Path) -> list[tuple[float, bytes]]:
    """Time in nanoseconds and bytes, by scapy's reader."""
    with RawPcapReader(str(path)) as reader:
        assert reader.nano
        return [(meta.sec * 10**9 + meta.usec, data) for data, meta in reader]


def ask_for_engine() -> tuple[bytes, bytes]:
    """An ARP request, by which the engine knows who asks, and the engine's address."""
    asks = ARP(hwsrc=SOURCE, psrc="10.77.0.1", pdst="10.77.0.2")
    frame = bytes(Ether(src=SOURCE, dst="ff:ff:ff:ff:ff:ff") / asks / Padding(bytes(18)))
    return frame, bytes.fromhex(ENGINE.replace(":", ""))


def answer_to(frame: bytes) -> bytes:
    return frame[6:12] + frame[:6] + frame[12:26] + frame[30:34] + frame[26:30] + frame[34:]


def replay(tmp_path: Path, sent: list[bytes], *options: object, gap_us: int = 100):
    """What was captured, and the summary."""
    out, summary = tmp_path / "out.pcap", tmp_path / "summary.json"
    given = capture(tmp_path / "in.pcap", sent, gap_us)
    sim("--replay", given, "--time", "cycles", "--pcap", out, "--json", summary, *options)
    return captured(out), json.loads(summary.read_text())


def test_a_capture_is_replayed_at_its_times(tmp_path):
    sent = frames(30)
    result, summary = replay(tmp_path, sent, gap_us=1000)
    assert sorted(data for _, data in result) == sorted([*sent, *map(answer_to, sent)])
    arrivals = [when for when, data in result if data in sent]
    # Frames wait for the end of a slice of 64 clocks of 6.4 ns.
    for earlier, later in zip(arrivals, arrivals[1:], strict=False):
        assert abs(later - earlier - 1_000_000) < 1000
    assert [when for when, _ in result] == sorted(when for when, _ in result)
    assert summary["registers"]["counters_rx_frames"] == 30
    assert summary["outside"] == {"received": 30, "sent": 30, "refused": 0, "dropped_bad_fcs": 0}


def test_gaps_are_skipped_not_simulated(tmp_path):
    _, summary = replay(tmp_path, frames(3), gap_us=1_000_000)
    assert summary["simulated_us"] > 2_000_000
    assert summary["clocks"] < 20_000_000


def test_the_same_seed_gives_the_same_run(tmp_path):
    options = ("--loss", 0.1, "--reorder", 0.1, "--duplicate", 0.1, "--corrupt", 0.1)
    sent = frames(100)
    first, summary = replay(tmp_path, sent, *options, "--seed", 5)
    second, _ = replay(tmp_path, sent, *options, "--seed", 5)
    third, _ = replay(tmp_path, sent, *options, "--seed", 6)
    assert first == second != third
    link = summary["to_engine"]
    assert all(link[fate] for fate in ("lost", "reordered", "duplicated", "corrupted"))
    assert link["frames_out"] == link["frames_in"] - link["lost"] + link["duplicated"]
    assert summary["registers"]["counters_rx_frames"] == link["frames_out"]


def test_directions_have_their_own_faults(tmp_path):
    _, summary = replay(tmp_path, frames(50), "--from-engine-loss", 1)
    assert summary["to_engine"]["lost"] == 0
    assert summary["from_engine"]["lost"] == 50
    assert summary["outside"]["sent"] == 0


def test_corruption_can_carry_the_mark(tmp_path):
    options = ("--to-engine-corrupt", 1, "--to-engine-corrupt-marks-fcs")
    _, summary = replay(tmp_path, frames(20), *options)
    assert summary["registers"]["counters_drop_fcs"] == 20


def test_marked_frames_do_not_leave(tmp_path):
    options = ("--from-engine-corrupt", 1, "--from-engine-corrupt-marks-fcs")
    _, summary = replay(tmp_path, frames(20), *options)
    assert summary["outside"]["dropped_bad_fcs"] == 20
    assert summary["outside"]["sent"] == 0


def test_delay_is_simulated_time(tmp_path):
    sent = frames(10)
    near, _ = replay(tmp_path, sent, "--pcap-at", "tap")
    far, _ = replay(tmp_path, sent, "--pcap-at", "tap", "--delay-us", 200)

    def span(result):
        start = next(when for when, data in result if data == sent[0])
        return next(when for when, data in result if data == answer_to(sent[0])) - start

    # Time advances by slices, so each of four hand-overs may wait for one.
    assert 400_000 <= span(far) - span(near) < 404_000


def test_rate_limits(tmp_path):
    sent = [frames(1)[0][:14] + bytes(986)] * 50
    _, summary = replay(tmp_path, sent, "--to-engine-rate-bps", "1e6", gap_us=0)
    # 1024 bytes with overhead at 1 Mbit/s: 8.192 ms each.
    assert 50 * 8192 <= summary["simulated_us"] <= 50 * 8192 + 2000


def test_registers_are_set_before_the_first_frame(tmp_path):
    options = ("--set", "network_ip_address=0x0a000001", "--set", "tcp_rto_min_us=1234")
    _, summary = replay(tmp_path, frames(1), *options)
    assert summary["registers"]["network_ip_address"] == 0x0A000001
    assert summary["registers"]["tcp_rto_min_us"] == 1234


def test_secrets_can_be_set_but_are_not_shown(tmp_path):
    _, summary = replay(tmp_path, frames(1), "--set", "tcp_isn_secret_0=0xffffffff")
    assert not [name for name in summary["registers"] if "secret" in name or "key" in name]


def test_applications_are_chosen(tmp_path):
    _, summary = replay(tmp_path, frames(5), "--apps", 0)
    assert summary["from_engine"]["frames_in"] == 0


def test_statistics_are_lines_of_json(tmp_path):
    given = capture(tmp_path / "in.pcap", frames(2), gap_us=3_600_000_000)
    program = subprocess.Popen(
        [
            *(stand_in(64).program, "--replay", given, "--stats-fd", "1", "--stats-ms", "50"),
            *("--time", "wall"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = [json.loads(program.stdout.readline()) for _ in range(4)]
    program.send_signal(signal.SIGTERM)
    assert program.wait(10) == 0
    assert lines[0]["ready"] and lines[0]["preset"] == "small" and lines[0]["data_width"] == 64
    assert lines[1]["outside"]["received"] == 1
    for earlier, later in zip(lines[1:], lines[2:], strict=False):
        assert later["simulated_us"] - earlier["simulated_us"] >= 45_000
        assert later["clocks"] > earlier["clocks"]
    assert lines[-1]["busy_s"] < lines[-1]["wall_s"]


def test_a_reader_that_stops_reading_stops_nothing(tmp_path):
    given = capture(tmp_path / "in.pcap", frames(2), gap_us=1_500_000)
    program = subprocess.Popen(
        [stand_in(64).program, "--replay", given, "--stats-fd", "1", "--stats-ms", "10"],
        stdout=subprocess.PIPE,
    )
    assert program.wait(30) == 0
    program.stdout.close()


def test_the_duration_ends_it(tmp_path):
    given = capture(tmp_path / "in.pcap", frames(2), gap_us=3_600_000_000)
    started = time.monotonic()
    sim("--replay", given, "--duration-s", 0.5)
    assert time.monotonic() - started >= 0.5


def test_help_and_version():
    assert "--replay FILE" in sim("--help").stdout
    assert sim("--version").stdout == "toehold-sim, preset small, 64 bits\n"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([], "give exactly one of --tap, --tap-fd and --replay"),
        (["--tap", "x", "--replay", "y"], "give exactly one of"),
        (["--replay"], "--replay needs a value"),
        (["--nonsense"], "there is no option --nonsense"),
        (["nonsense"], "'nonsense' is not an option"),
        (["--loss", "1.5"], "--loss takes a number from 0 to 1, not '1.5'"),
        (["--loss", "-1"], "--loss takes a number from 0 to 1, not '-1'"),
        (["--to-engine-loss", "x"], "--to-engine-loss takes a number"),
        (["--seed", "-1"], "--seed takes a whole number"),
        (["--apps", "32"], "--apps takes a whole number from 0 to 31"),
        (["--time", "tea"], "--time takes wall or cycles, not 'tea'"),
        (["--set", "x"], "--set takes NAME=VALUE"),
        (["--set", "x=1"], "there is no register x"),
        (["--set", "counters_rx_frames=1"], "cannot be written"),
        (["--set", "network_mac_high=0x10000"], "takes a whole number from 0 to 65535"),
        (["--replay", "x", "--wave", "y"], "cannot write waveforms"),
        (["--replay", "x", "--wave-from-us", "9", "--wave-to-us", "9"], "end before they start"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments, sentence):
    done = sim(*arguments, check=False)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_wrong_files_are_one_sentence(tmp_path):
    junk = tmp_path / "junk"
    junk.write_bytes(b"not a capture at all, but long enough")
    given = capture(tmp_path / "in.pcap", frames(1))
    cases = [
        (["--replay", "/nonexistent"], "cannot read the capture /nonexistent"),
        (["--replay", junk], "is not a pcap file"),
        (["--replay", given, "--pcap", "/nonexistent/x"], "cannot write the capture"),
        (["--replay", given, "--json", "/nonexistent/x"], "cannot write /nonexistent/x"),
        (["--tap-fd", "99"], "descriptor 99 is not a TAP interface"),
        (["--tap", "a" * 20], "1 to 15 characters"),
    ]
    for arguments, sentence in cases:
        done = sim(*arguments, check=False)
        assert done.returncode == 1
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


def test_what_scapy_writes_is_read(tmp_path):
    """Captures of other tools: nanoseconds, and the newer format, which is refused by name."""
    path = tmp_path / "scapy.pcap"
    wrpcap(str(path), [bytes(60), bytes(61)], nano=True, linktype=1)
    out = tmp_path / "out.pcap"
    sim("--replay", path, "--time", "cycles", "--pcap", out)
    assert {len(data) for _, data in captured(out)} == {60, 61}
    newer = tmp_path / "newer.pcapng"
    newer.write_bytes(struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28))
    with RawPcapNgReader(str(newer)):
        pass
    assert "pcapng is not supported" in sim("--replay", newer, check=False).stderr


def test_a_stop_behind_a_report_loses_no_frame(tmp_path):
    """Thousands of clocks pass while counters are read for a report, and a frame may leave in them:
    it is captured, even if the run ends there."""
    program = build_simulator("small", 64).program
    ask, address = ask_for_engine()
    echo = Ether(src=SOURCE, dst=ENGINE) / IP(src="10.77.0.1", dst="10.77.0.2") / ICMP()
    sent = [ask, *[bytes(echo / Raw(bytes(1300)))] * 20_000]
    given = capture(tmp_path / "in.pcap", sent, gap_us=2)  # 168 of 312 clocks: one is on its way
    for number in range(5):
        out, summary = tmp_path / f"{number}.pcap", tmp_path / "summary.json"
        with (tmp_path / "reports").open("wb") as reports:
            command = [program, "--replay", given, "--time", "cycles", "--pcap", out]
            command += ["--json", summary, "--stats-ms", "10", "--duration-s", "0"]
            command += ["--stats-fd", str(reports.fileno())]
            subprocess.run(command, pass_fds=[reports.fileno()], check=True, timeout=SECONDS)
        registers = json.loads(summary.read_text())["registers"]
        assert 1 < registers["counters_tx_frames"] <= registers["counters_rx_frames"] < 20_000
        seen = sum(data[6:12] == address for _, data in captured(out))
        assert seen == registers["counters_tx_frames"]


def test_nothing_is_sent_while_the_last_counters_are_read(tmp_path):
    """A SYN-ACK is due again after two seconds, about as many clocks as a replay waits at its end:
    wherever that falls, what the capture holds is what the counters say."""
    program = build_simulator("small", 64).program
    ask, address = ask_for_engine()
    sent = [
        ask,
        bytes(Ether(src=SOURCE, dst=ENGINE) / IP(src="10.77.0.1", dst="10.77.0.2")
              / TCP(sport=4000, dport=7, flags="S", seq=1) / Padding(bytes(6))),
    ]  # fmt: skip
    given = capture(tmp_path / "in.pcap", sent)
    out, summary = tmp_path / "out.pcap", tmp_path / "summary.json"
    in_all = set()
    for clocks in range(19_000, 24_000, 200):
        command = [program, "--replay", given, "--time", "cycles", "--pcap", out, "--json", summary]
        command += ["--apps", "1", "--clock-ps", str(2 * 10**12 // clocks)]
        subprocess.run(command, check=True, timeout=SECONDS)
        seen = sum(data[6:12] == address for _, data in captured(out))
        assert seen == json.loads(summary.read_text())["registers"]["counters_tx_frames"]
        in_all.add(seen)
    assert len(in_all) > 1, "the end was never beside a frame"
