# SPDX-License-Identifier: Apache-2.0
"""The Linux kernel as the peer, over TAP: every capture is judged by tshark."""

import re
import subprocess
import time

import pytest

from support.laboratory import assert_every_frame_counted, tshark

pytestmark = pytest.mark.serial

IMPAIRED = {"loss": 0.01, "reorder": 0.01, "duplicate": 0.01, "corrupt": 0.01, "delay_s": 200e-6}


def test_ping(laboratory):
    with laboratory() as lab:
        for size, count in ((56, 3), (1400, 3), (1472, 2), (0, 2)):
            done = lab.command("ping", "-c", str(count), "-i", "0.05", "-s", str(size), "10.77.0.2")
            assert f" {count} received" in done.stdout, done.stdout
        done = lab.command("ping", "-q", "-f", "-c", "1000", "10.77.0.2")
        assert " 1000 received" in done.stdout, done.stdout
    counters = lab.final()
    assert counters["counters_icmp_echo_in"] == counters["counters_icmp_echo_out"] == 1010
    assert_every_frame_counted(counters)


def test_curl(laboratory):
    with laboratory() as lab:
        page = lab.command("curl", "-s", "--max-time", "20", "http://10.77.0.2/")
        assert page.returncode == 0 and "<h1>Toehold</h1>" in page.stdout
        head = lab.command("curl", "-sI", "--max-time", "20", "http://10.77.0.2/")
        length = int(re.search(r"Content-Length: (\d+)", head.stdout)[1])
        assert length == len(page.stdout.encode())
        missing = lab.command(
            *("curl", "-s", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}"),
            "http://10.77.0.2/nothing-here",
        )
        assert missing.stdout == "404"
        # Two requests over one connection, and one by the oldest protocol that is still about.
        twice = lab.command("curl", "-sv", "--max-time", "20", *["http://10.77.0.2/"] * 2)
        assert twice.stdout.count("<h1>Toehold</h1>") == 2
        assert "Re-using existing connection" in twice.stderr
        old = lab.command("curl", "-s0", "--max-time", "20", "http://10.77.0.2/")
        assert "<h1>Toehold</h1>" in old.stdout
    assert_every_frame_counted(lab.final())


def test_connections_at_once(laboratory):
    with laboratory() as lab:
        lab.client("many", connections=32, bytes=20_000)
        # The client is done when it has sent its last FIN; the engine has yet to hear it.
        for _ in range(40):
            values = lab.registers()
            if values.get("registers", values).get("counters_tcp_closed") == 32:
                break
            time.sleep(0.25)
    counters = lab.final()
    assert counters["counters_tcp_accepted"] == 32
    assert counters["counters_tcp_closed"] == 32
    assert counters["counters_drop_tcp_no_room"] == 0


def test_ten_megabytes_each_way(laboratory):
    with laboratory() as lab:
        lab.client("echo", timeout=400, bytes=10_000_000)
    counters = lab.final()
    assert counters["counters_tcp_bytes_in"] == counters["counters_tcp_bytes_out"] == 10_000_000
    assert_every_frame_counted(counters)


@pytest.mark.parametrize("preset", ["small", "datacenter"])
def test_two_megabytes_over_a_bad_link(laboratory, preset):
    with laboratory(preset=preset, seed=7, **IMPAIRED) as lab:
        lab.client("echo", timeout=400, bytes=2_000_000)
    counters = lab.final()
    assert counters["counters_tcp_bytes_in"] == counters["counters_tcp_bytes_out"] == 2_000_000
    assert counters["counters_tcp_retransmitted_segments"] > 0
    assert counters["counters_drop_tcp_checksum"] + counters["counters_drop_ip_checksum"] > 0
    assert_every_frame_counted(counters)


def test_wide_data_path(laboratory):
    with laboratory(width=512, seed=3, **IMPAIRED) as lab:
        lab.client("echo", timeout=200, bytes=300_000)
        lab.client("many", connections=16, bytes=10_000)
        assert "Toehold" in lab.command("curl", "-s", "http://10.77.0.2/").stdout


def test_without_optional_features(laboratory):
    # More loss than this is chance: what comes behind a gap is lost as well, so Linux has no round
    # trip to measure, and its timeout doubles each time that a repetition is lost, to minutes.
    with laboratory(preset="tiny", seed=5, **IMPAIRED | {"loss": 0.03}) as lab:
        lab.client("echo", timeout=200, bytes=100_000)
        lab.client("many", connections=8, bytes=5_000)
        assert "Toehold" in lab.command("curl", "-s", "http://10.77.0.2/").stdout
    counters = lab.final()
    assert counters["counters_tcp_retransmitted_segments"] > 0
    assert counters["counters_tcp_stored_segments"] == counters["counters_tcp_sack_blocks_in"] == 0
    assert_every_frame_counted(counters)


def test_half_close_by_linux(laboratory):
    """Conformance: RFC9293:MUST-12."""
    with laboratory() as lab:
        lab.client("half_close", bytes=1500)


def test_half_close_by_the_engine(laboratory):
    """Conformance: RFC9293:MUST-12."""
    with laboratory() as lab:
        lab.client("peer_closes_first")
    assert not tshark(lab.pcap, "tcp.flags.reset == 1"), (
        "data in FIN_WAIT_2 was answered by a reset"
    )


def test_reset_by_linux(laboratory):
    """Conformance: RFC9293:MUST-12."""
    with laboratory() as lab:
        lab.client("reset")
    assert lab.final()["counters_tcp_resets_in"] == 1
    assert lab.final()["counters_tcp_reset"] == 1


def test_reset_by_the_engine(laboratory):
    with laboratory() as lab:
        lab.client("refused")
    assert lab.final()["counters_tcp_resets_out"] == 1


def test_window_closed_for_five_seconds(laboratory):
    """Conformance: RFC9293:MUST-36, RFC9293:MUST-37."""
    with laboratory() as lab:
        lab.client("closed_window", bytes=200_000, seconds=5)
    assert lab.final()["counters_tcp_window_probes"] >= 2
    assert lab.final()["counters_tcp_timed_out"] == 0


def test_peer_that_vanishes(laboratory):
    """Its address goes away in the middle of a transfer: given up in time, others go on.

    Conformance: RFC9293:MUST-20
    """
    settings = {"tcp_rto_min_us": 50_000, "tcp_rto_initial_us": 50_000, "tcp_retries.data": 3}
    with laboratory(settings=settings) as lab:
        namespace = lab.namespace
        namespace.run("ip", "addr", "add", "10.77.0.9/24", "dev", "toe0")
        stuck = subprocess.Popen(
            namespace.command(["--", "curl", "-s", "--interface", "10.77.0.9", "--max-time", "60",
                               "-o", "/dev/null", "telnet://10.77.0.2:19"]),
            stdin=subprocess.PIPE,
        )  # fmt: skip
        try:
            lab.client("echo", bytes=20_000)
            namespace.run("ip", "addr", "del", "10.77.0.9/24", "dev", "toe0")
            for _ in range(40):
                lab.client("echo", bytes=1_000)
                values = lab.registers()
                if values.get("registers", values).get("counters_tcp_timed_out"):
                    break
            else:
                pytest.fail("the vanished peer's connection was never given up")
        finally:
            stuck.kill()
            stuck.wait()
    counters = lab.final()
    assert counters["counters_tcp_timed_out"] == 1
    assert counters["counters_tcp_retransmit_timeouts"] >= 3


def test_a_stop_amid_frames(laboratory):
    """Frames inside the engine when it is told to stop are counted for what they were."""
    for _ in range(4):
        with laboratory() as lab:
            ping = ["ping", "-f", "-q", "-l", "20", "-s", "1400", "10.77.0.2"]
            flood = subprocess.Popen(lab.namespace.command(["--", *ping]))
            try:
                for _ in range(60):
                    assert flood.poll() is None
                    if lab.registers().get("registers", {}).get("counters_icmp_echo_in", 0) >= 100:
                        break
                else:
                    pytest.fail("the flood did not reach the engine")
            finally:
                lab.process.stop()
                flood.kill()
                flood.wait()
        assert_every_frame_counted(lab.final())


def test_iperf(laboratory):
    with laboratory() as lab:
        done = lab.command("iperf", "-c", "10.77.0.2", "-n", "500K", "-f", "k", timeout=60)
        assert done.returncode == 0 and "Kbits/sec" in done.stdout, done.stdout + done.stderr
    assert lab.final()["counters_tcp_bytes_in"] >= 500 * 1024
