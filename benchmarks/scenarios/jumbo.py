# SPDX-License-Identifier: Apache-2.0
"""Throughput with jumbo frames: segments of up to 8,960 bytes of payload.

As the scenario throughput, with the preset whose Mtu is 9,000: one connection, and all for which it
has room.
"""

from _throughput import COLUMNS as MEASURED
from _throughput import directions

PRESETS = ("bulk",)
WIDTHS = (64, 512)
COLUMNS = MEASURED

CONNECTIONS, QUICK_CONNECTIONS = (1, 16), (16,)
PAYLOADS, QUICK_PAYLOADS = (1460, 4096, 8960), (8960,)


def measure(request):
    rows, summary = [], {}
    for width in request.widths:
        for count in QUICK_CONNECTIONS if request.quick else CONNECTIONS:
            for payload in QUICK_PAYLOADS if request.quick else PAYLOADS:
                request.tell(f"{width} bits, {count} connections of {payload} bytes")
                rows += directions(request.preset, width, count, payload, request.quick)
    for row in rows:
        if row["payload_bytes"] == PAYLOADS[-1] and row["connections"] == CONNECTIONS[-1]:
            summary[f"share_{row['direction']}_8960_w{row['width_bits']}"] = row["share"]
    return rows, summary
