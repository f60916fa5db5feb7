# SPDX-License-Identifier: Apache-2.0
"""raw_link against the model of its specification: every frame's fate, each answer on the wire,
what the applications are told and what they send."""

import random
from collections import Counter, deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.raw_link import (
    ACK,
    DATA,
    HARDWARE,
    HEADER_BYTES,
    MAX_DATA_BYTES,
    MIN_BYTES,
    REFUSAL,
    Receiver,
    frame,
    parse,
)
from support.extent import FULL
from support.simulate import parameter, simulate
from support.streams import Packet, PacketSink, PacketSource, clocks, pattern, start
from toehold.cores import sources
from toehold.elaborate import struct_fields

# The fields of raw_link_counters_t: lowest bit and width.
COUNTERS = struct_fields("raw_link_pkg", "raw_link_counters_t", *sources(["raw_link"]))
ENDS = [name for name in COUNTERS if name.startswith("drop_") and "_tx_" not in name]
ENDS += ["delivered", "acknowledgements_in", "refusals_in"]
PEERS = ["02:00:00:00:00:01", "02:00:00:00:00:02", "06:00:00:00:00:01"]


class _Port:
    """A view of the module in which AXI4-Stream has the names of the house."""

    def __init__(self, dut):
        self._dut = dut

    def __getattr__(self, name):
        for prefix in ("s_axis_rx", "m_axis_tx"):
            if name.startswith(f"{prefix}_"):
                signal = name.removeprefix(f"{prefix}_")
                signal = {"error": "user"}.get(signal, signal)
                if prefix == "m_axis_tx" and signal == "user":
                    raise AttributeError(name)
                return getattr(self._dut, f"{prefix}_t{signal}")
        return getattr(self._dut, name)


class Counts:
    def __init__(self, dut):
        self.dut, self.counts = dut, Counter()
        cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.rst.value:
                continue
            word = int(self.dut.counts_o.value)
            if word:
                for name, (low, width) in COUNTERS.items():
                    self.counts[name] += word >> low & ((1 << width) - 1)

    def check(self):
        assert sum(self.counts[name] for name in ENDS) == self.counts["rx_frames"], self.counts


class Applications:
    """All applications: takes what is delivered, sends what send() queues."""

    def __init__(self, dut, apps: int, lanes: int, pause=None):
        self.dut, self.apps, self.lanes = dut, apps, lanes
        self.heads: list[dict[str, int]] = []
        self.data: list[bytes] = []
        self.held = [False] * apps  # these take nothing
        self.queues = [deque() for _ in range(apps)]
        self.pauses = [pattern(pause) for _ in range(apps)]
        self.current: list[tuple[int, bytearray]] = [None] * apps
        self.out_pause = pattern(pause)
        for name in ("m_app_head_ready", "m_app_ready", "s_app_head_valid", "s_app_valid"):
            getattr(dut, name).value = 0
        cocotb.start_soon(self._receive())
        cocotb.start_soon(self._transmit())

    def send(self, app: int, handle: int, data: bytes, ack: int = 0, last: int = 0) -> None:
        word = handle << 5 | app << 3 | ack << 2 | last << 1 | bool(data)
        self.queues[app].append((word, data))

    @property
    def deliveries(self) -> int:
        return len(self.data)

    async def _receive(self):
        dut = self.dut
        ready = [0, 0]
        while True:
            await RisingEdge(dut.clk)
            if dut.rst.value:
                continue
            heads = int(dut.m_app_head_valid.value) & ready[0]
            beats = int(dut.m_app_valid.value) & ready[1]
            assert int(dut.m_app_head_valid.value).bit_count() <= 1
            assert int(dut.m_app_valid.value).bit_count() <= 1
            if heads:
                app = heads.bit_length() - 1
                word = int(dut.m_app_head.value)
                head = {
                    "app": app, "size": word & 0x3FFF, "last": word >> 14 & 1,
                    "first": word >> 15 & 1, "ui_app": word >> 16 & 3,
                    "handle": word >> 18 & 0xFFF, "connected": word >> 30 & 1,
                    "deliver": word >> 31,
                }  # fmt: skip
                assert head["ui_app"] == app and head["deliver"]
                assert self.current[app] is None
                self.heads.append(head)
                if head["size"]:
                    self.current[app] = (head["size"], bytearray())
                else:
                    self.data.append(b"")
            if beats:
                app = beats.bit_length() - 1
                size, data = self.current[app]
                keep, last = int(dut.m_app_keep.value), bool(dut.m_app_last.value)
                count = keep.bit_length()
                assert keep == (1 << count) - 1 and (last or count == self.lanes)
                data += int(dut.m_app_data.value).to_bytes(self.lanes, "little")[:count]
                assert last == (len(data) >= size) and len(data) <= size
                if last:
                    self.data.append(bytes(data))
                    self.current[app] = None
            allowed = sum(
                (not held and not next(pause)) << a
                for a, (held, pause) in enumerate(zip(self.held, self.pauses, strict=True))
            )
            ready = [allowed, allowed]
            dut.m_app_head_ready.value = dut.m_app_ready.value = allowed

    async def _transmit(self):
        """One frame at a time from each application, all applications at once."""
        dut, lanes = self.dut, self.lanes
        heads, beats = [None] * self.apps, [None] * self.apps
        shown_heads = shown_beats = 0
        while True:
            await RisingEdge(dut.clk)
            if dut.rst.value:
                continue
            taken_heads = shown_heads & int(dut.s_app_head_ready.value)
            taken_beats = shown_beats & int(dut.s_app_ready.value)
            head_word = data_word = keep_word = last_word = 0
            # An application that offers nothing shows anything.
            noise = random.getrandbits
            for app in range(self.apps):
                if taken_heads >> app & 1:
                    data = heads[app][1]
                    beats[app] = [data[i : i + lanes] for i in range(0, len(data), lanes)] or None
                    heads[app] = None
                if taken_beats >> app & 1:
                    beats[app].pop(0)
                    beats[app] = beats[app] or None
                if heads[app] is None and beats[app] is None and self.queues[app]:
                    heads[app] = self.queues[app].popleft()
                head_word |= (heads[app][0] if heads[app] else noise(17)) << 17 * app
                if beats[app]:
                    beat = beats[app][0]
                    data, keep = int.from_bytes(beat, "little"), (1 << len(beat)) - 1
                    last = len(beats[app]) == 1
                else:
                    data, keep, last = noise(8 * lanes), noise(lanes), noise(1)
                data_word |= data << 8 * lanes * app
                keep_word |= keep << lanes * app
                last_word |= last << app
            pause = next(self.out_pause)
            # What was offered stays.
            shown_heads = self._shown(heads, shown_heads & ~taken_heads, pause)
            shown_beats = self._shown(beats, shown_beats & ~taken_beats, pause)
            dut.s_app_head.value = head_word
            dut.s_app_head_valid.value = shown_heads
            dut.s_app_data.value = data_word
            dut.s_app_keep.value = keep_word
            dut.s_app_last.value = last_word
            dut.s_app_valid.value = shown_beats

    @staticmethod
    def _shown(things: list, offered: int, pause: bool) -> int:
        return sum(
            bool(thing and (offered >> app & 1 or not pause)) << app
            for app, thing in enumerate(things)
        )


class Bench:
    def __init__(self, dut, idle="never", backpressure="never", app_pause=None):
        view = _Port(dut)
        self.dut, self.lanes = dut, parameter("DataWidth") // 8
        self.apps = parameter("Apps", 4)
        self.source = PacketSource(view, "s_axis_rx", error=True, pause=idle)
        self.sink = PacketSink(view, "m_axis_tx", error=False, pause=backpressure)
        self.applications = Applications(dut, self.apps, self.lanes, app_pause)
        self.counts = Counts(dut)
        self.model = Receiver(parameter("Connections"), self.apps)

    async def start(self):
        await start(self.dut, mac_i=int(HARDWARE.replace(":", ""), 16), forget_i=0)

    def put(self, raw: bytes, bad_fcs: bool = False) -> None:
        self.source.send(Packet(raw, bad_fcs))
        self.model.put(raw, bad_fcs)

    async def settle(self) -> None:
        """Until all that the model says has come."""
        await self.source.drained()
        for _ in range(50_000):
            deliveries = len(self.applications.data) >= len(self.model.deliveries)
            if deliveries and len(self.sink.packets) >= len(self.model.answers):
                break
            await RisingEdge(self.dut.clk)
        else:
            raise AssertionError("Deliveries or answers are missing.")
        await clocks(self.dut, 200)

    def check(self) -> None:
        model, applications = self.model, self.applications
        assert len(applications.heads) == len(model.deliveries) == len(applications.data)
        for head, data, wanted in zip(
            applications.heads, applications.data, model.deliveries, strict=True
        ):
            assert (head["app"], bool(head["connected"])) == (wanted.ui_app, wanted.connected)
            assert (bool(head["first"]), bool(head["last"])) == (wanted.first, wanted.last)
            assert data == wanted.data
        assert [p.data for p in self.sink.packets] == [a.frame() for a in model.answers]
        self.counts.check()
        seen = {
            n: c
            for n, c in self.counts.counts.items()
            if c and "_out" not in n and n != "tx_frames"
        }
        assert seen == {n: c for n, c in model.counts.items() if c}
        acks = sum(answer.action == ACK for answer in model.answers)
        assert self.counts.counts["acknowledgements_out"] == acks
        assert self.counts.counts["refusals_out"] == len(model.answers) - acks


def random_frame(model: Receiver) -> tuple[bytes, bool]:
    """Near what the model knows, and now and then far from it or broken."""
    source, cid = random.choice(PEERS), random.randrange(3) * 100
    entry = model.table.get((source, cid))
    near = entry.expected if entry else random.randrange(512)
    seq = (
        near + random.choice([0] * 8 + [-1, -1, -2, 1, 2, -256, 255, random.randrange(512)])
    ) % 512
    first = random.random() < (0.15 if entry and entry.active else 0.6)
    fields = {
        "cid": cid, "first": first, "last": random.random() < 0.15, "ack": random.random() < 0.5,
        "action": random.choice([DATA] * 12 + [ACK, REFUSAL, 3]), "ui_app": random.randrange(4),
        "reserved": random.randrange(4), "seq": seq, "source": source,
    }  # fmt: skip
    data = random.randbytes(random.choice([0, 1, 2, 3, 4, 5, 40, 41, 42, random.randint(0, 300)]))
    raw = frame(data, **fields)
    spoilt = random.random()
    if spoilt < 0.03:
        raw = raw[: random.randint(1, MIN_BYTES - 1)]
    elif spoilt < 0.06:
        raw = frame(data, **fields, destination=random.choice(["ff:ff:ff:ff:ff:ff", PEERS[0]]))
    elif spoilt < 0.09:
        raw = raw[:12] + random.choice([b"\x08\x00", b"\x88\xb4", b"\x89\xb5"]) + raw[14:]
    elif spoilt < 0.12:
        room = max(len(raw), MIN_BYTES) - HEADER_BYTES
        raw = frame(data, **fields, size=min(room + random.choice([1, 1, 5, 9999]), 16383))
    elif spoilt < 0.2:
        raw = frame(data, **fields, pad=random.randbytes(random.randint(45, 120)))
    return raw, random.random() < 0.03


@cocotb.test()
@cocotb.parametrize(
    (("idle", "backpressure"), [("never", "never"), ("bursts", "mostly"), ("sometimes", "bursts")])
)
async def every_frame_ends_as_specified(dut, idle, backpressure):
    bench = Bench(dut, idle, backpressure, app_pause=backpressure)
    await bench.start()
    for _ in range(8 if FULL else 3):
        for _ in range(40):
            bench.put(*random_frame(bench.model))
        await bench.settle()
    bench.check()
    if FULL:
        missed = {n for n in COUNTERS if not bench.counts.counts[n] and "tx" not in n}
        assert missed <= {"drop_overflow", "drop_table_full", "drop_no_app"}, missed


@cocotb.test()
async def table_full_and_entries_used_again(dut):
    entries = parameter("Connections")
    bench = Bench(dut)
    await bench.start()
    open_ = {"source": PEERS[0], "first": 1, "ack": 1}
    for cid in range(entries + 2):
        bench.put(frame(b"open", **open_, cid=cid, seq=7))
    bench.put(frame(b"more", source=PEERS[0], cid=3 % entries, seq=8, ack=1))
    bench.put(frame(b"end", source=PEERS[0], cid=1, seq=8, ack=1, last=1))
    await bench.settle()
    assert bench.model.counts["drop_table_full"] == 2
    # The entry of CID 1 is free; until it is taken, it answers a Last that comes again.
    bench.put(frame(b"end", source=PEERS[0], cid=1, seq=8, ack=1, last=1))
    bench.put(frame(b"open", **open_, cid=entries, seq=500))
    bench.put(frame(b"end", source=PEERS[0], cid=1, seq=8, ack=1, last=1))
    bench.put(frame(b"open", **open_, cid=entries + 1, seq=500))
    # A CID comes again: behind what it had (refused, with the number to start from), and ahead.
    bench.put(frame(source=PEERS[0], cid=0, seq=8, last=1))
    bench.put(frame(b"again", **open_, cid=0, seq=7))
    assert bench.model.answers[-1].action == REFUSAL
    bench.put(frame(b"again", **open_, cid=0, seq=bench.model.answers[-1].seq))
    bench.put(frame(b"more", source=PEERS[0], cid=0, seq=10, ack=1))
    await bench.settle()
    bench.check()
    assert [d.data for d in bench.model.deliveries].count(b"again") == 1
    # All are forgotten: nobody is known, everybody may come.
    dut.forget_i.value = 1
    await clocks(dut, 1)
    dut.forget_i.value = 0
    bench.model.table.clear()
    bench.model.places = [None] * entries
    bench.put(frame(b"lost", source=PEERS[0], cid=0, seq=11, ack=1))
    for cid in range(entries):
        bench.put(frame(b"new", **open_, cid=200 + cid, seq=1))
    await bench.settle()
    bench.check()


@cocotb.test()
async def the_entry_closed_longest_ago_is_taken(dut):
    """The others still answer a Last that comes again."""
    entries = parameter("Connections")
    bench = Bench(dut)
    await bench.start()
    peer = {"source": PEERS[0], "ack": 1}
    for cid in range(entries):
        bench.put(frame(b"open", **peer, cid=cid, seq=7, first=1))
    for cid in range(entries):
        bench.put(frame(b"end", **peer, cid=cid, seq=8, last=1))
    for cid in (100, 101):
        bench.put(frame(b"open", **peer, cid=cid, seq=7, first=1))
    bench.put(frame(b"end", **peer, cid=100, seq=8, last=1))
    bench.put(frame(b"open", **peer, cid=102, seq=7, first=1))
    for cid in (100, 2):
        bench.put(frame(b"end", **peer, cid=cid, seq=8, last=1))
        assert (bench.model.answers[-1].action == ACK) == (cid == 100)
    await bench.settle()
    bench.check()


@cocotb.test()
async def overflow_drops_whole_frames_and_counts_them(dut):
    bench = Bench(dut)
    await bench.start()
    bench.applications.held = [True] * bench.apps
    size, room = 100, parameter("BufferBytes")
    sent = [random.randbytes(size) for _ in range(2 * room // size + 2)]
    for number, data in enumerate(sent):
        fields = {"first": 1} if number == 0 else {}
        bench.source.send(frame(data, source=PEERS[0], cid=9, seq=number, **fields))
    await bench.source.drained()
    await clocks(dut, 100)
    overflowed = bench.counts.counts["drop_overflow"]
    assert overflowed >= room // size - 1
    bench.applications.held = [False] * bench.apps
    await clocks(dut, 2 * room)
    # It goes on, and the gap is noticed.
    tail = random.randbytes(33)
    bench.source.send(frame(tail, source=PEERS[0], cid=9, seq=len(sent)))
    await bench.source.drained()
    await clocks(dut, 500)
    received = bench.applications.data
    left = iter([*sent, tail])
    assert all(data in left for data in received), "out of order, or never sent"
    assert received[-1] == tail
    assert len(received) + overflowed == len(sent) + 1
    assert bench.counts.counts["drop_overflow"] == bench.counts.counts["lost"] == overflowed
    bench.counts.check()


@cocotb.test()
async def small_frames_overflow_too(dut):
    """Headers have a store of their own, which is full before that of the data."""
    bench = Bench(dut)
    await bench.start()
    bench.applications.held = [True] * bench.apps
    count = parameter("Frames", 256) + 40
    for number in range(count):
        fields = {"first": 1} if number == 0 else {}
        bench.source.send(
            frame(b"" if number % 3 else b"x", source=PEERS[0], cid=9, seq=number % 512, **fields)
        )
    await bench.source.drained()
    await clocks(dut, 100)
    overflowed = bench.counts.counts["drop_overflow"]
    assert 30 <= overflowed <= 42
    bench.applications.held = [False] * bench.apps
    await clocks(dut, 40 * count)
    assert bench.counts.counts["delivered"] + overflowed == count
    assert bench.applications.deliveries == bench.counts.counts["delivered"]
    bench.counts.check()


@cocotb.test()
@cocotb.parametrize(backpressure=["never", "mostly", "bursts"])
async def applications_send(dut, backpressure):
    bench = Bench(dut, backpressure=backpressure, app_pause="sometimes")
    await bench.start()
    for cid in range(2):
        bench.put(frame(source=PEERS[cid], cid=40 + cid, seq=100 * cid + 500, first=1))
    await bench.settle()
    handles = [head["handle"] for head in bench.applications.heads]
    sent = {app: [] for app in range(bench.apps)}
    for _ in range(40):
        app, to = random.randrange(bench.apps), random.randrange(2)
        data = random.randbytes(
            random.choice([0, 1, 2, 3, 4, 5, 40, 41, 42, 43, 64, random.randint(0, 400)])
        )
        ack, last = random.randrange(2), random.randrange(2)
        bench.applications.send(app, handles[to], data, ack, last)
        sent[app].append((to, data, ack, last))
    packets = await bench.sink.wait_packets(40)
    numbers = [500, 600 % 512]
    for packet in packets:
        link = parse(packet.data)
        to, data, ack, last = sent[link.ui_app].pop(0)
        assert packet.data == frame(
            data, source=HARDWARE, destination=PEERS[to], cid=40 + to, seq=numbers[to],
            ack=ack, last=last, ui_app=link.ui_app,
        )  # fmt: skip
        numbers[to] = (numbers[to] + 1) % 512
    assert not any(sent.values())
    assert bench.counts.counts["tx_frames"] == 40


@cocotb.test()
async def lookups_do_not_wait_for_what_comes_of_frames(dut):
    """Frames that ask for acknowledgement while an application sends: the sender waits for a lookup
    while the answer to a frame waits for the sender. Whichever comes first, both leave."""
    bench = Bench(dut)
    await bench.start()
    bench.put(frame(source=PEERS[0], cid=4, seq=0, first=1))
    await bench.settle()
    handle = bench.applications.heads[0]["handle"]
    count = 24
    for number in range(1, count + 1):
        bench.put(frame(source=PEERS[0], cid=4, seq=number, ack=1))
        await bench.source.drained()
        await clocks(dut, number)
        bench.applications.send(0, handle, b"y")
        await bench.sink.wait_packets(2 * number)
    bench.counts.check()
    assert bench.counts.counts["acknowledgements_out"] == count
    assert sum(parse(p.data).action == DATA for p in bench.sink.packets) == count


@cocotb.test()
async def frames_of_connections_that_are_gone_are_dropped(dut):
    bench = Bench(dut)
    await bench.start()
    entries = parameter("Connections")
    bench.put(frame(source=PEERS[0], cid=1, seq=10, first=1))
    bench.put(frame(source=PEERS[0], cid=1, seq=11, last=1))
    await bench.settle()
    handle = bench.applications.heads[0]["handle"]
    send = bench.applications.send
    send(0, handle, b"answer to Last", last=1)
    await bench.sink.wait_packets(1)
    assert parse(bench.sink.packets[0].data).data == b"answer to Last"
    for cid in range(entries):
        bench.put(frame(source=PEERS[1], cid=cid, seq=3, first=1))
    await bench.settle()
    for data in (b"", b"late", b"later" * 50):
        send(bench.apps - 1, handle, data)
    send(0, bench.applications.heads[-1]["handle"], b"alive")
    await bench.sink.wait_packets(2)
    await clocks(dut, 300)
    assert [parse(p.data).data for p in bench.sink.packets] == [b"answer to Last", b"alive"]
    assert bench.counts.counts["drop_tx_closed"] == 3
    # Opened again: what was meant for the connection before does not go to the new one.
    old = bench.applications.heads[-1]["handle"]
    bench.put(frame(source=PEERS[1], cid=entries - 1, seq=4, last=1))
    bench.put(frame(source=PEERS[1], cid=entries - 1, seq=5, first=1))
    await bench.settle()
    send(0, old, b"stale")
    send(0, bench.applications.heads[-1]["handle"], b"fresh")
    await bench.sink.wait_packets(3)
    assert parse(bench.sink.packets[-1].data).data == b"fresh"
    assert parse(bench.sink.packets[-1].data).number == 5
    assert bench.counts.counts["drop_tx_closed"] == 4


@cocotb.test()
async def acknowledgements_reach_the_application(dut):
    bench = Bench(dut)
    await bench.start()
    seen = []

    async def watch():
        while True:
            await RisingEdge(dut.clk)
            if not dut.rst.value and dut.m_acknowledged_valid.value:
                seen.append(int(dut.m_acknowledged.value))

    cocotb.start_soon(watch())
    bench.put(frame(source=PEERS[0], cid=1, seq=10, first=1))
    await bench.settle()
    bench.applications.send(0, bench.applications.heads[0]["handle"], b"please", ack=1)
    await bench.sink.wait_packets(1)
    assert parse(bench.sink.packets[0].data).ack
    bench.put(frame(source=PEERS[0], cid=1, seq=10, action=ACK))
    bench.put(frame(source=PEERS[1], cid=1, seq=11, action=ACK))
    await bench.source.drained()
    await clocks(dut, 200)
    assert seen == [bench.applications.heads[0]["handle"] << 9 | 10]
    assert bench.counts.counts["acknowledgements_in"] == 1
    assert bench.counts.counts["drop_no_connection"] == 1


@cocotb.test()
async def largest_frames(dut):
    """16,383 bytes both ways where the buffer has them; a byte more cannot be sent."""
    bench = Bench(dut)
    await bench.start()
    largest = min(parameter("BufferBytes"), MAX_DATA_BYTES)
    data = random.randbytes(largest)
    bench.put(frame(data, source=PEERS[0], cid=1, seq=10, first=1))
    await bench.settle()
    assert bench.applications.data == [data]
    handle = bench.applications.heads[0]["handle"]
    bench.applications.send(0, handle, data)
    bench.applications.send(0, handle, data + b"x")
    bench.applications.send(0, handle, b"end")
    await bench.sink.wait_packets(2)
    assert [parse(p.data).data for p in bench.sink.packets] == [data, b"end"]
    assert bench.counts.counts["drop_tx_size"] == 1


WIDTHS = [(8, 32, 16, 1024), (32, 32, 4, 1024), (512, 512, 16, 4096)]


@pytest.mark.parametrize(
    "mac_width, data_width, connections, buffer_bytes",
    [*WIDTHS, *([(8, 64, 2, 1024), (64, 128, 8, 1024), (16, 256, 8, 2048)] if FULL else [])],
)
def test_raw_link(mac_width, data_width, connections, buffer_bytes):
    simulate(
        top="raw_link",
        test_module=__file__,
        parameters={
            "MacWidth": mac_width, "DataWidth": data_width, "Connections": connections,
            "BufferBytes": buffer_bytes, "Frames": 64,
        },
    )  # fmt: skip


def test_largest_frames_of_all():
    simulate(
        top="raw_link",
        test_module=__file__,
        testcase="largest_frames",
        parameters={"MacWidth": 32, "DataWidth": 32, "Connections": 2, "BufferBytes": 16384},
    )


def test_fewer_applications():
    simulate(
        top="raw_link",
        test_module=__file__,
        testcase=["every_frame_ends_as_specified/idle=never/backpressure=never"],
        parameters={
            "MacWidth": 8, "DataWidth": 32, "Connections": 4, "BufferBytes": 4096, "Apps": 2,
        },
    )  # fmt: skip
