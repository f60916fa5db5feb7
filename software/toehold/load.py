# SPDX-License-Identifier: Apache-2.0
"""Emulated clients for a simulated engine: simulation/include/toehold_load.h.

with Load(engine, clients=1000) as load:
    load.run(Task(OPEN, at_once=32))
    report = load.run(Task(EXCHANGE, turns=10_000, at_once=8, choice=UNIFORM, bytes=64))
    load.run(Task(CLOSE, at_once=32))
    assert load.counters()["wrong_bytes"] == 0
"""

import ctypes
from dataclasses import astuple, dataclass

from toehold.simulation import LinkSettings, Simulation, SimulationError

OPEN, EXCHANGE, CLOSE, RESET = 1, 2, 4, 8  # steps of a turn
ECHO, SEND, RECEIVE, PUSH = 0, 1, 2, 3  # what a client is
ROUND_ROBIN, UNIFORM, ZIPF, SHUFFLED = 0, 1, 2, 3  # whose turn is next
LINE_OVERHEAD = 24  # bytes of preamble, FCS and gap
SOURCE_PORT = 19
MOST_CLOCKS = 1_000_000_000

_u32, _u64, _any, _int = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int
_ERROR_BYTES = 256


class _Settings(ctypes.Structure):
    _fields_ = [
        ("seed", _u64),
        *((name, _u32) for name in "clients mss odd_mss window ack_every ack_delay_us".split()),
        ("retransmit_us", _u32),
        ("to_engine", ctypes.POINTER(LinkSettings)),
        ("from_engine", ctypes.POINTER(LinkSettings)),
    ]


class _Task(ctypes.Structure):
    _fields_ = [
        *((name, _u32) for name in "steps kind port first count at_once".split()),
        ("turns", _u64),
        ("choice", _u32),
        ("bytes", _u32),
        ("exponent", ctypes.c_double),
        ("turns_per_second", ctypes.c_double),
    ]


@dataclass(frozen=True)
class Task:
    """As toehold_load_task; 0 stands for what the header says."""

    steps: int
    kind: int = ECHO
    port: int = 0
    first: int = 0
    count: int = 0
    at_once: int = 1
    turns: int = 0
    choice: int = ROUND_ROBIN
    bytes: int = 0
    exponent: float = 0.0
    turns_per_second: float = 0.0


_REPORT = (
    "begun done failed begin_clock end_clock middle_begin_clock middle_end_clock middle_turns "
    "latency_turns latency_minimum latency_median latency_p999 latency_maximum"
).split()
_COUNTERS = (
    "frames_in frames_out established closed refused lost bytes_sent bytes_received wrong_bytes "
    "bad_frames beyond_window out_of_order retransmissions connected"
).split()


class _Report(ctypes.Structure):
    _fields_ = [(name, _u64) for name in _REPORT]


class _Counters(ctypes.Structure):
    _fields_ = [(name, _u64) for name in _COUNTERS]


@dataclass(frozen=True)
class Report:
    """As toehold_load_report."""

    begun: int
    done: int
    failed: int
    begin_clock: int
    end_clock: int
    middle_begin_clock: int
    middle_end_clock: int
    middle_turns: int
    latency_turns: int
    latency_minimum: int
    latency_median: int
    latency_p999: int
    latency_maximum: int

    @property
    def clocks(self) -> int:
        return self.end_clock - self.begin_clock

    @property
    def clocks_per_turn(self) -> float:
        """Of the turns in the middle, when all was under way; of all if there were few."""
        if self.middle_turns:
            return (self.middle_end_clock - self.middle_begin_clock) / self.middle_turns
        return self.clocks / max(1, self.done)


_FUNCTIONS = {
    "create": (_any, [_any, ctypes.POINTER(_Settings), ctypes.c_char_p, ctypes.c_size_t]),
    "destroy": (None, [_any]),
    "error": (ctypes.c_char_p, [_any]),
    "start": (_int, [_any, ctypes.POINTER(_Task)]),
    "run": (_int, [_any, _u64]),
    "get_report": (_int, [_any, _int, ctypes.POINTER(_Report)]),
    "get_counters": (None, [_any, ctypes.POINTER(_Counters)]),
    "get_service": (_int, [_any, _u32, _u32, ctypes.POINTER(_u64)]),
}


class Load:
    """Clients of one engine, whose time follows its clocks. Settings are the fields of
    toehold_load_settings; `to_engine` and `from_engine` are dicts of toehold_link_settings."""

    def __init__(
        self,
        engine: Simulation,
        to_engine: dict | None = None,
        from_engine: dict | None = None,
        **settings: int,
    ) -> None:
        self._library = engine.library
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self._library, f"toehold_load_{name}")
            function.restype, function.argtypes = result, arguments
        wanted = _Settings(**settings)
        if to_engine is not None:
            wanted.to_engine = ctypes.pointer(LinkSettings(**to_engine))
        if from_engine is not None:
            wanted.from_engine = ctypes.pointer(LinkSettings(**from_engine))
        self._engine = engine  # lives as long as the load
        error = ctypes.create_string_buffer(_ERROR_BYTES)
        self._load = self._library.toehold_load_create(engine.handle, wanted, error, _ERROR_BYTES)
        if not self._load:
            raise SimulationError(error.value.decode(), 0)

    def close(self) -> None:
        if self._load:
            self._library.toehold_load_destroy(self._load)
            self._load = None

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def start(self, task: Task) -> int:
        number = self._library.toehold_load_start(self._load, _Task(*astuple(task)))
        if number < 0:
            raise SimulationError(self._library.toehold_load_error(self._load).decode(), number)
        return number

    def finish(self, most_clocks: int = MOST_CLOCKS) -> bool:
        """Simulates until all tasks are done; False if they are not after so many clocks."""
        return bool(self._library.toehold_load_run(self._load, most_clocks))

    def report(self, number: int) -> Report:
        report = _Report()
        if self._library.toehold_load_get_report(self._load, number, report) < 0:
            raise SimulationError(f"there is no task {number}", 0)
        return Report(**{name: getattr(report, name) for name in _REPORT})

    def run(self, *tasks: Task, most_clocks: int = MOST_CLOCKS) -> Report:
        """Tasks that run together, to their end; the report of the first."""
        numbers = [self.start(task) for task in tasks]
        if not self.finish(most_clocks):
            report = self.report(numbers[0])
            raise SimulationError(
                f"after {most_clocks} clocks {report.done} of {report.begun} turns are done: "
                f"{self.counters()}",
                0,
            )
        return self.report(numbers[0])

    def counters(self) -> dict[str, int]:
        counters = _Counters()
        self._library.toehold_load_get_counters(self._load, counters)
        return {name: getattr(counters, name) for name in _COUNTERS}

    def service(self, first: int, count: int) -> list[int]:
        """Bytes both ways of each of these clients' present connections."""
        served = (_u64 * count)()
        if self._library.toehold_load_get_service(self._load, first, count, served) < 0:
            raise SimulationError("there are not so many clients", 0)
        return list(served)


def jain(service: list[int]) -> float:
    """Jain's index of fairness: 1 when all got the same."""
    squares = sum(value * value for value in service)
    return sum(service) ** 2 / (len(service) * squares) if squares else 0.0
