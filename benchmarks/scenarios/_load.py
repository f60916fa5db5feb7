# SPDX-License-Identifier: Apache-2.0
"""Emulated clients on an engine whose time follows its clock, for measurements: what the scenarios
with many connections share."""

from collections.abc import Iterator
from contextlib import contextmanager

from _line import HEADER_BYTES, LINE_BYTES_PER_CLOCK

from toehold.load import CLOSE, EXCHANGE, LINE_OVERHEAD, OPEN, Load, Task
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

APPLICATIONS = 7  # echo, discard, source
# Of a frame, beside its payload: Ethernet, IPv4 and TCP without options, and the line's own.
FRAME_OVERHEAD = HEADER_BYTES + LINE_OVERHEAD
PERIODS_PS = {64: 6400, 128: 6400, 256: 4000, 512: 4000}  # 10G and 100G
# How many channels of each memory the rings have on lines beyond 20 Gbit/s: at 100 what comes is
# written and read again, 24 GB a second in one direction.
FAST_LINE_CHANNELS = {"ddr4-2400": 4, "ddr3-1600": 8, "hbm": 8}
FAULTS = ("wrong_bytes", "lost", "refused", "bad_frames", "beyond_window", "retransmissions")


@contextmanager
def loaded_engine(
    preset: str,
    width: int,
    clients: int,
    memory: str = "ddr4-2400",
    **settings: int,
) -> Iterator[tuple[Simulation, Load]]:
    """An engine on a line of 10 or 100 Gbit/s, and its clients; state has one channel of memory."""
    with Simulation(build_simulator(preset, width)) as engine:
        engine.set_memory(memory)
        engine.set_memory_channels("payload", payload_channels(memory, width))
        engine.reset()
        engine.set_time_mode("cycles")
        engine.set_clock_period(PERIODS_PS[width])
        engine.enable_applications(APPLICATIONS)
        engine.set_line(LINE_OVERHEAD, LINE_BYTES_PER_CLOCK[width])
        # The tables of the largest engines are cleared first.
        engine.advance(2000 + engine.read("identity_connections") * 9 // 8)
        with Load(engine, clients=clients, **settings) as load:
            yield engine, load


def payload_channels(memory: str, width: int) -> int:
    """Of that memory, behind the port of the rings."""
    return FAST_LINE_CHANNELS[memory] if width > 128 else 1


def connections(preset: str) -> int:
    """How many connections the preset holds."""
    with Simulation(build_simulator(preset, 64)) as engine:
        return engine.read("identity_connections")


def check(load: Load, but: str | None = None) -> dict[str, int]:
    """The counters, of which those of faults must be 0, all but one."""
    counters = load.counters()
    found = {name: counters[name] for name in FAULTS if counters[name] and name != but}
    if found:
        raise RuntimeError(f"Something went wrong: {found}")
    return counters


def share_of_line(clocks_per_turn: float, payload: int, mss: int, width: int) -> float:
    """Payload per clock as a share of what a line of that width carries, acknowledgements aside."""
    segments = -(-payload // mss)
    line = LINE_BYTES_PER_CLOCK[width]
    return (payload + segments * FRAME_OVERHEAD) / line / clocks_per_turn


def open_all(load: Load, **task) -> None:
    load.run(Task(OPEN, at_once=32, **task))


def close_all(load: Load, **task) -> None:
    load.run(Task(CLOSE, at_once=32, **task))


def exchange(load: Load, turns: int, payload: int, at_once: int, **task) -> float:
    """Clocks to a turn, in the middle of so many."""
    report = load.run(Task(EXCHANGE, turns=turns, bytes=payload, at_once=at_once, **task))
    if report.failed:
        raise RuntimeError(f"{report.failed} turns failed.")
    return report.clocks_per_turn
