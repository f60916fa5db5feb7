# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand frames that nobody should send, while Linux transfers data beside them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.laboratory import (
    ENDS_OF_A_FRAME,
    assert_every_frame_counted,
    assert_sends_no_fault,
    tshark,
)

pytestmark = pytest.mark.serial

SENDER = Path(__file__).parent / "malformed_frames.py"
TRANSFER_BYTES = 100_000
SECONDS = 600

# Both ends share these ports, so that some frames hit the very connection that is in use.
PORTS = (40000, 40031)

# What no frame from TAP meets: it has no FCS, pads what is short, and the engine holds it back
# where there is no room.
UNREACHABLE = {"drop_fcs", "drop_runt", "drop_overflow"}


def tap_statistics(lab) -> dict[str, int]:
    """What the kernel says that it gave to the simulation, and could not give."""
    shown = lab.command("ip", "-s", "-j", "link", "show", "toe0").stdout
    return json.loads(shown)[0]["stats64"]["tx"]


def engine_address(lab) -> str:
    """The engine's MAC address, as the kernel knows it."""
    shown = lab.command("ip", "-j", "neigh", "show", "10.77.0.2").stdout
    return json.loads(shown)[0]["lladdr"]


@pytest.mark.parametrize(("width", "frames"), [(64, 100_000), (512, 30_000)])
def test_transfers_survive_malformed_frames(laboratory, width, frames):
    seed = os.environ.get("TOEHOLD_SEED", "1")
    # The capture has too many strangers' segments for the judgement of acknowledgements.
    with laboratory(width=width, judge=False) as lab:
        namespace = lab.namespace
        namespace.run("ip", "link", "set", "toe0", "mtu", "2000")  # room for giants
        ports = f"echo {PORTS[0]} {PORTS[1]} > /proc/sys/net/ipv4/ip_local_port_range"
        namespace.run("sh", "-c", ports)
        assert lab.command("ping", "-c", "1", "10.77.0.2").returncode == 0
        engine_mac = engine_address(lab)
        command = [sys.executable, str(SENDER), "--frames", str(frames), "--seed", seed]
        command += ["--engine-mac", engine_mac, "--ports", *map(str, PORTS)]
        flood = subprocess.Popen(
            namespace.command(["--", *command]),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        meanwhile = transfers = 0
        try:
            while flood.poll() is None:
                lab.client("echo", timeout=SECONDS, bytes=TRANSFER_BYTES, seed=transfers)
                transfers += 1
                meanwhile += flood.poll() is None
            output, errors = flood.communicate()
        finally:
            flood.kill()
            flood.wait()
        assert flood.returncode == 0, errors
        sent = json.loads(output)
        page = lab.command("curl", "-s", "--max-time", "20", "http://10.77.0.2/")
        assert "<h1>Toehold</h1>" in page.stdout
        tap = tap_statistics(lab)

    counters = lab.final()
    print(f"seed {seed}: {sent}, {transfers} transfers, {meanwhile} of them meanwhile")
    assert sent["sent"] == frames and meanwhile >= 1
    assert counters["counters_tcp_bytes_out"] >= transfers * TRANSFER_BYTES

    # None was lost before the engine, and each has come to one end in it.
    assert (tap["dropped"], tap["errors"]) == (0, 0)
    received = counters["counters_rx_frames"]
    assert received == lab.summary()["outside"]["received"]
    assert received >= tap["packets"]  # the kernel's ARP may have come since
    assert counters["counters_drop_tcp_out_of_window"] > 0, "none hit the connection in use"
    segments = transfers * TRANSFER_BYTES // 1460
    assert received >= frames + sent["marks"] + segments
    assert_every_frame_counted(counters)
    missed = {name for name in ENDS_OF_A_FRAME if not counters[f"counters_{name}"]}
    assert missed == UNREACHABLE, "some way for a frame to end was not tried"

    assert len(tshark(lab.pcap, f"eth.src == {engine_mac}")) == counters["counters_tx_frames"]
    assert_sends_no_fault(lab.pcap, f"eth.src == {engine_mac}")
