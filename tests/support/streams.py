# SPDX-License-Identifier: Apache-2.0
"""Drivers and monitors for the flat valid/ready streams of the RTL.

A stream with the prefix `s` and the fields `data`, `last` is s_data, s_last, s_valid, s_ready;
where a field has another name, a dict says so: {"bytes": "s_header"}. With `index` it is one of
several streams whose signals are array ports or (one bit each) packed vectors.

    StreamSource, StreamSink, StreamMonitor    transfers of any fields, as a dict of integers
    PacketSource, PacketSink, PacketMonitor    packets of bytes on data, keep, last (and error)

Every source and sink pauses as its pattern says; PATTERNS has those that each test should sweep.
What is on a bus without valid is random. Monitors and sinks check the rules of a stream: nothing
changes while it is stalled, and (packets) keep has the shape that the contract asks for.
All of them sample at the rising edge what was valid before it.
"""

import itertools
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.handle import ArrayObject
from cocotb.triggers import Event, RisingEdge, Timer
from cocotb.utils import get_sim_time

from support.clocks import hold_clocks

PERIOD_NS = 8

# A pattern makes an endless iterator of bools, true: pause in this clock.
Pattern = Callable[[], Iterator[bool]]


def never() -> Iterator[bool]:
    """Full speed."""
    return itertools.repeat(False)


def sometimes(probability: float) -> Pattern:
    """Each clock by itself."""

    def pattern() -> Iterator[bool]:
        generator = random.Random(random.getrandbits(64))
        while True:
            yield generator.random() < probability

    return pattern


def bursts(longest: int = 12) -> Pattern:
    """Runs and pauses of random lengths: what fills and drains buffers."""

    def pattern() -> Iterator[bool]:
        generator = random.Random(random.getrandbits(64))
        while True:
            yield from itertools.repeat(False, generator.randint(1, longest))
            yield from itertools.repeat(True, generator.randint(1, longest))

    return pattern


def alternating() -> Iterator[bool]:
    """Every other clock."""
    return itertools.cycle((True, False))


PATTERNS: dict[str, Pattern] = {
    "never": never,
    "sometimes": sometimes(0.3),
    "mostly": sometimes(0.8),
    "bursts": bursts(),
    "alternating": alternating,
}


def pattern(choice: "str | float | Pattern | None") -> Iterator[bool]:
    if choice is None:
        return never()
    if isinstance(choice, str):
        return PATTERNS[choice]()
    if isinstance(choice, int | float):
        return sometimes(choice)()
    return choice()


async def start(dut, clocks: int = 3, limit: int = 1_000_000, **initial: int) -> None:
    """Start the clock, drive inputs to their initial values, and reset.

    Sources and sinks are made before, so that the module sees defined inputs from the start. A test
    that has not ended after `limit` clocks fails: it waits for what does not come.
    """
    for name, value in initial.items():
        getattr(dut, name).value = value
    await hold_clocks(dut.clk)
    cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
    cocotb.start_soon(_watchdog(limit))
    if hasattr(dut, "rst"):
        dut.rst.value = 1
        for _ in range(clocks):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
    await RisingEdge(dut.clk)


async def _watchdog(limit: int) -> None:
    await Timer(limit * PERIOD_NS, "ns")
    raise AssertionError(f"not done after {limit} clocks")


async def clocks(dut, count: int) -> None:
    for _ in range(count):
        await RisingEdge(dut.clk)


def now() -> int:
    """Clocks since the start of the simulation."""
    return int(get_sim_time("ns")) // PERIOD_NS


class _Bit:
    """One bit of a vector, with the part of a handle's interface that is used here."""

    _written: dict[str, int] = {}

    def __init__(self, vector, index: int):
        self.vector, self.index = vector, index

    def __len__(self) -> int:
        return 1

    @property
    def value(self) -> int:
        return int(self.vector.value) >> self.index & 1

    @value.setter
    def value(self, value: int) -> None:
        name = self.vector._path
        others = self._written.get(name, 0) & ~(1 << self.index)
        self._written[name] = others | (int(value) << self.index)
        self.vector.value = self._written[name]


class _Channel:
    def __init__(
        self,
        dut,
        prefix: str,
        fields: Iterable[str] | Mapping[str, str],
        clock=None,
        reset=None,
        index: int | None = None,
    ):
        self.name = prefix if index is None else f"{prefix}[{index}]"
        self.clock = clock if clock is not None else dut.clk
        self.reset = reset if reset is not None else getattr(dut, "rst", None)

        def find(name: str):
            handle = getattr(dut, name)
            if index is None:
                return handle
            return handle[index] if isinstance(handle, ArrayObject) else _Bit(handle, index)

        if not isinstance(fields, Mapping):
            fields = {name: f"{prefix}_{name}" for name in fields}
        self.valid = find(f"{prefix}_valid")
        self.ready = find(f"{prefix}_ready") if hasattr(dut, f"{prefix}_ready") else None
        self.fields = {name: find(signal) for name, signal in fields.items()}
        self.widths = {name: len(handle) for name, handle in self.fields.items()}

    def _in_reset(self) -> bool:
        return self.reset is not None and bool(self.reset.value)


class StreamSource(_Channel):
    """Offers what send() queues. `times` has the clock in which each transfer was taken."""

    def __init__(self, dut, prefix="s", fields=("data",), pause=None, **options):
        super().__init__(dut, prefix, fields, **options)
        self.queue: deque[dict[str, int]] = deque()
        self.times: list[int] = []
        self.pause = pattern(pause)
        self.idle = Event()
        self.idle.set()
        self.random = random.Random(random.getrandbits(64))
        self.valid.value = 0
        self._scramble()
        self.task = cocotb.start_soon(self._run())

    def send(self, **values: int) -> None:
        missing = set(self.fields) ^ set(values)
        if missing:
            raise ValueError(f"{self.name}: send() and the stream differ in {sorted(missing)}")
        self.queue.append(values)
        self.idle.clear()

    async def drained(self) -> None:
        """Return when all that was queued has been taken."""
        await self.idle.wait()

    def _scramble(self) -> None:
        for name, handle in self.fields.items():
            handle.value = self.random.getrandbits(self.widths[name])

    async def _run(self) -> None:
        offered = False
        while True:
            await RisingEdge(self.clock)
            if self._in_reset():
                self.valid.value = 0
                offered = False
                continue
            if offered and (self.ready is None or self.ready.value):
                self.times.append(now())
                self.queue.popleft()
                offered = False
                if not self.queue:
                    self.idle.set()
            if offered:
                continue
            if self.queue and not next(self.pause):
                for name, value in self.queue[0].items():
                    self.fields[name].value = value
                self.valid.value = 1
                offered = True
            else:
                self._scramble()
                self.valid.value = 0


class StreamMonitor(_Channel):
    """Watches a stream and checks that it is stable while stalled.

    `transfers` and `times` hold what passed, and in which clock; `seen` is set with each.
    """

    def __init__(self, dut, prefix="m", fields=("data",), **options):
        super().__init__(dut, prefix, fields, **options)
        self.transfers: list[dict[str, int]] = []
        self.times: list[int] = []
        self.seen = Event()
        self._stalled: dict[str, int] | None = None
        self.task = cocotb.start_soon(self._run())

    def _sample(self) -> dict[str, int]:
        return {name: int(handle.value) for name, handle in self.fields.items()}

    def _significant(self, values: dict[str, int]) -> dict[str, int]:
        """What the rules speak of, for streams in which part of a transfer is undefined."""
        return values

    def _accept(self, values: dict[str, int]) -> None:
        """For packets, which are more than one transfer."""

    def _step(self) -> None:
        valid = bool(self.valid.value)
        if self._stalled is not None:
            assert valid, f"{self.name}_valid fell before {self.name}_ready had risen"
        if not valid:
            return
        values = self._sample()
        if self._stalled is not None:
            for name, before in self._significant(self._stalled).items():
                after = self._significant(values)[name]
                assert before == after, (
                    f"{self.name}_{name} changed from {before:#x} to {after:#x} while stalled"
                )
        if self.ready is None or self.ready.value:
            self._stalled = None
            self.transfers.append(values)
            self.times.append(now())
            self._accept(values)
            self.seen.set()
        else:
            self._stalled = values

    async def _run(self) -> None:
        while True:
            await RisingEdge(self.clock)
            if self._in_reset():
                self._stalled = None
            else:
                self._step()

    async def wait(self, count: int) -> list[dict[str, int]]:
        """Return the first `count` transfers when there are as many."""
        while len(self.transfers) < count:
            self.seen.clear()
            await self.seen.wait()
        return self.transfers[:count]


class StreamSink(StreamMonitor):
    """A monitor that drives ready, without regard to valid."""

    def __init__(self, dut, prefix="m", fields=("data",), pause=None, **options):
        self.pause = pattern(pause)
        super().__init__(dut, prefix, fields, **options)
        self.ready.value = 0

    async def _run(self) -> None:
        while True:
            await RisingEdge(self.clock)
            if self._in_reset():
                self._stalled = None
                self.ready.value = 0
                continue
            self._step()
            self.ready.value = not next(self.pause)


@dataclass
class Packet:
    """Bytes of a packet, and what goes along with it on other fields of the stream."""

    data: bytes
    error: bool = False
    lead: int = 0  # lane of the first byte
    sideband: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.data)


class PacketSource(StreamSource):
    """Sends packets beat by beat. Lanes that are not kept carry random bytes.

    sideband names fields beside data, keep, last and error; send() takes a value for each of them,
    which is held for the whole packet (or, with hold=False, shown with its first beat alone).
    """

    def __init__(self, dut, prefix="s", sideband=(), error=None, hold=True, **options):
        error = hasattr(dut, f"{prefix}_error") if error is None else error
        self.has_error, self.sideband, self.hold = error, tuple(sideband), hold
        fields = ["data", "keep", "last", *(["error"] if error else []), *sideband]
        super().__init__(dut, prefix, fields, **options)
        self.lanes = self.widths["keep"]

    def send(self, packet: bytes | Packet, **sideband: int) -> None:
        if not isinstance(packet, Packet):
            packet = Packet(bytes(packet))
        values = {**packet.sideband, **sideband}
        if not packet.data:
            raise ValueError("there are no packets without bytes")
        if set(values) != set(self.sideband):
            raise ValueError(f"{self.name}: sideband is {self.sideband}, not {tuple(values)}")
        lane, position = packet.lead, 0
        while position < len(packet):
            chunk = packet.data[position : position + self.lanes - lane]
            data = bytearray(self.random.randbytes(self.lanes))
            data[lane : lane + len(chunk)] = chunk
            last = position + len(chunk) == len(packet)
            if not self.hold and position:
                values = {n: self.random.getrandbits(self.widths[n]) for n in self.sideband}
            beat = {
                "data": int.from_bytes(data, "little"),
                "keep": ((1 << len(chunk)) - 1) << lane,
                "last": int(last),
                **values,
            }
            if self.has_error:
                # Without last, error says nothing.
                beat["error"] = int(packet.error) if last else self.random.getrandbits(1)
            super().send(**beat)
            position += len(chunk)
            lane = 0


class PacketMonitor(StreamMonitor):
    """Assembles packets and checks keep: contiguous, full except in the last beat.

    leads    the first beat may start above lane 0; the packet's `lead` says where
    `packets` holds the packets, `ends` the clock of each last beat, `starts` of each first.
    """

    def __init__(self, dut, prefix="m", sideband=(), error=None, leads=False, **options):
        error = hasattr(dut, f"{prefix}_error") if error is None else error
        self.has_error, self.sideband, self.leads = error, tuple(sideband), leads
        self.packets: list[Packet] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self._partial: Packet | None = None
        fields = ["data", "keep", "last", *(["error"] if error else []), *sideband]
        super().__init__(dut, prefix, fields, **options)
        self.lanes = self.widths["keep"]

    @property
    def in_packet(self) -> bool:
        return self._partial is not None

    def _significant(self, values: dict[str, int]) -> dict[str, int]:
        mask = sum(0xFF << 8 * lane for lane in range(self.lanes) if values["keep"] >> lane & 1)
        significant = {**values, "data": values["data"] & mask}
        if self.has_error and not values["last"]:
            del significant["error"]
        return significant

    def _accept(self, values: dict[str, int]) -> None:
        keep, last = values["keep"], bool(values["last"])
        assert keep, f"{self.name}_keep is zero"
        lead = (keep & -keep).bit_length() - 1
        end = keep.bit_length()
        shape = f"{self.name}_keep = {keep:#b}"
        assert keep == (1 << end) - (1 << lead), f"{shape} is not contiguous"
        assert last or end == self.lanes, f"{shape} is not full before the last beat"
        if self._partial is None:
            assert self.leads or lead == 0, f"{shape} does not start at lane 0"
            self._partial = Packet(b"", lead=lead, sideband={n: values[n] for n in self.sideband})
            self.starts.append(now())
        else:
            assert lead == 0, f"{shape} does not start at lane 0"
            for name, value in self._partial.sideband.items():
                assert values[name] == value, f"{self.name}_{name} changed within a packet"
        self._partial.data += values["data"].to_bytes(self.lanes, "little")[lead:end]
        if last:
            self._partial.error = bool(self.has_error and values["error"])
            self.packets.append(self._partial)
            self.ends.append(now())
            self._partial = None

    async def wait_packets(self, count: int) -> list[Packet]:
        """Return the first `count` packets when there are as many."""
        while len(self.packets) < count:
            self.seen.clear()
            await self.seen.wait()
        return self.packets[:count]


class PacketSink(PacketMonitor, StreamSink):
    """A packet monitor that drives ready."""

    def __init__(self, dut, prefix="m", **options):
        PacketMonitor.__init__(self, dut, prefix, **options)
