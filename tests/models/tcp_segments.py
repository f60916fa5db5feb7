# SPDX-License-Identifier: Apache-2.0
"""TCP options read as the RFCs say, and the records in which the engine hands segments on."""

import random

# Widths of the fields of tcp_segment_t and received_segment_t, first on top. A block of SACK has
# its left edge above the right one; of several the first is at the bottom.
SEGMENT = {
    "remote_ip": 32, "remote_port": 16, "local_port": 16, "seq": 32, "ack": 32, "flags": 8,
    "window": 16, "payload_length": 16, "payload_tag": 8, "mss": 16,
    "has_window_scale": 1, "window_scale": 4, "sack_permitted": 1, "has_timestamps": 1,
    "ts_value": 32, "ts_echo": 32,
    "direct": 1, "sack_only": 1, "sack": 64, "urgent": 32,
}  # fmt: skip
RECEIVED = {**SEGMENT, "sack_count": 3, "sacks": 4 * 64}

END, NOP, MSS, WINDOW_SCALE, SACK_PERMITTED, SACK, TIMESTAMPS = 0, 1, 2, 3, 4, 5, 8


def split_options(options: bytes) -> list[tuple[int, bytes]]:
    """Kinds and values (RFC 9293 section 3.1) until the list ends, or breaks off."""
    found, at = [], 0
    while at < len(options):
        kind = options[at]
        if kind == END:
            break
        if kind == NOP:
            at += 1
            continue
        if at + 1 >= len(options):
            break
        length = options[at + 1]
        if length < 2 or at + length > len(options):
            break
        found.append((kind, options[at + 2 : at + length]))
        at += length
    return found


def read_options(options: bytes, syn: bool, ack: bool = True) -> dict[str, int]:
    """Fields of received_segment_t: the last option of a kind with the right length counts."""
    values = {
        "mss": 0, "has_window_scale": 0, "window_scale": 0, "sack_permitted": 0,
        "has_timestamps": 0, "ts_value": 0, "ts_echo": 0, "sack_count": 0, "sacks": 0,
    }  # fmt: skip
    for kind, value in split_options(options):
        if kind == MSS and len(value) == 2 and syn:
            values["mss"] = int.from_bytes(value, "big")
        elif kind == WINDOW_SCALE and len(value) == 1 and syn:
            values["has_window_scale"] = 1
            values["window_scale"] = min(value[0], 14)
        elif kind == SACK_PERMITTED and not value and syn:
            values["sack_permitted"] = 1
        elif kind == TIMESTAMPS and len(value) == 8:
            values["has_timestamps"] = 1
            values["ts_value"] = int.from_bytes(value[:4], "big")
            values["ts_echo"] = int.from_bytes(value[4:], "big")
        elif kind == SACK and len(value) in (8, 16, 24, 32) and ack and not syn:
            values["sack_count"] = len(value) // 8
            values["sacks"] = sum(
                int.from_bytes(value[at : at + 8], "big") << 8 * at
                for at in range(0, len(value), 8)
            )
    return values


def meaningful(values: dict[str, int]) -> dict[str, int]:
    """A received segment with what says nothing set to 0."""
    values = dict(values)
    if not values["has_timestamps"]:
        values["ts_value"] = values["ts_echo"] = 0
    values["sacks"] &= (1 << 64 * values["sack_count"]) - 1
    return values


def random_options(length: int) -> bytes:
    """`length` bytes of options with their oddities: lengths 0 and 1, wrong, too long, cut."""
    right = {MSS: (4,), WINDOW_SCALE: (3,), SACK_PERMITTED: (2,), SACK: (10, 18, 26, 34),
             TIMESTAMPS: (10,)}  # fmt: skip
    options = b""
    while len(options) < length:
        choice = random.randrange(12)
        kind = random.choice(list(right))
        if choice < 7:
            size = random.choice(right[kind])
            options += bytes([kind, size]) + random.randbytes(size - 2)
        elif choice == 7:
            options += b"\x01" * random.randint(1, 3)
        elif choice == 8:
            options += b"\x00" if random.randrange(4) == 0 else b"\x01"
        elif choice == 9:
            options += bytes([random.randint(2, 254), random.randrange(0, 12)])
        elif choice == 10:
            size = random.choice([0, 1, 2, *(near + d for near in right[kind] for d in (-1, 1))])
            options += bytes([kind, size]) + random.randbytes(max(0, size - 2))
        else:
            size = random.randint(2, 12)
            options += bytes([random.randint(9, 254), size]) + random.randbytes(size - 2)
    return options[:length]
