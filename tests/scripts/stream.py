# SPDX-License-Identifier: Apache-2.0
"""The bytes of both directions: two fixed streams, so that any piece can be checked."""

import random

_LENGTH = 1 << 16
_ENGINE = random.Random(1).randbytes(_LENGTH)
_PEER = random.Random(2).randbytes(_LENGTH)


def _piece(stream: bytes, start: int, length: int) -> bytes:
    start %= _LENGTH
    doubled = stream[start : start + length]
    while len(doubled) < length:
        doubled += stream[: length - len(doubled)]
    return doubled


def from_engine(start: int, length: int) -> bytes:
    return _piece(_ENGINE, start, length)


def from_peer(start: int, length: int) -> bytes:
    return _piece(_PEER, start, length)
