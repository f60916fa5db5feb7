# SPDX-License-Identifier: Apache-2.0
"""Packed structs of the RTL as dictionaries of their fields."""

from collections.abc import Mapping

# Width in bits of each field, the topmost first, as the struct declares them.
Layout = Mapping[str, int]


def pack(layout: Layout, **values: int) -> int:
    """The bits of the struct. A field that is not given is 0; one that does not fit is an error."""
    assert set(values) <= set(layout), f"no such fields: {set(values) - set(layout)}"
    word = 0
    for name, width in layout.items():
        value = int(values.get(name, 0))
        assert 0 <= value < 1 << width, f"{name} = {value} has more than {width} bits"
        word = word << width | value
    return word


def unpack(layout: Layout, word: int) -> dict[str, int]:
    values = {}
    for name, width in reversed(layout.items()):
        values[name] = word & ((1 << width) - 1)
        word >>= width
    return values
