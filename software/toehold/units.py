# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them: 1%, 200us, 1Gbit."""

import re

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_BITS = {
    "bit": 1,
    "kbit": 10**3,
    "mbit": 10**6,
    "gbit": 10**9,
    "bps": 1,
    "kbps": 10**3,
    "mbps": 10**6,
    "gbps": 10**9,
}
_NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*([a-z%]*)", re.IGNORECASE)


def _split(text: str, example: str) -> tuple[float, str]:
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a quantity like {example}")
    return float(match[1]), match[2].lower()


def probability(text: str) -> float:
    """A share of frames, 0 to 1: "1%" or "0.01"."""
    value, unit = _split(text, "1% or 0.01")
    if unit not in ("", "%"):
        raise ValueError(f"{text!r} is not a share like 1% or 0.01")
    value = value / 100 if unit == "%" else value
    if not 0 <= value <= 1:
        raise ValueError(f"{text!r} is not between 0% and 100%")
    return value


def seconds(text: str) -> float:
    """A duration in seconds: "200us", "3ms", "1s"."""
    value, unit = _split(text, "200us")
    if unit not in _SECONDS:
        raise ValueError(f"{text!r} needs a unit: {', '.join(_SECONDS)}")
    return value * _SECONDS[unit]


def bits_per_second(text: str) -> float:
    """A rate in bits per second: "100Mbit", "1Gbit"."""
    value, unit = _split(text, "1Gbit")
    if unit not in _BITS:
        raise ValueError(f"{text!r} needs a unit: bit, kbit, Mbit or Gbit (per second)")
    if value <= 0:
        raise ValueError("a rate must be more than zero")
    return value * _BITS[unit]


def window(text: str) -> tuple[float, float]:
    """Two simulated times: "1ms:3ms"; an empty end leaves that side open."""
    start, colon, end = text.partition(":")
    if not colon:
        raise ValueError(f"{text!r} is not a window like 1ms:3ms")
    first = seconds(start) if start.strip() else 0.0
    last = seconds(end) if end.strip() else float("inf")
    if last <= first:
        raise ValueError(f"{text!r} ends before it starts")
    return first, last
