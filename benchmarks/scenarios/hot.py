# SPDX-License-Identifier: Apache-2.0
"""Throughput by the number of connections that are all in use: one, 128, and 1,024.

rx    clients send to the engine's discard, chosen in turn
tx    an application beside the engine sends to them in turn
Shares are of what a line of 10 or 100 Gbit/s carries, with preamble, FCS and gap; each direction by
itself. All state is in L2; rings are in DRAM and hold 64 KiB.
"""

from _load import (
    check,
    close_all,
    exchange,
    loaded_engine,
    open_all,
    payload_channels,
    share_of_line,
)

from toehold.load import PUSH, SEND

PRESETS = ("scale",)
WIDTHS = (64, 512)
MEMORY = "ddr4-2400"
COUNTS = (1, 128, 1024)
PAYLOAD = 1460
# The same tuples come again: their last connections have to be out of the tables.
REST_CLOCKS = 20_000
AT_ONCE = 32  # turns under way, and of one connection not more than its ring holds


def measure(request):
    rows, summary = [], {}
    turns = 400 if request.quick else 5000
    for width in request.widths:
        channels = payload_channels(MEMORY, width)
        shares = {"rx": [], "tx": []}
        for count in COUNTS:
            request.tell(f"{width} bits, {count} connections")
            row = {"width_bits": width, "payload_channels": channels, "connections": count}
            with loaded_engine(request.preset, width, count, MEMORY) as (engine, load):
                for name, kind in (("rx", SEND), ("tx", PUSH)):
                    ring = engine.read(f"identity_{name}_ring_bytes")
                    at_once = min(AT_ONCE, count * (ring // PAYLOAD))
                    open_all(load, kind=kind)
                    clocks = exchange(load, turns, PAYLOAD, at_once)
                    close_all(load)
                    engine.advance(REST_CLOCKS)
                    share = share_of_line(clocks, PAYLOAD, PAYLOAD, width)
                    row[f"{name}_share_of_line"] = round(share, 4)
                    shares[name].append(share)
                check(load)
            rows.append(row)
        for name, values in shares.items():
            # 1: as fast with many as with the number that it is fastest with.
            summary[f"{name}_least_over_most_w{width}"] = round(min(values) / max(values), 4)
    return rows, summary
