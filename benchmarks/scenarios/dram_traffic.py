# SPDX-License-Identifier: Apache-2.0
"""Bytes that go between the engine and the DRAM of its rings for each byte of payload.

Clients send to the discard application (in), or receive from the source application, which fills
its rings as far ahead as they go (ahead), or from one that sends a message to each when the last
one has been acknowledged, as who answers requests does (out). Bytes are those of bursts on the
DRAM's bus, counted by its model: a burst that is written for one byte counts whole. Presets that
keep their rings on chip have no such traffic at all.
"""

from _load import check, loaded_engine, open_all
from _peer import ACCEPTED, ACKNOWLEDGED, listen

from toehold.load import EXCHANGE, RECEIVE, SEND, Task

PRESETS = ("cached", "scale")
NOTES = (
    "Written and read are bytes on the DRAM's bus for each byte of payload. 1.00 would be a single "
    "write or a single read."
)

CLIENTS = 6  # few enough that a pool of pages holds all that a source writes ahead for them
PORT = 4000
# Characters, lines of 72, each one further (RFC 864): what clients expect.
LINES = b"".join(bytes(32 + (line + i) % 95 for i in range(72)) + b"\r\n" for line in range(95))
ANSWER_CLOCKS = 200  # after which the application looks for acknowledgements
BYTES, QUICK_BYTES = 200_000, 60_000
PAYLOADS, QUICK_PAYLOADS = (64, 256, 1460), (256, 1460)
SETTLE_CLOCKS, MOST_SETTLES, MOST_STEPS = 5000, 1000, 100_000


def measure(request):
    """Of the preset that is asked for; a whole run that is asked for the first measures all."""
    presets = (request.preset,)
    if request.preset == PRESETS[0] and not request.quick:
        presets = PRESETS
    rows = []
    for preset in presets:
        for width in request.widths:
            for payload in QUICK_PAYLOADS if request.quick else PAYLOADS:
                for direction in ("in", "ahead", "out"):
                    request.tell(f"{preset}, {width} bits, {payload} bytes {direction}")
                    rows.append(_row(request, preset, width, payload, direction))
    # Where messages go straight to the line, if the preset can.
    last = [
        row for row in rows if row["preset"] == presets[-1] and row["payload_bytes"] == PAYLOADS[-1]
    ]
    summary = {}
    for name, direction in (("rx", "in"), ("tx", "out"), ("tx_ahead", "ahead")):
        summary[f"{name}_dram_bytes_per_byte"] = max(
            row["written_per_byte"] + row["read_per_byte"]
            for row in last
            if row["direction"] == direction
        )
    return rows, summary


def _row(request, preset: str, width: int, payload: int, direction: str) -> dict:
    wanted = QUICK_BYTES if request.quick else BYTES
    with loaded_engine(preset, width, CLIENTS, mss=payload, ack_every=1) as (engine, load):
        sessions = _open(engine, load, direction)
        before = _moved(engine, load, direction)
        if direction == "out":
            _answer(engine, load, sessions, payload, wanted // (CLIENTS * payload))
        else:
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


def _open(engine, load, direction: str) -> list[int]:
    """The clients, and the sessions of those that the application here is to answer."""
    if direction != "out":
        open_all(load, kind=SEND if direction == "in" else RECEIVE)
        return []
    listen(engine, PORT)
    open_all(load, kind=RECEIVE, port=PORT)
    engine.advance(SETTLE_CLOCKS)  # until all of them are told
    return [event.session for event in engine.take_events() if event.kind == ACCEPTED]


def _answer(engine, load, sessions: list[int], payload: int, messages: int) -> None:
    """So many messages to each, the next one when the last has arrived."""
    number = load.start(Task(EXCHANGE, turns=CLIENTS, at_once=CLIENTS, bytes=messages * payload))
    load.finish(SETTLE_CLOCKS)  # their windows open
    sent = dict.fromkeys(sessions, 0)
    ready = list(sessions)
    for _ in range(MOST_STEPS):
        for session in ready:
            if sent[session] < messages:
                begin = sent[session] * payload % len(LINES)
                engine.send(session, (LINES + LINES)[begin : begin + payload])
                sent[session] += 1
        if load.finish(ANSWER_CLOCKS):
            return
        ready = [
            event.session
            for event in engine.take_events()
            if event.kind == ACKNOWLEDGED and event.value == 0
        ]
    raise RuntimeError(f"{load.report(number).done} of {CLIENTS} clients have all messages.")


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
