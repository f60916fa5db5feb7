# SPDX-License-Identifier: Apache-2.0
"""The simulation's link model (simulation/models/link_model.h) in virtual time."""

import ctypes
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from support.build_once import build_once
from toehold import units
from toehold.simulator_build import SIMULATION

_FRAME_BYTES = 65536
_HERE = Path(__file__).parent
_SOURCES = [_HERE / "link_model.cpp", SIMULATION / "models" / "link_model.cpp"]
_HEADERS = [SIMULATION / "models" / f"{name}.h" for name in ("link_model", "frame", "random")]


@dataclass(frozen=True)
class LinkSettings:
    """One direction: shares of frames, and what `toehold run --help` says of each."""

    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    delay_ns: int = 0
    rate_bps: int = 0

    @staticmethod
    def add_arguments(parser: ArgumentParser, delay: float = 0.0) -> None:
        """Options of a program that runs over a link, as `toehold run` names them; `delay` is
        that which it has when it is not given, seconds."""
        for fault in ("loss", "reorder", "duplicate", "corrupt"):
            parser.add_argument(f"--{fault}", type=units.probability, default=0.0)
        parser.add_argument("--delay", type=units.seconds, default=delay, help="each way")

    @classmethod
    def of(cls, arguments: Namespace) -> "LinkSettings":
        return cls(
            loss=arguments.loss,
            reorder=arguments.reorder,
            duplicate=arguments.duplicate,
            corrupt=arguments.corrupt,
            delay_ns=round(arguments.delay * 1e9),
        )


class _Choice(ctypes.Structure):
    _fields_ = [
        ("loss", ctypes.c_double),
        ("reorder", ctypes.c_double),
        ("duplicate", ctypes.c_double),
        ("corrupt", ctypes.c_double),
        ("delay_ns", ctypes.c_uint64),
        ("rate_bps", ctypes.c_uint64),
    ]


_COUNTERS = (
    "frames_in bytes_in frames_out bytes_out lost reordered duplicated corrupted queue_dropped"
).split()


class _Counters(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in _COUNTERS]


_any, _u64, _size = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t
_FUNCTIONS = {
    "create": (_any, [ctypes.POINTER(_Choice), _u64]),
    "destroy": (None, [_any]),
    "put": (None, [_any, ctypes.c_char_p, _size, _u64]),
    "take": (_size, [_any, _u64, _any, ctypes.POINTER(ctypes.c_int)]),
    "next_arrival_ns": (_u64, [_any]),
    "get_counters": (None, [_any, ctypes.POINTER(_Counters)]),
}


@cache
def _library() -> ctypes.CDLL:
    def command(folder: Path) -> list[str]:
        flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        output = ["-o", str(folder / "liblink.so")]
        return ["g++", *flags, f"-I{SIMULATION}", *output, *map(str, _SOURCES)]

    library = ctypes.CDLL(
        str(build_once("link", "", [*_SOURCES, *_HEADERS], command, "liblink.so"))
    )
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, f"link_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Link:
    """One direction. Time is the caller's, in nanoseconds, and must not run backwards."""

    def __init__(self, settings: LinkSettings, seed: int) -> None:
        self._library = _library()
        self._link = self._library.link_create(_Choice(**asdict(settings)), seed)
        self._buffer = ctypes.create_string_buffer(_FRAME_BYTES)

    def __del__(self) -> None:
        self._library.link_destroy(self._link)

    def put(self, frame: bytes, now_ns: int) -> None:
        self._library.link_put(self._link, frame, len(frame), now_ns)

    def take(self, now_ns: int) -> tuple[bytes, bool] | None:
        """The next frame that has arrived by then, and whether its FCS tells that it is wrong."""
        bad_fcs = ctypes.c_int()
        length = self._library.link_take(self._link, now_ns, self._buffer, bad_fcs)
        return (self._buffer.raw[:length], bool(bad_fcs.value)) if length else None

    @property
    def next_arrival_ns(self) -> int:
        """When the next frame arrives; 2**64 - 1 when none is under way."""
        return self._library.link_next_arrival_ns(self._link)

    def counters(self) -> dict[str, int]:
        counters = _Counters()
        self._library.link_get_counters(self._link, counters)
        return {name: getattr(counters, name) for name in _COUNTERS}
