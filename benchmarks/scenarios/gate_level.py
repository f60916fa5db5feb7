# SPDX-License-Identifier: Apache-2.0
"""The netlist for ECP5, cell by cell: it does what the RTL does, and serves Linux over TAP.

beside the RTL  both get the same frames in the same clocks: connections to echo and HTTP, messages
                of several lengths, each also with a bad checksum, pauses on either side. What they
                send must be the same to the byte and to the clock, and so must all counters be
over TAP        ping, a page by curl, and bytes through the echo, with Linux's TCP at the other end

The netlist is Yosys's, flattened, as `toehold synth` makes it. The cells are Yosys's own models,
but for the block RAM, of which it has none (simulation/rtl/DP16KD.sv). Registers and LUT RAM start
with random values, and a read of a word that is being written gives a wrong one.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from _peer import Peer

from toehold import echo_client, synth
from toehold.console import fail
from toehold.options import RunOptions
from toehold.run import ECHO_PORT, ENGINE, running, simulator_arguments
from toehold.simulation import Simulation
from toehold.simulator_build import SERVER, build_simulator, mapped

PRESETS = ("small",)
WIDTHS = (64,)
COLUMNS = ("what", "frames", "bytes", "clocks", "cells")
NOTES = "Checks that passed, and cells that were simulated: what differs or fails ends the run."

HTTP_PORT = 80
APPLICATIONS = 15
ACK, PUSH_ACK, FIN_ACK = 0x10, 0x18, 0x11
# Within the window: what the echo has taken opens it again only when it is worth it.
LENGTHS = (1460, 1, 7, 8, 63, 64, 65, 300)
SETTLE_CLOCKS = 2000
MOST_ROUNDS = 20
PAUSES = 20  # percent of clocks, either side
SEED = 1

# Of the engine's time, so that its timers wait for the simulation: 1 s is 100,000 clocks.
CLOCK_PS = 10_000_000
CLIENT_SECONDS = 1500
PAGE = f"http://{ENGINE}/"
END_OF_PAGE = b"</html>"


def measure(request):
    width = request.widths[0]
    design = replace(SERVER, netlist=True)
    request.tell("the netlist")
    netlist = build_simulator(request.preset, width, design=design)
    cells = mapped(design, request.preset, width).cells
    rtl = build_simulator(request.preset, width)

    request.tell("beside the RTL")
    beside, clocks_per_second = _beside(rtl, netlist, request.quick)
    request.tell("over TAP")
    page, echo = _over_tap(netlist, request)
    values = synth.figures(synth.DEVICES["ecp5"], cells)
    counts = [{"what": f"cells {name}", "cells": count} for name, count in sorted(cells.items())]
    return [beside, page, echo, *counts], {
        "cells": cells.total(),
        "lut": values["lut4"],
        "ff": values["ff"],
        "frames_compared": beside["frames"],
        "clocks_compared": beside["clocks"],
        "page_bytes": page["bytes"],
        "echoed_bytes": echo["bytes"],
        "simulated_clocks_per_second": clocks_per_second,
    }


class Both:
    """Two engines that are given the same, and must send the same."""

    def __init__(self, first: Simulation, second: Simulation) -> None:
        self.engines = (first, second)
        self.frames = self.bytes = 0
        self.seconds = 0.0  # of the second one

    def __getattr__(self, name):
        """Calls that give the same in both."""

        def call(*arguments):
            results = []
            for engine in self.engines:
                started = time.thread_time()
                results.append(getattr(engine, name)(*arguments))
                took = time.thread_time() - started
            self.seconds += took
            if results[0] != results[1]:
                fail(f"{name}{arguments}: the RTL gives {results[0]}, its netlist {results[1]}.")
            return results[0]

        return call

    @property
    def clocks(self) -> int:
        return self.engines[1].clocks

    def take_frames(self) -> list:
        taken = self.__getattr__("take_frames")()
        self.frames += len(taken)
        self.bytes += sum(len(frame.data) for frame in taken)
        return taken


def _beside(rtl, netlist, quick: bool) -> tuple[dict, int]:
    with Simulation(rtl) as first, Simulation(netlist) as second:
        both = Both(first, second)
        both.reset()
        both.set_time_mode("cycles")
        both.set_clock_period(6400)
        both.set_pauses(PAUSES, PAUSES, SEED)
        both.enable_applications(APPLICATIONS)
        both.advance(SETTLE_CLOCKS)
        _echo(both, LENGTHS[-3:] if quick else LENGTHS)
        _page(both)
        for name in list(first.register_names()):
            both.read(name)
        row = {
            "what": "as the RTL, in the same clocks",
            "frames": both.frames,
            "bytes": both.bytes,
            "clocks": both.clocks,
        }
        return row, round(both.clocks / both.seconds)


def _taken(both: Both, peer: Peer) -> bytes:
    """What comes in a while, acknowledged."""
    both.advance(SETTLE_CLOCKS)
    payload = b"".join(segment.payload for segment in peer.segments())
    peer.ack += len(payload)
    peer.put(ACK)
    return payload


def _echo(both: Both, lengths) -> None:
    draw = random.Random(SEED)
    peer = Peer(both, ECHO_PORT, port=40000, clocks_for_frame=SETTLE_CLOCKS)
    for length in lengths:
        payload = draw.randbytes(length)
        # The same once more, with a byte that the checksum does not fit.
        wrong = bytearray(peer.frame(PUSH_ACK, payload))
        wrong[54] ^= 1
        both.put_frame(bytes(wrong))
        peer.put(PUSH_ACK, payload)
        returned = b""
        for _ in range(MOST_ROUNDS):
            returned += _taken(both, peer)
            if len(returned) >= length:
                break
        if returned != payload:
            fail(f"Of {length} bytes to the echo {len(returned)} came back, or others.")
    peer.put(FIN_ACK)
    both.advance(SETTLE_CLOCKS)
    peer.segments()


def _page(both: Both) -> None:
    peer = Peer(both, HTTP_PORT, port=40001, clocks_for_frame=SETTLE_CLOCKS)
    peer.put(PUSH_ACK, f"GET / HTTP/1.0\r\nHost: {ENGINE}\r\n\r\n".encode())
    page = b""
    for _ in range(MOST_ROUNDS):
        page += _taken(both, peer)
        if END_OF_PAGE in page:
            return
    fail(f"Of the page {len(page)} bytes came, without its end.")


def _over_tap(netlist, request) -> list[dict]:
    options = RunOptions(preset=request.preset, width=request.widths[0])
    echoed = 2_000 if request.quick else 20_000
    client = [sys.executable, echo_client.__file__, ENGINE, str(ECHO_PORT), str(echoed)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        summary = Path(folder) / "summary.json"
        arguments = [
            *simulator_arguments(options, "cycles", summary),
            *("--clock-ps", str(CLOCK_PS)),
        ]
        with running(netlist, arguments) as (namespace, process):

            def run(command: list[str]) -> bytes:
                done = subprocess.run(
                    namespace.command(command), capture_output=True, timeout=CLIENT_SECONDS
                )
                process.check()
                if done.returncode:
                    said = (done.stdout + done.stderr).decode(errors="replace")
                    fail(f"{' '.join(command)} ended with {done.returncode}: {said}")
                return done.stdout

            request.tell("ping")
            run(["ping", "-c", "1", "-W", "60", ENGINE])
            request.tell("curl")
            page = run(["curl", "-s", "-S", "--max-time", str(CLIENT_SECONDS), PAGE])
            if END_OF_PAGE not in page:
                fail(f"curl got {len(page)} bytes, without the end of the page.")
            rows.append({"what": "page by curl", "bytes": len(page)})
            request.tell("echo")
            run(client)
            rows.append({"what": "echo", "bytes": echoed})
        counters = json.loads(summary.read_text())["registers"]
    if counters["counters_tcp_accepted"] != 2:
        fail(f"{counters['counters_tcp_accepted']} connections were accepted, not 2.")
    return rows
