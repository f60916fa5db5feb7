# SPDX-License-Identifier: Apache-2.0
"""The pattern of the character generator protocol (RFC 864)."""


def chargen(length: int, first: int = 0) -> bytes:
    """So many bytes, from a place on."""
    ring = bytes(range(0x20, 0x7F))
    lines = (
        (ring + ring)[n % 95 : n % 95 + 72] + b"\r\n" for n in range((first + length) // 74 + 1)
    )
    return b"".join(lines)[first : first + length]
