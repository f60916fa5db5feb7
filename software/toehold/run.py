# SPDX-License-Identifier: Apache-2.0
"""`toehold run`: the simulated engine on a TAP device in a network namespace of its own."""

import json
import math
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from rich.live import Live

from toehold import echo_client
from toehold.console import console, fail
from toehold.live_view import LiveView
from toehold.network_namespace import NetworkNamespace, environment
from toehold.options import LinkOptions, RunOptions
from toehold.raw_link import HARDWARE_MAC, MTU, build_raw_link
from toehold.simulator_build import (
    RAW_PONG,
    SERVER,
    Design,
    Simulator,
    build_simulator,
    system_design,
)

INTERFACE = "toe0"
HOST = "10.77.0.1"
ENGINE = "10.77.0.2"
APPLICATIONS = {"echo": 1, "discard": 2, "source": 4, "http": 8, "key-value": 16}
# In place of the engine, with another MAC: bits a clock, and the length of one (125 MHz).
RAW_APPLICATION = "raw-pong"
RAW_WIDTH = 8
RAW_CLOCK_PS = 8000
ECHO_PORT = 7
ECHO_BYTES = 1_000_000
NETLIST_ECHO_BYTES = 20_000

READY_SECONDS = 60
END_SECONDS = 5
STOP_SECONDS = 60  # in which all counters are read, however slow the simulation is
PLAIN_LINE_SECONDS = 5
POLL_SECONDS = 0.1

PING = (["ping", "-c", "3", "-i", "0.2", ENGINE], None)

# Keys that software gives the engine when it starts: nobody outside may know them.
SECRETS = (*(f"tcp_isn_secret_{i}" for i in range(4)), *(f"tcp_hash_key_{i}" for i in range(2)))

# Frames that the kernel keeps for a simulation that is slower than it.
TRANSMIT_QUEUE = 4000


class SimulatorProcess:
    """A running toehold-sim, and the newest of the statistics that it writes."""

    def __init__(self, namespace: NetworkNamespace, program: Path, arguments: list[str]) -> None:
        reading, writing = os.pipe()
        command = [
            *(str(program), "--tap", INTERFACE, "--exit-with-parent"),
            *("--stats-fd", str(writing), *arguments),
        ]
        try:
            self.process = subprocess.Popen(
                namespace.command(command),
                pass_fds=[writing],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(),
                start_new_session=True,
            )
        finally:
            os.close(writing)
        self.newest: dict = {}
        self._ready = threading.Event()
        self._changed = threading.Event()
        self._reader = threading.Thread(target=self._read, args=[reading], daemon=True)
        self._reader.start()

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor) as lines:
            for line in lines:
                statistics = json.loads(line)
                if statistics.get("ready"):
                    self._ready.set()
                else:
                    self.newest = statistics
                    self._changed.set()

    def lines(self, timeout: float) -> Iterator[dict]:
        """Statistics newer than those of the last call, waiting for them at most `timeout` seconds.

        Only the newest line is kept, so there is one or none.
        """
        if self._changed.wait(timeout):
            self._changed.clear()
            yield self.newest

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self._ready.wait(0.05):
            self.check()
            if time.monotonic() > deadline:
                fail("The simulation did not start within a minute.")

    def check(self) -> None:
        """Ends with what the simulation said, if it is no longer there."""
        if self.process.poll() is not None:
            said = self.process.stderr.read().decode(errors="replace").strip()
            fail(f"The simulation ended: {said or f'status {self.process.returncode}'}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(END_SECONDS)


def run_command(
    options: RunOptions,
    *,
    time_mode: str = "wall",
    json_file: Path | None = None,
    duration_s: float | None = None,
    design: Design = SERVER,
) -> int:
    """Runs the command, or shows the demonstration and the live view; returns the exit status.

    time_mode   "wall", or "cycles" for time that follows the simulated clocks
    json_file   the counters at the end go there
    duration_s  ends the live view by itself
    design      what is simulated in place of the engine, for tests
    """
    raw = options.app == RAW_APPLICATION
    if options.system is not None:
        if options.app is not None:
            fail("A system has its own applications: --app and --system exclude each other.", 2)
        design = system_design(options.system)
    if options.profiled and (raw or options.netlist or options.system is not None):
        fail("--profiled is for the RTL of the engine with its own applications.", 2)
    design = replace(RAW_PONG if raw else design, netlist=options.netlist)
    simulator = build_simulator(
        options.preset,
        RAW_WIDTH if raw else options.width,
        waves=options.wave is not None,
        design=design,
        profiled=options.profiled,
    )
    tools = build_raw_link().folder if raw else None
    arguments = simulator_arguments(options, time_mode, json_file)
    with (
        _ends_by_signal(),
        running(simulator, arguments, MTU if raw else None) as (namespace, process),
    ):
        if options.command:
            return _run_inside(namespace, process, list(options.command), tools)
        if raw:
            _say_that_raw_pong_runs()
            commands = _raw_commands(tools)
            by_hand = f"{tools / 'rlping'} {HARDWARE_MAC}"
        elif options.system is not None:
            console.print(f"{design.top}: ", end="", markup=False)
            _say_what_runs(simulator, design)
            commands = [PING]
            by_hand = f"nc {ENGINE} PORT"
        else:
            _say_what_runs(simulator, design)
            commands = _commands(NETLIST_ECHO_BYTES if options.netlist else ECHO_BYTES)
            by_hand = f"curl http://{ENGINE}/"
        passed = _demonstrate(namespace, process, commands)
        _say_how_to_go_on(namespace, by_hand, duration_s)
        _watch(process, duration_s)
        return 0 if passed else 1


def simulator_arguments(
    options: RunOptions, time_mode: str = "wall", json_file: Path | None = None
) -> list[str]:
    """The options of toehold-sim, which has them in its own units."""
    if time_mode not in ("wall", "cycles"):
        fail(f"Time goes by wall or by cycles, not by {time_mode!r}.", 2)
    arguments = ["--time", time_mode]
    if options.app == RAW_APPLICATION:
        # Nothing but the FCS protects its frames: the MAC marks what is damaged.
        arguments += ["--clock-ps", str(RAW_CLOCK_PS), "--corrupt-marks-fcs"]
    else:
        arguments += [*_engine_arguments(options.app), "--dram", options.dram]
        arguments += ["--dram-channels", str(options.dram_channels)]
    arguments += _link_arguments(options.link)
    for name, path in (("pcap", options.pcap), ("wave", options.wave), ("json", json_file)):
        if path is not None:
            arguments += [f"--{name}", str(_writable(path))]
    start, end = options.wave_window_s
    if options.wave is not None and start > 0:
        arguments += ["--wave-from-us", str(round(start * 1e6))]
    if options.wave is not None and math.isfinite(end):
        arguments += ["--wave-to-us", str(max(1, round(end * 1e6)))]
    return arguments


def _engine_arguments(app: str | None) -> list[str]:
    if app is not None and app not in APPLICATIONS:
        known = ", ".join([*APPLICATIONS, RAW_APPLICATION])
        fail(f"There is no application {app!r}: {known}.", 2)
    mask = APPLICATIONS[app] if app else sum(APPLICATIONS.values())
    arguments = ["--apps", str(mask)]
    for register in SECRETS:
        arguments += ["--set", f"{register}={secrets.randbits(32)}"]
    return arguments


def _link_arguments(link: LinkOptions) -> list[str]:
    arguments = ["--seed", str(link.seed)]
    for name in ("loss", "reorder", "duplicate", "corrupt"):
        if getattr(link, name):
            arguments += [f"--{name}", repr(getattr(link, name))]
    if link.delay_s:
        arguments += ["--delay-us", repr(link.delay_s * 1e6)]
    if link.rate_bps:
        arguments += ["--rate-bps", repr(link.rate_bps)]
    return arguments


def _writable(path: Path) -> Path:
    """The absolute path, after making sure that a file can be written there."""
    path = Path(path).resolve()
    try:
        path.touch()
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.", 2)
    return path


@contextmanager
def running(
    simulator: Simulator, arguments: list[str], mtu: int | None = None
) -> Iterator[tuple[NetworkNamespace, SimulatorProcess]]:
    """The engine up and reachable as ENGINE inside the namespace; all of it gone at the end.

    mtu  of the TAP interface, where it is not that of Ethernet
    """
    with NetworkNamespace() as namespace:
        process = SimulatorProcess(namespace, simulator.program, arguments)
        try:
            process.wait_until_ready()
            namespace.run("ip", "addr", "add", f"{HOST}/24", "dev", INTERFACE)
            if mtu:
                namespace.run("ip", "link", "set", INTERFACE, "mtu", str(mtu))
            namespace.run("ip", "link", "set", INTERFACE, "txqueuelen", str(TRANSMIT_QUEUE), "up")
            yield namespace, process
        finally:
            process.stop()


@contextmanager
def _ends_by_signal():
    """Turns SIGTERM and SIGHUP into an exception, so that everything is removed."""

    def end(number, _):
        raise SystemExit(128 + number)

    previous = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _run_inside(
    namespace: NetworkNamespace,
    process: SimulatorProcess,
    command: list[str],
    tools: Path | None = None,
) -> int:
    """The exit status of the command, which has the terminal to itself.

    tools  a folder of programs that it finds by their names alone
    """
    # Ctrl-C reaches the command directly; what it does about it is its own decision. A handler,
    # unlike SIG_IGN, is not inherited by the command.
    previous = signal.signal(signal.SIGINT, lambda *_: None)
    # Should we be killed, the command ends too: otherwise it would keep the namespace.
    tied = ["setpriv", "--pdeathsig", "TERM", "--", *command]
    path = os.environ.get("PATH", os.defpath)
    inside = {**os.environ, "PATH": f"{tools}{os.pathsep}{path}"} if tools else None
    child = subprocess.Popen(namespace.command(["--", *tied]), env=inside)
    try:
        while child.poll() is None:
            process.check()
            with suppress(subprocess.TimeoutExpired):
                child.wait(POLL_SECONDS)
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        signal.signal(signal.SIGINT, previous)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _say_what_runs(simulator: Simulator, design: Design) -> None:
    what = "its netlist for ECP5 simulated" if design.netlist else "simulated"
    console.print(
        f"Toehold, preset {simulator.preset}, {simulator.width} bits, {what} at {ENGINE};"
        f" this side is {HOST} on {INTERFACE} in a network namespace of its own."
    )


def _say_that_raw_pong_runs() -> None:
    console.print(
        f"The raw link's pong, {RAW_WIDTH} bits, simulated at {HARDWARE_MAC}; this side is"
        f" {INTERFACE} in a network namespace of its own."
    )


def _commands(echoed: int = ECHO_BYTES) -> list[tuple[list[str], str | None]]:
    """What shows that the engine works: ping, a page and an echoed megabyte, with titles."""
    client = [sys.executable, echo_client.__file__, ENGINE, str(ECHO_PORT), str(echoed)]
    return [
        PING,
        (["curl", "--silent", "--show-error", "--max-time", "20", f"http://{ENGINE}/"], None),
        (client, f"echo_client.py {ENGINE} {ECHO_PORT} {echoed}"),
    ]


def _raw_commands(tools: Path) -> list[tuple[list[str], str | None]]:
    words = [["rlping", HARDWARE_MAC], ["rlperf", "-c", "20", HARDWARE_MAC]]
    return [([str(tools / name), *rest], " ".join([name, *rest])) for name, *rest in words]


def _demonstrate(
    namespace: NetworkNamespace,
    process: SimulatorProcess,
    commands: list[tuple[list[str], str | None]],
) -> bool:
    """Runs the commands; true when all of them worked."""
    passed = True
    for command, title in commands:
        console.print(f"\n$ {title or ' '.join(command)}", style="bold", markup=False)
        try:
            status = subprocess.run(namespace.command(command), env=environment()).returncode
        except KeyboardInterrupt:
            console.print()
            raise
        process.check()
        if status:
            console.print(f"failed with status {status}", style="red")
            passed = False
    return passed


def _say_how_to_go_on(namespace: NetworkNamespace, command: str, duration_s: float | None) -> None:
    end = f"It ends after {duration_s:g} s." if duration_s else "Ctrl-C ends it."
    console.print(
        f"\nTalk to it by hand, from another terminal:\n  {namespace.by_hand()} {command}\n{end}\n",
        soft_wrap=True,
        markup=False,
    )


def _watch(process: SimulatorProcess, duration_s: float | None) -> None:
    """The live view until Ctrl-C or the end of the duration."""
    view = LiveView()
    deadline = time.monotonic() + duration_s if duration_s else math.inf
    try:
        if console.is_terminal:
            with Live(view, console=console, refresh_per_second=4, transient=False):
                _follow(process, view, deadline, lambda: None)
        else:
            _follow(process, view, deadline, _PlainLines(view))
    except KeyboardInterrupt:
        console.print("ended")


class _PlainLines:
    """Prints the view every few seconds."""

    def __init__(self, view: LiveView) -> None:
        self._view = view
        self._next = 0.0

    def __call__(self) -> None:
        if self._view.known and time.monotonic() >= self._next:
            console.print(self._view.text(), soft_wrap=True)
            sys.stdout.flush()
            self._next = time.monotonic() + PLAIN_LINE_SECONDS


def _follow(process: SimulatorProcess, view: LiveView, deadline: float, after_update) -> None:
    while time.monotonic() < deadline:
        for statistics in process.lines(POLL_SECONDS):
            view.update(statistics)
        after_update()
        process.check()
