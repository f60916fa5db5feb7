# SPDX-License-Identifier: Apache-2.0
"""TCP/IP stacks that are not ours, in this process: tests/interop/peers by ctypes.

Each is built when it is first asked for. Versions are pinned by go.sum and Cargo.lock; lwIP is the
one that is installed.
"""

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path

from support.build_once import BuildFailure, build_once
from support.link_cases import RetransmissionTimes
from toehold.paths import ROOT

SOURCES = ROOT / "tests" / "interop" / "peers"
INTERFACE = 1
NEVER = (1 << 64) - 1
OPENING, OPEN, CLOSED, FAILED = range(4)

LWIP_HEADER = Path("/usr/include/lwip/lwip/init.h")
LIBRARY = "libpeer.so"

_FRAME_BYTES = 1514
_CHUNK = 65536


class NotAvailable(Exception):
    """Why a stack cannot be built on this machine."""


@dataclass(frozen=True)
class Stack:
    """A stack, and how its shared object is made."""

    made_with: Callable[[], str]  # the versions of the tools; raises NotAvailable
    command: Callable[[Path], list[str]]  # that builds into this folder
    product: str  # where it leaves the shared object, below the folder
    times: RetransmissionTimes  # as its sources have them


def _tool(program: str, *arguments: str) -> str:
    """What a program says of its version."""
    if shutil.which(program) is None:
        raise NotAvailable(f"{program} is not installed")
    return subprocess.run([program, *arguments], capture_output=True, text=True).stdout.strip()


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.search(r"\d+(\.\d+)+", text)[0].split("."))


def _at_least(program: str, said: str, manifest: str, pattern: str) -> str:
    """`said`, if it is not older than what the manifest wants."""
    wanted = re.search(pattern, (SOURCES / manifest).read_text(), re.MULTILINE)[1]
    if _numbers(said) < _numbers(wanted):
        raise NotAvailable(f"{program} is older than {wanted}: {said}")
    return said


def _go() -> str:
    said = _tool("go", "version")
    return _at_least("go", said, "gvisor/go.mod", r"^go (.*)$")


def _cargo() -> str:
    said = _tool("cargo", "--version")
    return _at_least("cargo", said, "smoltcp/Cargo.toml", r'^rust-version = "(.*)"$')


def _lwip() -> str:
    if not LWIP_HEADER.exists():
        raise NotAvailable("liblwip-dev is not installed")
    return _tool("gcc", "--version") + LWIP_HEADER.read_text()


# One processor for each: the tests beside them have the other.
STACKS = {
    "gvisor": Stack(
        made_with=_go,
        command=lambda folder: [
            *("go", "build", "-C", str(SOURCES / "gvisor"), "-p", "1", "-trimpath"),
            *("-buildvcs=false", "-buildmode=c-shared", "-o", str(folder / LIBRARY), "."),
        ],
        product=LIBRARY,
        times=RetransmissionTimes(least_s=0.2, first_s=1.0),
    ),
    "smoltcp": Stack(
        made_with=_cargo,
        command=lambda folder: [
            *("cargo", "build", "--locked", "--release", "-j1", "--target-dir", str(folder)),
            *("--manifest-path", str(SOURCES / "smoltcp" / "Cargo.toml")),
        ],
        product="release/libtoehold_peer.so",
        times=RetransmissionTimes(least_s=1.0, first_s=1.0),
    ),
    "lwip": Stack(
        made_with=_lwip,
        command=lambda folder: [
            *("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"),
            *("-isystem", "/usr/include/lwip", "-o", str(folder / LIBRARY)),
            *(str(SOURCES / "lwip" / "peer.c"), "-llwip"),
        ],
        product=LIBRARY,
        # Its timer ticks twice a second.
        times=RetransmissionTimes(least_s=1.0, first_s=3.0),
    ),
}


def build_peer(name: str) -> Path:
    """The shared object of that stack; NotAvailable says why there is none."""
    stack = STACKS[name]
    made_with = stack.made_with()
    sources = [SOURCES / "peer.h", *(SOURCES / name).rglob("*")]
    files = [path for path in sources if path.is_file()]
    try:
        return build_once(name, made_with, files, stack.command, stack.product)
    except BuildFailure as failure:
        if any(mark in failure.output for mark in _NO_NETWORK):
            last = failure.output.splitlines()[-1]
            raise NotAvailable(f"its sources cannot be fetched: {last}") from None
        raise


# What go and cargo say when a registry cannot be reached.
_NO_NETWORK = (
    "dial tcp",
    "no such host",
    "Could not resolve host",
    "i/o timeout",
    "spurious network",
)


class _Settings(ctypes.Structure):
    _fields_ = [
        ("mac", ctypes.c_uint8 * 6),
        ("reserved", ctypes.c_uint8 * 2),
        ("ip", ctypes.c_uint32),
        ("prefix", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
    ]


_any, _size, _bytes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
_FUNCTIONS = {
    "interface": (ctypes.c_int, []),
    "create": (_any, [ctypes.POINTER(_Settings)]),
    "destroy": (None, [_any]),
    "listen": (ctypes.c_int, [_any, ctypes.c_uint16]),
    "connect": (ctypes.c_int, [_any, ctypes.c_uint32, ctypes.c_uint16]),
    "put_frame": (None, [_any, _bytes, _size]),
    "take_frame": (_size, [_any, _any, _size]),
    "poll": (ctypes.c_uint64, [_any, ctypes.c_uint64]),
    "write": (_size, [_any, _bytes, _size]),
    "read": (ctypes.c_int64, [_any, _any, _size]),
    "close": (None, [_any]),
    "get_state": (ctypes.c_int, [_any]),
}


@cache
def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, f"toehold_peer_{name}")
        function.restype, function.argtypes = result, arguments
    if library.toehold_peer_interface() != INTERFACE:
        raise RuntimeError(f"{path} has another interface than this module")
    return library


class Peer:
    """One host of a stack; methods are the functions of peer.h."""

    def __init__(self, name: str, mac: bytes, ip: str, prefix: int = 24, seed: int = 1) -> None:
        self.name = name
        self._library = _library(build_peer(name))
        address = int(IPv4Address(ip))
        settings = _Settings((ctypes.c_uint8 * 6)(*mac), (0, 0), address, prefix, seed)
        self._peer = self._library.toehold_peer_create(settings)
        if not self._peer:
            raise RuntimeError(f"{name} gives no host")
        self._frame = ctypes.create_string_buffer(_FRAME_BYTES)
        self._chunk = ctypes.create_string_buffer(_CHUNK)

    def close_host(self) -> None:
        self._library.toehold_peer_destroy(self._peer)
        self._peer = None

    def listen(self, port: int) -> None:
        if self._library.toehold_peer_listen(self._peer, port):
            raise RuntimeError(f"{self.name} does not listen")

    def connect(self, ip: str, port: int) -> None:
        if self._library.toehold_peer_connect(self._peer, int(IPv4Address(ip)), port):
            raise RuntimeError(f"{self.name} does not connect")

    def put_frame(self, frame: bytes) -> None:
        self._library.toehold_peer_put_frame(self._peer, frame, len(frame))

    def take_frame(self) -> bytes | None:
        length = self._library.toehold_peer_take_frame(self._peer, self._frame, _FRAME_BYTES)
        return self._frame.raw[:length] if length else None

    def poll(self, now_us: int) -> int:
        return self._library.toehold_peer_poll(self._peer, now_us)

    # The socket.

    def write(self, data: bytes) -> int:
        return self._library.toehold_peer_write(self._peer, data, len(data))

    def read(self) -> bytes | None:
        """What came; nothing when there is none now, None when there will be none."""
        taken = self._library.toehold_peer_read(self._peer, self._chunk, _CHUNK)
        return None if taken < 0 else self._chunk.raw[:taken]

    def close(self) -> None:
        self._library.toehold_peer_close(self._peer)

    @property
    def state(self) -> int:
        return self._library.toehold_peer_get_state(self._peer)
