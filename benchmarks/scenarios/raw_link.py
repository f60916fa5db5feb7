# SPDX-License-Identifier: Apache-2.0
"""Ping-pong straight on Ethernet by frame size: hardware, firmware, software, and echoes over TCP.

hardware  raw_pong, 8 bits at the MAC and 32 inside, in clocks
wide      the same with 32 bits at the MAC: what the inside takes
firmware  a program on PicoRV32 as the application, 8 bits at the MAC and 32 inside, in clocks
tcp       the engine's TCP and its echo, 64 bits, in clocks; frames up to 1,514 bytes
lwip      lwIP's TCP and an echo on the same PicoRV32, which has whole frames, 8 bits at the MAC, in
          clocks
software  rlpong on this machine, with rlperf at the other end of a veth pair, by the wall clock and
          counted in clocks of 125 MHz

latency     from a frame's first byte in to the last byte of the frame with its data out; for the
            software from giving a frame to the library to having it back, both ends included
throughput  frames in at line rate, with the 24 byte times that preamble, FCS and gap take on the
            wire, and out at once: bytes of frames. share_of_line is 1 when as many go out as come
            in; frames that the firmware comes too late for are dropped and not counted. Both TCPs:
            one segment at a time, each when the one before has come back
"""

import json
import subprocess
import sys

from _peer import Peer, simulation
from matplotlib.figure import Figure

from toehold.console import errors
from toehold.lwip import NotAvailable, start_lwip_echo
from toehold.network_namespace import NetworkNamespace
from toehold.paths import ROOT
from toehold.raw_link import HARDWARE_MAC, MTU, build_raw_link, start_pong_firmware
from toehold.simulation import Simulation
from toehold.simulator_build import (
    FRAMES_FIRMWARE,
    RAW_PONG,
    RAW_PONG_FIRMWARE,
    build_simulator,
)

sys.path.append(str(ROOT / "tests"))
from models.raw_link import HEADER_BYTES, frame  # noqa: E402

PRESETS = ("small",)
WIDTHS = (8,)
NOTES = "Software rows are by the wall clock of the machine that measured them."

# Those of the paper's figures 4 and 5, and the largest without jumbo frames.
SIZES = (60, 120, 520, 1020, 1514, 2020, 3020, 4020, 5020, 6020, 7020, 8020, 9020)
CLOCK_MHZ = 125
LINE_BYTES = 24  # preamble, FCS and gap
PEER = "02:00:00:00:00:99"
TCP_HEADER_BYTES = 54
ECHO_PORT, ECHO_APP = 7, 1
LWIP_START_CLOCKS = 500_000  # it clears its memory, and sets up what it needs


def measure(request):
    rows = []
    for path, mac_bits in (("hardware", 8), ("wide", 32), ("firmware", 8)):
        for size in SIZES:
            request.tell(f"{path}, {size} bytes")
            rows.append(_hardware(path, mac_bits, size, request.quick))
    for size in (s for s in SIZES if s <= 1514):
        request.tell(f"TCP, {size} bytes")
        with simulation(request.preset, 64, ECHO_APP) as engine:
            rows.append(_tcp("tcp", Peer(engine, ECHO_PORT), size, 5 if request.quick else 20))
    rows += _lwip(request)
    request.tell("software over veth")
    rows += _software(200 if request.quick else 5000)

    def rate(path: str) -> dict[int, float]:
        return {r["frame_bytes"]: r["mbit_per_second"] for r in rows if r["path"] == path}

    hardware, software = rate("hardware"), rate("software")
    largest = {path: _row(rows, path, SIZES[-1]) for path in ("hardware", "wide", "firmware")}
    return rows, {
        "speedup_over_software_best": max(hardware[s] / software[s] for s in SIZES),
        "speedup_over_software_mean": sum(hardware[s] / software[s] for s in SIZES) / len(SIZES),
        "share_of_line_8bit": min(r["share_of_line"] for r in rows if r["path"] == "hardware"),
        "share_of_line_32bit": min(r["share_of_line"] for r in rows if r["path"] == "wide"),
        "bytes_per_clock_inside": largest["wide"]["data_bytes_per_clock"],
        "share_of_line_firmware": largest["firmware"]["share_of_line"],
        "latency_60_bytes_clocks": _row(rows, "hardware", 60)["latency_clocks"],
        "latency_9020_bytes_clocks": largest["hardware"]["latency_clocks"],
        "latency_60_bytes_firmware_clocks": _row(rows, "firmware", 60)["latency_clocks"],
        "latency_9020_bytes_firmware_clocks": largest["firmware"]["latency_clocks"],
        **_beside_lwip(rows),
    }


def _beside_lwip(rows: list[dict]) -> dict:
    """Its latency as a multiple of that of the same frame without its layers."""
    lwip = [row for row in rows if row["path"] == "lwip"]
    if not lwip:
        return {}
    beside = {}
    for path in ("hardware", "firmware"):
        times = [
            row["latency_clocks"] / _row(rows, path, row["frame_bytes"])["latency_clocks"]
            for row in lwip
        ]
        beside[f"latency_lwip_by_{path}_most"] = max(times)
        beside[f"latency_lwip_by_{path}_mean"] = sum(times) / len(times)
    return beside


def _row(rows: list[dict], path: str, size: int) -> dict:
    return next(r for r in rows if r["path"] == path and r["frame_bytes"] == size)


def _result(path: str, size: int, latency_clocks: float, bytes_per_clock: float, **more) -> dict:
    return {
        "path": path,
        "frame_bytes": size,
        "latency_clocks": latency_clocks,
        "latency_us": latency_clocks / CLOCK_MHZ,
        "bytes_per_clock": bytes_per_clock,
        # Both ways, as the paper has it.
        "mbit_per_second": 2 * 8 * bytes_per_clock * CLOCK_MHZ,
        **more,
    }


def _answers(engine: Simulation, count: int) -> list:
    """Frames out, until there are as many."""
    found = []
    for _ in range(10_000):
        found += engine.take_frames()
        if len(found) >= count:
            return found
        engine.advance(100)
    raise RuntimeError(f"{len(found)} of {count} frames came back.")


def _hardware(path: str, mac_bits: int, size: int, quick: bool) -> dict:
    data = bytes(i * 7 & 0xFF for i in range(size - HEADER_BYTES))
    count = max(8, (100_000 if quick else 1_000_000) // size)
    firmware = path == "firmware"
    design = RAW_PONG_FIRMWARE if firmware else RAW_PONG
    with Simulation(build_simulator("small", mac_bits, design=design)) as engine:
        engine.reset()
        engine.set_time_mode("cycles")
        if firmware:
            start_pong_firmware(engine)
        engine.put_frame(frame(data, source=PEER, seq=0, first=1))
        (answer,) = _answers(engine, 1)
        first, _ = engine.last_frame_put()
        if answer.data != frame(data, source=HARDWARE_MAC, destination=PEER, seq=0):
            raise RuntimeError(f"{size} bytes came back wrong.")
        latency = answer.last_clock - first + 1

        lanes = mac_bits // 8
        on_line = -(-size // lanes) + LINE_BYTES // lanes
        out = []
        for number in range(1, count + 1):
            engine.put_frame(frame(data, source=PEER, seq=number % 512))
            engine.advance(on_line)
            out += engine.take_frames()
        dropped = engine.read("counters_drop_overflow")
        if dropped and not firmware:
            raise RuntimeError("Frames were dropped.")
        out += _answers(engine, count - dropped - len(out)) if len(out) < count - dropped else []
        if engine.read("counters_delivered") != len(out) + 1:
            raise RuntimeError("Frames were lost.")
        # Once it runs: behind the first frame.
        clocks = out[-1].last_clock - out[0].last_clock
        frames = len(out) - 1
    return _result(
        path, size, latency, frames * size / clocks,
        data_bytes_per_clock=frames * len(data) / clocks, share_of_line=frames * on_line / clocks,
    )  # fmt: skip


def _tcp(path: str, peer: Peer, size: int, repeats: int) -> dict:
    data = bytes(i & 0xFF for i in range(size - TCP_HEADER_BYTES))
    latencies = []
    for _ in range(repeats):
        peer.put(0x18, data)
        got = b""
        for _ in range(10_000):
            peer.engine.advance(100)
            for segment in peer.segments():
                got += segment.payload
                last = segment.last_clock
            if len(got) >= len(data):
                break
        if got != data:
            raise RuntimeError(f"{len(data)} bytes came back wrong.")
        latencies.append(last - peer.engine.last_frame_put()[0] + 1)
        peer.ack += len(data)
    latency = sorted(latencies)[len(latencies) // 2]
    return _result(path, size, latency, size / latency)


def _lwip(request) -> list[dict]:
    rows = []
    with Simulation(build_simulator("small", 8, design=FRAMES_FIRMWARE)) as engine:
        engine.reset()
        engine.set_time_mode("cycles")
        try:
            start_lwip_echo(engine)
        except NotAvailable as error:
            errors.print(f"lwIP is left out: {error}.")
            return []
        engine.advance(LWIP_START_CLOCKS)
        peer = Peer(engine, ECHO_PORT, mss=SIZES[-1] - TCP_HEADER_BYTES, clocks_for_frame=20_000)
        for size in SIZES:
            request.tell(f"lwIP, {size} bytes")
            rows.append(_tcp("lwip", peer, size, 3))
    return rows


def _software(count: int) -> list[dict]:
    tools = build_raw_link()
    with NetworkNamespace() as namespace:
        far = "02:00:00:00:00:02"
        namespace.run(*"ip link add near type veth peer name far address".split(), far)
        for name in ("near", "far"):
            namespace.run("ip", "link", "set", name, "mtu", str(MTU), "up")
        pong = subprocess.Popen(
            namespace.command(["--", str(tools.program("rlpong")), "-I", "far"]),
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            pong.stdout.readline()
            command = [str(tools.program("rlperf")), "-I", "near", "--unreliable", "--json"]
            done = subprocess.run(
                namespace.command(["--", *command, "-c", str(count), far]),
                capture_output=True, text=True, timeout=300,
            )  # fmt: skip
        finally:
            pong.terminate()
            pong.wait()
    if done.returncode:
        raise RuntimeError(f"rlperf: {done.stderr}")
    rows = []
    for row in json.loads(done.stdout)["rows"]:
        size = row["frame_bytes"]
        per_clock = row["frames_per_second"] * size / (CLOCK_MHZ * 1e6)
        rows.append(_result("software", size, row["latency_us"] * CLOCK_MHZ, per_clock))
    return rows


TITLES = {
    "hardware": "raw link in hardware, 8 bits",
    "wide": "raw link in hardware, 32 bits",
    "firmware": "raw link, pong on PicoRV32, 8 bits",
    "tcp": "Toehold's TCP echo, 64 bits",
    "lwip": "lwIP's TCP echo on PicoRV32, 8 bits",
    "software": "raw link in software, veth",
}


def figures(document: dict) -> dict[str, Figure]:
    """The paper's figures 4 and 5."""
    drawn = {}
    for name, value, label in (
        ("raw_link_latency", "latency_us", "latency at 125 MHz (µs)"),
        ("raw_link_throughput", "mbit_per_second", "both ways at 125 MHz (Mbit/s)"),
    ):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.subplots()
        for path, title in TITLES.items():
            rows = [row for row in document["rows"] if row["path"] == path]
            if name == "raw_link_throughput" and path in ("tcp", "lwip"):
                continue  # one segment at a time says nothing about throughput
            axes.plot([r["frame_bytes"] for r in rows], [r[value] for r in rows], "o-", label=title)
        axes.set_yscale("log")
        axes.set_xlabel("frame (bytes)")
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
        axes.legend()
        drawn[name] = figure
    return drawn
