# SPDX-License-Identifier: Apache-2.0
"""The simulated engine in this process, by ctypes: simulation/include/toehold_sim.h, and the links
of toehold_sockets.h.

simulation = Simulation(build_simulator("small", 64))
simulation.put_frame(frame)
simulation.advance_until_idle()
answers = simulation.take_frames()
"""

import ctypes
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from toehold.simulator_build import Simulator

INTERFACE = 1
BAD_FCS = 1
TIME_MODES = {"cycles": 0, "wall": 1, "stepped": 2}
FOREVER = (1 << 64) - 1

# Bounds of the calls that simulate until something happens.
QUIET_CLOCKS = 500
MOST_CLOCKS = 10_000_000

_BUFFER_BYTES = 65536
_ERROR_BYTES = 256

_u8, _u16, _u32, _u64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
_size, _unsigned, _int = ctypes.c_size_t, ctypes.c_uint, ctypes.c_int
_text, _any = ctypes.c_char_p, ctypes.c_void_p
_Grant = ctypes.CFUNCTYPE(_u16, _any, _u32, _u16)


class SimulationError(Exception):
    """What the library refused, in its own words; `status` is a toehold_sim_status."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


def _structure(title: str, /, **fields) -> type[ctypes.Structure]:
    return type(title, (ctypes.Structure,), {"_fields_": list(fields.items())})


_FrameInfo = _structure("FrameInfo", length=_u64, time_us=_u64, first_clock=_u64, last_clock=_u64)
_Register = _structure("Register", name=_text, address=_u32, low_bit=_unsigned, bits=_unsigned)
_Command = _structure(
    "Command",
    op=_u8,
    tag=_u8,
    local_port=_u16,
    session=_u32,
    remote_ip=_u32,
    remote_port=_u16,
    reserved=_u16,
    value=_u32,
)
_Event = _structure(
    "Event",
    kind=_u8,
    tag=_u8,
    result=_u8,
    reserved=_u8,
    session=_u32,
    local_port=_u16,
    remote_port=_u16,
    remote_ip=_u32,
    value=_u32,
    clock=_u64,
)
_Status = _structure("Status", session=_u32, error=_u32, space=_u32, length=_u32, clock=_u64)
_ReceivedInfo = _structure(
    "ReceivedInfo", length=_u64, session=_u32, reserved=_u32, first_clock=_u64, last_clock=_u64
)
_COUNTERS = (
    "clocks frames_in bytes_in beats_in frames_out bytes_out beats_out commands events "
    "application_bytes_in application_bytes_out"
).split()
_Counters = _structure("Counters", **dict.fromkeys(_COUNTERS, _u64))
MEMORIES = {"ddr3-1600": 0, "ddr4-2400": 1, "hbm": 2}
MEMORY_PORTS = {"state": 0, "payload": 1}
_MEMORY_COUNTERS = (
    "bytes_read bytes_written activates row_hits row_misses row_conflicts refreshes bus_busy_ps "
    "bytes_a_burst four_activates_ps host_bytes protocol_errors"
).split()
_MemoryCounters = _structure("MemoryCounters", **dict.fromkeys(_MEMORY_COUNTERS, _u64))

# Results and arguments of each function; `self` comes first where there is an engine.
_FUNCTIONS = {
    "interface": (_int, []),
    "preset": (_text, []),
    "data_width": (_unsigned, []),
    "can_write_waves": (_int, []),
    "create": (_any, [_text, _unsigned, _text, _size]),
    "destroy": (None, [_any]),
    "error": (_text, [_any]),
    "reset": (None, [_any]),
    "enable_applications": (None, [_any, _unsigned]),
    "set_time_mode": (_int, [_any, _int]),
    "set_clock_period": (_int, [_any, _u64]),
    "set_time": (_int, [_any, _u64]),
    "time_us": (_u64, [_any]),
    "time_ns": (_u64, [_any]),
    "clocks": (_u64, [_any]),
    "advance": (None, [_any, _u64]),
    "advance_until": (_int, [_any, _u64, _u64]),
    "advance_until_idle": (_int, [_any, _u64, _u64]),
    "advance_until_output": (_int, [_any, _u64]),
    "run_until": (_int, [_any, _u64]),
    "next_deadline_us": (_u64, [_any]),
    "quiet_clocks": (_u64, [_any]),
    "put_frame": (_int, [_any, _text, _size, _unsigned]),
    "put_frame_at": (_int, [_any, _text, _size, _unsigned, _u64]),
    "frames_pending": (_size, [_any]),
    "last_frame_put": (None, [_any, ctypes.POINTER(_FrameInfo)]),
    "take_frame": (_int, [_any, _any, _size, ctypes.POINTER(_FrameInfo)]),
    "set_pauses": (_int, [_any, _unsigned, _unsigned, _u64]),
    "set_line": (_int, [_any, _unsigned, _unsigned]),
    "read_register": (_int, [_any, _u32, ctypes.POINTER(_u32)]),
    "write_register": (_int, [_any, _u32, _u32]),
    "register_count": (_size, []),
    "register_at": (_int, [_size, ctypes.POINTER(_Register)]),
    "read_field": (_int, [_any, _text, ctypes.POINTER(_u32)]),
    "write_field": (_int, [_any, _text, _u32]),
    "put_command": (_int, [_any, ctypes.POINTER(_Command)]),
    "take_event": (_int, [_any, ctypes.POINTER(_Event)]),
    "set_grant": (None, [_any, _Grant, _any]),
    "receive": (_int, [_any, _any, _size, ctypes.POINTER(_ReceivedInfo)]),
    "send": (_int, [_any, _u32, _text, _size]),
    "set_requests": (_int, [_any, _unsigned]),
    "messages_pending": (_size, [_any]),
    "take_transmit_status": (_int, [_any, ctypes.POINTER(_Status)]),
    "last_message_sent": (None, [_any, ctypes.POINTER(_u64), ctypes.POINTER(_u64)]),
    "open_waves": (_int, [_any, _text, _u64, _u64]),
    "close_waves": (None, [_any]),
    "get_counters": (None, [_any, ctypes.POINTER(_Counters)]),
    "set_memory": (_int, [_any, _int]),
    "set_memory_channels": (_int, [_any, _int, _u32]),
    "memory_bytes_below": (_u64, [_any, _int, _u64]),
    "get_memory_counters": (None, [_any, _int, ctypes.POINTER(_MemoryCounters)]),
}

# Of toehold_sockets.h.
_PUT = ctypes.CFUNCTYPE(None, _any, ctypes.POINTER(_u8), _size, _unsigned, _u64)
_TAKE = ctypes.CFUNCTYPE(_size, _any, _any, _size, ctypes.POINTER(_u64))
_Port = _structure(
    "Port",
    context=_any,
    put_frame=_PUT,
    take_frame=_TAKE,
    run_until=_any,
    next_deadline_us=_any,
    time_us=_any,
    connected=_any,
)
LinkSettings = _structure(
    "LinkSettings",
    loss=ctypes.c_double,
    reorder=ctypes.c_double,
    duplicate=ctypes.c_double,
    corrupt=ctypes.c_double,
    delay_us=_u64,
    rate_bps=_u64,
    queue_frames=_u32,
    corrupt_marks_fcs=_u32,
    reorder_hold_us=_u64,
)
_LINK_COUNTERS = (
    "frames_in bytes_in frames_out bytes_out lost reordered duplicated corrupted queue_dropped"
).split()
_LinkCounters = _structure("LinkCounters", **dict.fromkeys(_LINK_COUNTERS, _u64))
_Observer = ctypes.CFUNCTYPE(
    None, _any, _int, _int, ctypes.POINTER(_u8), _size, _unsigned, _u64
)  # fmt: skip
_LINK_FUNCTIONS = {
    "sim_port": (_Port, [_any]),
    "link_create": (
        _any,
        [
            *(ctypes.POINTER(_Port), ctypes.POINTER(_Port)),
            *(ctypes.POINTER(LinkSettings), ctypes.POINTER(LinkSettings), _u64),
        ],
    ),
    "link_destroy": (None, [_any]),
    "link_set": (_int, [_any, _int, ctypes.POINTER(LinkSettings)]),
    "link_get_counters": (None, [_any, _int, ctypes.POINTER(_LinkCounters)]),
    "link_observe": (None, [_any, _Observer, _any]),
    "link_run_until": (_int, [_any, _u64]),
    "link_time_us": (_u64, [_any]),
    "link_next_us": (_u64, [_any]),
}


@cache
def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    functions = {f"sim_{name}": types for name, types in _FUNCTIONS.items()} | _LINK_FUNCTIONS
    for name, (result, arguments) in functions.items():
        function = getattr(library, f"toehold_{name}")
        function.restype, function.argtypes = result, arguments
    if library.toehold_sim_interface() != INTERFACE:
        raise SimulationError(f"{path} has another interface than this module", 0)
    return library


@dataclass(frozen=True)
class FrameOut:
    """A frame that the engine sent, without FCS."""

    data: bytes
    time_us: int
    first_clock: int
    last_clock: int


@dataclass(frozen=True)
class Event:
    """An event of app_pkg; numbers are its enums' values."""

    kind: int
    tag: int
    result: int
    session: int
    local_port: int
    remote_port: int
    remote_ip: int
    value: int
    clock: int


@dataclass(frozen=True)
class TransmitStatus:
    session: int
    error: int
    space: int
    length: int
    clock: int


@dataclass(frozen=True)
class Received:
    """A piece of a byte stream, as the engine delivered it."""

    session: int
    data: bytes
    first_clock: int
    last_clock: int


class Simulation:
    """One engine. Methods are the functions of toehold_sim.h; those that can fail raise."""

    def __init__(self, simulator: Simulator) -> None:
        self._library = _library(simulator.library)
        self.data_width = simulator.width
        error = ctypes.create_string_buffer(_ERROR_BYTES)
        self._engine = self._library.toehold_sim_create(
            simulator.preset.encode(), simulator.width, error, _ERROR_BYTES
        )
        if not self._engine:
            raise SimulationError(error.value.decode(), 0)
        self._buffer = ctypes.create_string_buffer(_BUFFER_BYTES)
        self._grant = None

    def close(self) -> None:
        if self._engine:
            self._library.toehold_sim_destroy(self._engine)
            self._engine = None

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_engine", None):
            self.close()

    @property
    def library(self) -> ctypes.CDLL:
        return self._library

    @property
    def handle(self) -> int:
        """The toehold_sim, for functions of the library that this class does not have."""
        return self._engine

    def _call(self, name: str, *arguments):
        return getattr(self._library, f"toehold_sim_{name}")(self._engine, *arguments)

    def _checked(self, name: str, *arguments) -> int:
        status = self._call(name, *arguments)
        if status < 0:
            raise SimulationError(self._call("error").decode(), status)
        return status

    # Clocks and time.

    def reset(self) -> None:
        self._call("reset")

    def enable_applications(self, mask: int) -> None:
        """1 echo, 2 discard, 4 source, 8 http, 16 key-value."""
        self._call("enable_applications", mask)

    def set_time_mode(self, mode: str) -> None:
        """ "cycles", "wall" or "stepped"."""
        self._checked("set_time_mode", TIME_MODES[mode])

    def set_clock_period(self, picoseconds: int) -> None:
        self._checked("set_clock_period", picoseconds)

    def set_time(self, microseconds: int) -> None:
        self._checked("set_time", microseconds)

    @property
    def time_us(self) -> int:
        return self._call("time_us")

    @property
    def time_ns(self) -> int:
        return self._call("time_ns")

    @property
    def clocks(self) -> int:
        return self._call("clocks")

    @property
    def quiet_clocks(self) -> int:
        return self._call("quiet_clocks")

    def advance(self, clocks: int = 1) -> None:
        self._call("advance", clocks)

    def advance_until(self, microseconds: int, most_clocks: int = MOST_CLOCKS) -> bool:
        return bool(self._call("advance_until", microseconds, most_clocks))

    def advance_until_idle(
        self, quiet_clocks: int = QUIET_CLOCKS, most_clocks: int = MOST_CLOCKS
    ) -> bool:
        return bool(self._call("advance_until_idle", quiet_clocks, most_clocks))

    def advance_until_output(self, most_clocks: int = MOST_CLOCKS) -> bool:
        return bool(self._call("advance_until_output", most_clocks))

    def run_until(self, microseconds: int) -> bool:
        """Up to that time, past idle time; True as soon as there is something to take."""
        return bool(self._checked("run_until", microseconds))

    @property
    def next_deadline_us(self) -> int:
        """When the engine will next do something by itself; FOREVER when it never will."""
        return self._call("next_deadline_us")

    # Frames.

    def put_frame(self, data: bytes, bad_fcs: bool = False) -> None:
        self._checked("put_frame", data, len(data), BAD_FCS if bad_fcs else 0)

    def put_frame_at(self, data: bytes, time_us: int, bad_fcs: bool = False) -> None:
        """The frame arrives at that time."""
        self._checked("put_frame_at", data, len(data), BAD_FCS if bad_fcs else 0, time_us)

    @property
    def frames_pending(self) -> int:
        return self._call("frames_pending")

    def last_frame_put(self) -> tuple[int, int]:
        """Clocks of the first and the last beat of the last frame that the engine took."""
        info = _FrameInfo()
        self._call("last_frame_put", info)
        return info.first_clock, info.last_clock

    def take_frame(self) -> FrameOut | None:
        info = _FrameInfo()
        if not self._checked("take_frame", self._buffer, _BUFFER_BYTES, info):
            return None
        data = self._buffer.raw[: info.length]
        return FrameOut(data, info.time_us, info.first_clock, info.last_clock)

    def take_frames(self) -> list[FrameOut]:
        return list(iter(self.take_frame, None))

    def set_pauses(self, idle_percent: int, stall_percent: int, seed: int = 1) -> None:
        self._checked("set_pauses", idle_percent, stall_percent, seed)

    def set_line(self, overhead_bytes: int, bytes_per_clock: int = 0) -> None:
        """24: frames take as long as on a line with preamble, FCS and gap; 0: no gap. The line
        carries so many bytes a clock; 0: as many as the data path."""
        self._checked("set_line", overhead_bytes, bytes_per_clock)

    # Registers.

    def read_register(self, address: int) -> int:
        value = _u32()
        self._checked("read_register", address, value)
        return value.value

    def write_register(self, address: int, value: int) -> None:
        self._checked("write_register", address, value)

    def read(self, name: str) -> int:
        """A field by its name: "counters_rx_frames"."""
        value = _u32()
        self._checked("read_field", name.encode(), value)
        return value.value

    def write(self, name: str, value: int) -> None:
        """A field by its name; others of its register stay."""
        self._checked("write_field", name.encode(), value)

    def register_names(self) -> Iterator[str]:
        entry = _Register()
        for index in range(self._library.toehold_sim_register_count()):
            self._library.toehold_sim_register_at(index, entry)
            yield entry.name.decode()

    # The application.

    def put_command(self, op: int, tag: int, **fields: int) -> None:
        """Fields: session, local_port, remote_ip, remote_port, value."""
        self._checked("put_command", _Command(op=op, tag=tag, **fields))

    def take_event(self) -> Event | None:
        event = _Event()
        if not self._call("take_event", event):
            return None
        return Event(**{name: getattr(event, name) for name in Event.__dataclass_fields__})

    def take_events(self) -> list[Event]:
        return list(iter(self.take_event, None))

    def set_grant(self, grant: Callable[[int, int], int] | None) -> None:
        """`grant(session, length)` says how much of an offer is taken; None takes everything."""
        called = _Grant(lambda _, session, length: grant(session, length)) if grant else _Grant()
        self._call("set_grant", called, None)
        self._grant = called  # the library has its address only

    def receive(self) -> Received | None:
        info = _ReceivedInfo()
        if not self._checked("receive", self._buffer, _BUFFER_BYTES, info):
            return None
        data = self._buffer.raw[: info.length]
        return Received(info.session, data, info.first_clock, info.last_clock)

    def send(self, session: int, data: bytes) -> None:
        self._checked("send", session, data, len(data))

    def set_requests(self, requests: int) -> None:
        """For how many messages room is asked at once; 1 at first."""
        self._checked("set_requests", requests)

    @property
    def messages_pending(self) -> int:
        return self._call("messages_pending")

    def take_transmit_status(self) -> TransmitStatus | None:
        status = _Status()
        if not self._call("take_transmit_status", status):
            return None
        names = TransmitStatus.__dataclass_fields__
        return TransmitStatus(**{name: getattr(status, name) for name in names})

    def last_message_sent(self) -> tuple[int, int]:
        """Clocks of the first and the last beat of the last message given to the engine."""
        first, last = _u64(), _u64()
        self._call("last_message_sent", first, last)
        return first.value, last.value

    # Waveforms and counters.

    def open_waves(self, path: Path | str, from_us: int = 0, to_us: int = FOREVER) -> None:
        self._checked("open_waves", str(path).encode(), from_us, to_us)

    def close_waves(self) -> None:
        self._call("close_waves")

    def counters(self) -> dict[str, int]:
        counters = _Counters()
        self._call("get_counters", counters)
        return {name: getattr(counters, name) for name in _COUNTERS}

    # Memory behind the AXI4 ports.

    def set_memory(self, kind: str) -> None:
        """ "ddr3-1600", "ddr4-2400" or "hbm", from the next reset on."""
        self._checked("set_memory", MEMORIES[kind])

    def set_memory_channels(self, port: str, channels: int) -> None:
        """How many channels, 1 to 32, lie behind "state" or "payload", from the next reset on."""
        self._checked("set_memory_channels", MEMORY_PORTS[port], channels)

    def memory_counters(self, port: str) -> dict[str, int]:
        """Of "state" or "payload"."""
        counters = _MemoryCounters()
        self._call("get_memory_counters", MEMORY_PORTS[port], counters)
        return {name: getattr(counters, name) for name in _MEMORY_COUNTERS}

    def memory_bytes_below(self, port: str, end: int) -> int:
        """Memory of this process that holds the contents of the addresses below `end`."""
        return self._call("memory_bytes_below", MEMORY_PORTS[port], end)


class Station:
    """A host in Python at one end of a link: `receive(data, time_us)` gets what arrives, and what
    is put into `outgoing` is sent."""

    def __init__(self, receive: Callable[[bytes, int], None]) -> None:
        self.outgoing: deque[bytes] = deque()
        self._put = _PUT(
            lambda _, data, length, flags, time_us: receive(ctypes.string_at(data, length), time_us)
        )
        self._take = _TAKE(self._take_frame)

    def _take_frame(self, _, buffer: int, capacity: int, time_us) -> int:
        if not self.outgoing:
            return 0
        data = self.outgoing.popleft()[:capacity]
        ctypes.memmove(buffer, data, len(data))
        return len(data)  # leaves when the link asks


class Link:
    """Connects two engines, or an engine and a `Station`, and lets their time pass together: the
    functions toehold_link_* of toehold_sockets.h. Settings are the fields of
    toehold_link_settings, for both directions, or by `set` for one (0 is from the first to the
    second)."""

    def __init__(
        self, a: "Simulation | Station", b: "Simulation | Station", seed: int = 1, **settings
    ) -> None:
        engines = [end for end in (a, b) if isinstance(end, Simulation)]
        if not engines:
            raise SimulationError("a link needs an engine at one end", 0)
        self._library = engines[0]._library
        self._ends = a, b  # they live as long as the link
        self._observer = _Observer()
        both = LinkSettings(**settings)
        self._link = self._library.toehold_link_create(
            _port(a), _port(b), both, both, ctypes.c_uint64(seed)
        )
        if not self._link:
            raise SimulationError(f"a link with {settings} makes no sense", 0)

    def close(self) -> None:
        if self._link:
            self._library.toehold_link_destroy(self._link)
            self._link = None

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def set(self, direction: int, **settings) -> None:
        """For frames that are sent from now on."""
        if self._library.toehold_link_set(self._link, direction, LinkSettings(**settings)) < 0:
            raise SimulationError(f"a link with {settings} makes no sense", 0)

    def observe(self, observer: Callable[[int, bool, bytes, int], None]) -> None:
        """`observer(direction, arrived, data, time_us)` sees each frame as it is sent, and as it
        arrives."""
        self._observer = _Observer(
            lambda _, direction, arrived, data, length, flags, time_us: observer(
                direction, bool(arrived), ctypes.string_at(data, length), time_us
            )
        )
        self._library.toehold_link_observe(self._link, self._observer, None)

    def run_until(self, microseconds: int) -> bool:
        """True as soon as an engine has something for its application."""
        status = self._library.toehold_link_run_until(self._link, microseconds)
        if status < 0:
            raise SimulationError("an end of the link failed", status)
        return bool(status)

    @property
    def time_us(self) -> int:
        return self._library.toehold_link_time_us(self._link)

    @property
    def next_us(self) -> int:
        """When anything will happen next; FOREVER when nothing will."""
        return self._library.toehold_link_next_us(self._link)

    def counters(self, direction: int) -> dict[str, int]:
        counters = _LinkCounters()
        self._library.toehold_link_get_counters(self._link, direction, counters)
        return {name: getattr(counters, name) for name in _LINK_COUNTERS}


def _port(end: "Simulation | Station") -> ctypes.Structure:
    if isinstance(end, Simulation):
        return end._library.toehold_sim_port(end._engine)
    return _Port(put_frame=end._put, take_frame=end._take)
