# SPDX-License-Identifier: Apache-2.0
"""segment_merge and write_splitter: what comes out says of each connection what came in, and every
byte is written where its own segment has it."""

import itertools
import random

import cocotb

from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, clocks, start

EV_SEGMENT, EV_SACK = 1, 11
RX_DROP, RX_WRITE, RX_DELIVER = 0, 1, 2
FIN, SYN, PSH, ACK = 0x01, 0x02, 0x08, 0x10
EVENT = ("kind", "hit", "id", "seq", "ack", "flags", "window", "length", "stamp")
COMMAND = ("kind", "seq", "skip", "length", "id")
SAME = ("id", "ack", "window", "stamp")
WRAP = 1 << 32


def plain(event: dict[str, int]) -> bool:
    return (
        event["kind"] == EV_SEGMENT
        and event["hit"] == 1
        and event["length"] > 0
        and event["flags"] | PSH == ACK | PSH
    )


def end(event: dict[str, int]) -> int:
    flags = event["flags"]
    return (event["seq"] + event["length"] + bool(flags & SYN) + bool(flags & FIN)) % WRAP


def joined(first: dict[str, int], second: dict[str, int]) -> dict[str, int] | None:
    """Both as one segment, where they may be one."""
    together = first["length"] + second["length"]
    same = all(first[name] == second[name] for name in SAME)
    if not (plain(first) and plain(second) and same and second["seq"] == end(first)):
        return None
    if together > parameter("MaxBytes"):
        return None
    return {**first, "length": together, "flags": first["flags"] | second["flags"]}


def stored(commands: list[dict[str, int]], lengths: list[int]) -> dict[int, int]:
    """Where the bytes of packets in a row are written, as receive_buffer does."""
    places, at = {}, 0
    for command, length in zip(commands, lengths, strict=True):
        if command["kind"] == RX_WRITE:
            count = min(max(length - command["skip"], 0), command["length"])
            for i in range(count):
                places[at + command["skip"] + i] = (command["seq"] + i) % WRAP
        at += length
    return places


class Bench:
    def __init__(self, dut, idle=None, pause=None, write_pause=None):
        self.dut = dut
        self.source = StreamSource(dut, "s", EVENT, pause=idle)
        self.sink = StreamSink(dut, "m", (*EVENT, "end"), pause=pause)
        fields = {name: f"s_command_{name}" for name in COMMAND}
        self.commands = StreamSource(dut, "s_command", fields)
        fields = {name: f"m_command_{name}" for name in COMMAND}
        self.writes = StreamSink(dut, "m_command", fields, pause=write_pause)
        self.sent: list[dict[str, int]] = []
        self.groups: list[list[dict[str, int]]] = []  # segments of each event
        self.expected: list[tuple[dict[str, int], list[int]]] = []  # commands, lengths
        cocotb.start_soon(self._decide())

    def send(self, **event: int) -> dict[str, int]:
        self.sent.append(event)
        self.source.send(**event)
        return event

    async def _decide(self):
        """A command for the payload of each event, or two."""
        seen = at = 0
        while True:
            await self.sink.wait(seen + 1)
            event = dict(self.sink.transfers[seen])
            seen += 1
            whole, group = self.sent[at], [self.sent[at]]
            at += 1
            while whole["length"] != event["length"]:
                whole = joined(whole, self.sent[at])
                assert whole is not None, "segments that may not be one are one"
                group.append(self.sent[at])
                at += 1
            assert event.pop("end") == end(group[-1])
            assert event == whole
            self.groups.append(group)
            if random.randrange(4) == 0:
                self._command([], kind=RX_DELIVER)
            if event["kind"] == EV_SEGMENT and event["length"]:
                self._command([segment["length"] for segment in group], event)

    def _command(self, lengths, event=None, kind=None):
        values = {"kind": kind or random.choice([RX_DROP, RX_WRITE, RX_WRITE, RX_WRITE]),
                  "seq": random.getrandbits(32), "skip": 0, "length": random.getrandbits(6),
                  "id": random.randrange(4)}  # fmt: skip
        if event:
            if random.randrange(3) == 0:
                values["skip"] = random.randint(0, event["length"])
            left = event["length"] - values["skip"]
            values["length"] = left if random.randrange(2) else random.randint(0, left)
        self.commands.send(**values)
        self.expected.append((values, lengths))

    async def check(self):
        await self.source.drained()
        while sum(len(group) for group in self.groups) < len(self.sent):
            await clocks(self.dut, 1)
        await self.writes.wait(sum(max(1, len(lengths)) for _, lengths in self.expected))
        await clocks(self.dut, 20)
        writes = list(self.writes.transfers)
        for command, lengths in self.expected:
            got, writes = writes[: max(1, len(lengths))], writes[max(1, len(lengths)) :]
            assert all(write["kind"] == command["kind"] for write in got)
            assert all(write["id"] == command["id"] for write in got)
            if lengths:
                assert stored(got, lengths) == stored([command], [sum(lengths)])
            else:
                assert got == [command]
        assert not writes


def random_event(previous: dict[str, int]) -> dict[str, int]:
    """Often what follows, with one thing that is different now and then."""
    event = {**previous, "seq": end(previous), "length": random.randint(1, 20),
             "flags": ACK | random.choice([0, PSH]), "kind": EV_SEGMENT, "hit": 1}  # fmt: skip
    change = random.randrange(24)
    if change < 2:
        event["length"] = 0
    elif change < 10:
        name = ("kind", "hit", "id", "seq", "ack", "flags", "window", "stamp")[change - 2]
        event[name] = {
            "kind": EV_SACK, "hit": 0, "id": event["id"] ^ random.randint(1, 3),
            "seq": (event["seq"] + random.choice([1, -1])) % WRAP,
            "flags": event["flags"] ^ 1 << random.choice([0, 1, 2, 4, 5, 6, 7]),
        }.get(name, event[name] ^ 1)  # fmt: skip
        if name == "kind":
            event["length"] = 0
    return event


FIRST = {"kind": EV_SEGMENT, "hit": 1, "id": 0, "seq": WRAP - 500, "ack": 7, "flags": ACK,
         "window": 9, "length": 3, "stamp": 5}  # fmt: skip


@cocotb.test()
@cocotb.parametrize(
    idle=["never", "sometimes", "bursts"], pause=list(PATTERNS), write_pause=["never", "bursts"]
)
async def random_segments(dut, idle, pause, write_pause):
    bench = Bench(dut, idle, pause, write_pause)
    await start(dut)
    event = bench.send(**FIRST)
    for _ in range(400):
        event = bench.send(**random_event(event))
    await bench.check()


@cocotb.test()
async def joins_what_comes_while_it_waits(dut):
    bench = Bench(dut, "never", "mostly")
    await start(dut)
    event = bench.send(**FIRST)
    for _ in range(400):
        event = bench.send(**{**event, "seq": end(event)})
    await bench.check()
    # No more than fit into a segment of full size, and rarely fewer.
    most = parameter("MaxBytes") // FIRST["length"]
    sizes = [len(group) for group in bench.groups]
    assert max(sizes) <= most and sum(sizes) / len(sizes) > 3
    # While segments are taken as they come there is nothing to wait for.
    assert bench.source.times[-1] - bench.source.times[0] < 1.5 * len(bench.sent)


@cocotb.test()
async def many_small_ones_have_room(dut):
    """One event never has more pieces than the queue behind it."""
    bench = Bench(dut, "never", "mostly", "mostly")
    await start(dut)
    event = bench.send(**{**FIRST, "length": 1})
    for _ in range(400):
        event = bench.send(**{**event, "seq": end(event)})
    bench.sink.pause = itertools.chain(itertools.repeat(True, 60), bench.sink.pause)
    await bench.check()
    assert max(len(group) for group in bench.groups) == parameter("MaxPieces")


@cocotb.test()
async def one_a_clock_and_none_joined(dut):
    bench = Bench(dut)
    await start(dut)
    event = bench.send(**FIRST)
    for _ in range(50):
        event = bench.send(**{**event, "seq": end(event)})
    await bench.check()
    assert bench.sink.times[-1] - bench.sink.times[0] == len(bench.sent) - 1


def test_segment_merge():
    simulate(
        top="merged_segments",
        core="engine",
        test_module=__file__,
        extra_sources=["merged_segments.sv"],
        parameters={"MaxBytes": 40, "MaxPieces": 15},
    )
