# SPDX-License-Identifier: Apache-2.0
"""axi_line_master between clients that want the same few lines all the time and a memory that
answers in any order: each read sees what was written before it, each request is answered once."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiRam

from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import start

LINE = 64
REQUEST = {"write": 1, "address": 32, "tag": 8, "strobe": LINE, "data": 8 * LINE}
RESPONSE = {"write": 1, "tag": 8, "data": 8 * LINE}
CLIENTS = 3
REQUESTS = 400
LINES = 6  # of each client: few, so that they meet
SPACE = 1 << 16


def bases() -> list[int]:
    return [client * SPACE for client in range(CLIENTS)]


class Clients:
    """Requests at random; what each read must see is known when it is taken."""

    def __init__(self, dut, busy: float, lines: int = LINES) -> None:
        self.dut, self.busy, self.count = dut, busy, lines
        self.lines = [
            {line: 0 for line in range(lines)} for _ in range(CLIENTS)
        ]  # as the requests taken so far leave them
        self.open: list[dict[int, int | None]] = [{} for _ in range(CLIENTS)]
        self.offers: list[dict | None] = [None] * CLIENTS
        self.taken = self.answered = self.most_open = 0
        self.overtaken = False
        cocotb.start_soon(self._run())

    def _offer(self, client: int) -> dict | None:
        tags = [tag for tag in range(32) if tag not in self.open[client]]
        if not tags or random.random() > self.busy or self.taken >= REQUESTS:
            return None
        strobe = random.choice([(1 << LINE) - 1, random.getrandbits(LINE), 0xFF << 8])
        return {
            "write": random.getrandbits(1),
            "address": random.randrange(self.count),
            "tag": random.choice(tags),
            "strobe": strobe,
            "data": random.getrandbits(8 * LINE),
        }

    def _take(self, client: int, offer: dict) -> None:
        line = self.lines[client]
        if offer["write"]:
            mask = sum(0xFF << 8 * i for i in range(LINE) if offer["strobe"] >> i & 1)
            line[offer["address"]] = line[offer["address"]] & ~mask | offer["data"] & mask
            self.open[client][offer["tag"]] = None
        else:
            self.open[client][offer["tag"]] = line[offer["address"]]
        self.taken += 1

    async def _run(self) -> None:
        dut = self.dut
        width = sum(REQUEST.values())
        while True:
            for client in range(CLIENTS):
                self.offers[client] = self.offers[client] or self._offer(client)
            word = sum(
                pack(REQUEST, **offer) << width * client
                for client, offer in enumerate(self.offers)
                if offer
            )
            dut.s_request.value = word
            dut.s_request_valid.value = sum(1 << c for c, offer in enumerate(self.offers) if offer)
            await RisingEdge(dut.clk)
            ready, valid = int(dut.s_request_ready.value), int(dut.m_response_valid.value)
            # Answers first: a tag is free from its response on.
            if valid:
                assert valid & (valid - 1) == 0
                self._answer(valid.bit_length() - 1, unpack(RESPONSE, int(dut.m_response.value)))
            for client in range(CLIENTS):
                if self.offers[client] and ready >> client & 1:
                    self._take(client, self.offers[client])
                    self.offers[client] = None
            self.most_open = max(self.most_open, sum(len(tags) for tags in self.open))

    def _answer(self, client: int, response: dict) -> None:
        tags = self.open[client]
        assert response["tag"] in tags, f"client {client} has not asked with {response['tag']}"
        self.overtaken |= next(iter(tags)) != response["tag"]
        wanted = tags.pop(response["tag"])
        assert response["write"] == (wanted is None)
        assert wanted is None or response["data"] == wanted
        self.answered += 1


class Memory:
    """Answers in any order; beats of reads alternate; writes take effect any time before B."""

    def __init__(self, dut, pause: float, errors: float = 0.0) -> None:
        self.dut, self.pause, self.errors = dut, pause, errors
        self.lanes = parameter("DataWidth") // 8
        self.bytes = bytearray(CLIENTS * SPACE)
        self.reads: list[list] = []  # id, address, beats left
        self.writes: list[list] = []  # id, address, beats of data
        self.data: list[tuple[int, int]] = []  # beats whose write is not known or not whole
        self.written: list[int] = []  # ids that wait for B
        self.write_errors = 0
        cocotb.start_soon(self._run())

    def _store(self) -> None:
        beats = LINE // self.lanes
        while self.writes and len(self.data) >= beats:
            ident, address = self.writes.pop(0)
            for beat in range(beats):
                data, strobe = self.data.pop(0)
                for lane in range(self.lanes):
                    if strobe >> lane & 1:
                        self.bytes[address + beat * self.lanes + lane] = data >> 8 * lane & 0xFF
            self.written.append(ident)

    async def _run(self) -> None:
        dut = self.dut
        names = "awready wready arready bvalid rvalid".split()
        values = dict.fromkeys(names, 0)
        while True:
            for name in ("awready", "wready", "arready"):
                values[name] = random.random() >= self.pause
            if not values["bvalid"] and self.written and random.random() > self.pause:
                dut.m_axi_bid.value = self.written.pop(random.randrange(len(self.written)))
                error = random.random() < self.errors
                dut.m_axi_bresp.value = 2 if error else 0
                self.write_errors += error
                values["bvalid"] = 1
            if not values["rvalid"] and self.reads and random.random() > self.pause:
                read = random.choice(self.reads)
                if read[2] == LINE // self.lanes:  # the line as it is at the first beat
                    read.append(bytes(self.bytes[read[1] : read[1] + LINE]))
                at = LINE - read[2] * self.lanes
                dut.m_axi_rid.value = read[0]
                dut.m_axi_rdata.value = int.from_bytes(read[3][at : at + self.lanes], "little")
                dut.m_axi_rlast.value = read[2] == 1
                dut.m_axi_rresp.value = 0
                read[2] -= 1
                if read[2] == 0:
                    self.reads.remove(read)
                values["rvalid"] = 1
            for name, value in values.items():
                getattr(dut, f"m_axi_{name}").value = int(value)
            await RisingEdge(dut.clk)
            if values["awready"] and dut.m_axi_awvalid.value:
                assert int(dut.m_axi_awlen.value) == LINE // self.lanes - 1
                self.writes.append([int(dut.m_axi_awid.value), int(dut.m_axi_awaddr.value)])
            if values["wready"] and dut.m_axi_wvalid.value:
                self.data.append((int(dut.m_axi_wdata.value), int(dut.m_axi_wstrb.value)))
                assert dut.m_axi_wlast.value == (len(self.data) % (LINE // self.lanes) == 0)
            if values["arready"] and dut.m_axi_arvalid.value:
                assert int(dut.m_axi_arlen.value) == LINE // self.lanes - 1
                ident, address = int(dut.m_axi_arid.value), int(dut.m_axi_araddr.value)
                assert ident not in [read[0] for read in self.reads]
                self.reads.append([ident, address, LINE // self.lanes])
            if values["bvalid"] and dut.m_axi_bready.value:
                values["bvalid"] = 0
            if values["rvalid"] and dut.m_axi_rready.value:
                values["rvalid"] = 0
            self._store()


async def begin(dut) -> None:
    width = parameter("AddressWidth")
    base = sum(base << width * client for client, base in enumerate(bases()))
    quiet = {f"m_axi_{name}": 0 for name in ("bvalid", "rvalid", "awready", "wready", "arready")}
    await start(dut, s_request_valid=0, base_i=base, **quiet)


async def finished(dut, clients: Clients) -> None:
    while clients.answered < REQUESTS or any(clients.open):
        await RisingEdge(dut.clk)


@cocotb.test()
async def a_line_a_clock(dut):
    """As fast as the bus, when the memory is and nothing has to wait for its line."""
    await begin(dut)
    Memory(dut, 0.0)
    clients = Clients(dut, 1.0, lines=SPACE // LINE)
    clocks = 0
    while clients.answered < REQUESTS or any(clients.open):
        await RisingEdge(dut.clk)
        clocks += 1
    beats = 512 // parameter("DataWidth")
    # Reads and writes have a bus each, and come in random order.
    assert clocks < REQUESTS * max(1, beats * 0.75) * 1.1 + 50, clocks


@cocotb.test()
async def reads_see_what_was_written(dut):
    """Few lines, a slow memory with errors: requests meet all the time."""
    await begin(dut)
    memory = Memory(dut, 0.6, errors=0.1)
    clients = Clients(dut, 1.0)
    errors = 0
    while clients.answered < REQUESTS or any(clients.open):
        await RisingEdge(dut.clk)
        errors += int(dut.write_error_o.value)
    for _ in range(2):
        await RisingEdge(dut.clk)
        errors += int(dut.write_error_o.value)
    assert clients.overtaken and clients.most_open > 8
    assert errors == memory.write_errors > 0
    assert not memory.reads and not memory.writes and not memory.written


@cocotb.test()
async def many_under_way(dut):
    """A slow memory and many lines: as many requests as there are IDs."""
    await begin(dut)
    Memory(dut, 0.8)
    clients = Clients(dut, 1.0, lines=SPACE // LINE)
    await with_timeout(finished(dut, clients), 400, "us")
    assert clients.most_open >= parameter("Outstanding")


@cocotb.test()
async def speaks_axi(dut):
    """The same with a memory that somebody else has written."""
    await begin(dut)
    AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=CLIENTS * SPACE)
    clients = Clients(dut, 0.7)
    await with_timeout(finished(dut, clients), 400, "us")


@pytest.mark.parametrize("width", [64, 256, 512])
def test_axi_line_master(width):
    simulate(
        top="axi_line_master",
        test_module=__file__,
        parameters={
            "DataWidth": width, "Clients": CLIENTS, "AddressWidth": 32, "Outstanding": 16,
        },
    )  # fmt: skip
