# SPDX-License-Identifier: Apache-2.0
"""The layout of toe_counters_t, read from its package, for tests that drive or watch it."""

from collections.abc import Mapping
from functools import cache

from toehold.cores import sources
from toehold.elaborate import struct_fields


@cache
def layout() -> dict[str, tuple[int, int]]:
    """Lowest bit and width of each counter's increment, in the order of the struct."""
    files, include_dirs = sources(["packages"])
    return struct_fields("toe_counters_pkg", "toe_counters_t", files, include_dirs)


def maximum() -> dict[str, int]:
    """The largest increment of each counter in one clock."""
    return {name: (1 << width) - 1 for name, (_, width) in layout().items()}


def pack(increments: Mapping[str, int]) -> int:
    """Increments by name as the bits of a toe_counters_t."""
    bits = 0
    for name, amount in increments.items():
        low, width = layout()[name]
        if not 0 <= amount < 1 << width:
            raise ValueError(f"{amount} does not fit the {width} bits of {name}")
        bits |= amount << low
    return bits


def unpack(bits: int) -> dict[str, int]:
    """The bits of a toe_counters_t as increments by name."""
    return {name: bits >> low & ((1 << width) - 1) for name, (low, width) in layout().items()}
