# SPDX-License-Identifier: Apache-2.0
"""tuple_hash as whoever knows its key computes it: Toeplitz, and eight rounds of mixing."""

import random
from collections.abc import Iterator

MASK = (1 << 64) - 1
WORD = (1 << 32) - 1


def tuple_hash(key: int, value: int) -> int:
    product = 0
    while value:
        lowest = value & -value
        product ^= key >> (lowest.bit_length() - 1)
        value ^= lowest
    x, y = (product & MASK) >> 32, product & WORD
    for turn in range(8):
        x, y = y ^ (_left(x, 1) & _left(x, 8)) ^ _left(x, 2) ^ 0xFFFFFFFC ^ turn & 1, x
    return x << 32 | y


def _left(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & WORD


def buckets_of(key: int, value: int, buckets: int) -> tuple[int, int]:
    """The two of tuple_index, which differ."""
    found = tuple_hash(key, value)
    first, second = found % buckets, (found >> 32) % buckets
    return first, second ^ (first == second)


def aimed(key: int, buckets: int, at: set[int]) -> Iterator[int]:
    """Tuples without end of which both buckets are among those."""
    while True:
        value = random.getrandbits(64)
        if at.issuperset(buckets_of(key, value, buckets)):
            yield value
