# SPDX-License-Identifier: Apache-2.0
"""Bytes that go between the engine and the DRAM of its rings for each byte of payload.

Clients send to the discard application (in), or receive from the source application (out). Bytes
are those of bursts on the DRAM's bus, counted by its model: a burst that is written for one byte
counts whole. Presets that keep their rings on chip have no such traffic at all.
"""

from _load import check, loaded_engine, open_all

from toehold.load import EXCHANGE, RECEIVE, SEND, Task

PRESETS = ("cached", "scale")
NOTES = (
    "Written and read are bytes on the DRAM's bus for each byte of payload. 1.00 would be a single "
    "write or a single read."
)

CLIENTS = 16
BYTES, QUICK_BYTES = 200_000, 60_000
PAYLOADS, QUICK_PAYLOADS = (64, 256, 1460), (256, 1460)
SETTLE_CLOCKS, MOST_SETTLES = 5000, 1000


def measure(request):
    """Of the preset that is asked for; a whole run that is asked for the first measures all."""
    presets = (request.preset,)
    if request.preset == PRESETS[0] and not request.quick:
        presets = PRESETS
    rows = []
    for preset in presets:
        for width in request.widths:
            for payload in QUICK_PAYLOADS if request.quick else PAYLOADS:
                for direction in ("in", "out"):
                    request.tell(f"{preset}, {width} bits, {payload} bytes {direction}")
                    rows.append(_row(request, preset, width, payload, direction))
    largest = [
        row for row in rows if row["payload_bytes"] == PAYLOADS[-1] and row["preset"] == presets[-1]
    ]
    summary = {
        "tx_dram_bytes_per_byte": max(_all(row) for row in largest if row["direction"] == "out"),
        "rx_dram_bytes_per_byte": max(_all(row) for row in largest if row["direction"] == "in"),
    }
    return rows, summary


def _all(row: dict) -> float:
    return row["written_per_byte"] + row["read_per_byte"]


def _row(request, preset: str, width: int, payload: int, direction: str) -> dict:
    wanted = QUICK_BYTES if request.quick else BYTES
    kind = SEND if direction == "in" else RECEIVE
    with loaded_engine(preset, width, CLIENTS, mss=payload) as (engine, load):
        open_all(load, kind=kind)
        before = _moved(engine, load, direction)
        # Turns of some segments each: the windows are never empty.
        turns = max(CLIENTS, wanted // (8 * payload))
        load.run(Task(EXCHANGE, turns=turns, at_once=2 * CLIENTS, bytes=8 * payload))
        after = _moved(engine, load, direction)
    payload_bytes, written, read = (b - a for a, b in zip(before, after, strict=True))
    return {
        "preset": preset,
        "width_bits": width,
        "direction": direction,
        "payload_bytes": payload,
        "written_per_byte": written / payload_bytes,
        "read_per_byte": read / payload_bytes,
    }


def _moved(engine, load, direction: str) -> tuple[int, int, int]:
    """Bytes of payload so far, bytes written to the rings' memory, bytes read: when nothing moves
    any more, and the source has filled the rings as far as it does."""
    name = "bytes_sent" if direction == "in" else "bytes_received"
    moved = None
    for _ in range(MOST_SETTLES):
        engine.advance(SETTLE_CLOCKS)
        memory = engine.memory_counters("payload")
        before, moved = (
            moved,
            (load.counters()[name], memory["bytes_written"], memory["bytes_read"]),
        )
        if moved == before:
            check(load)
            return moved
    raise RuntimeError("The rings' memory does not come to rest.")
