# SPDX-License-Identifier: Apache-2.0
"""segment_builder behind a transmit_buffer: segments that scapy takes, markers in their place."""

import itertools
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from scapy.layers.inet import IP, TCP

from models.ip_structs import IP_TRANSMIT
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import (
    PATTERNS,
    PacketSink,
    PacketSource,
    StreamSink,
    StreamSource,
    clocks,
    now,
    start,
)

TX_SEGMENT, TX_RELEASE, TX_STATUS = 0, 1, 2
OUR_IP = "192.0.2.1"

# Widths of the fields of tx_command_t, first on top.
COMMAND = {
    "kind": 2, "remote_ip": 32, "remote_port": 16, "local_port": 16, "seq": 32, "ack": 32,
    "flags": 8, "window": 16, "dscp": 6, "mss": 16,
    "has_window_scale": 1, "window_scale": 4, "sack_permitted": 1, "has_timestamps": 1,
    "ts_value": 32, "ts_echo": 32,
    "sack_count": 3, "sack": 4 * 64,  # [3] on top; the left edge above the right one
    "payload_length": 16, "status": 62, "write_seq": 32, "write_there": 1,
}  # fmt: skip


def address(text: str) -> int:
    return int.from_bytes(bytes(int(part) for part in text.split(".")), "big")


def random_options(**given: int) -> dict[str, int]:
    """What a command may ask for in the way of options: a SYN's (mss) or another segment's."""
    values = {
        "mss": random.choice([0, 0, 1460, random.getrandbits(16)]),
        "has_window_scale": random.getrandbits(1),
        "window_scale": random.randint(0, 14),
        "sack_permitted": random.getrandbits(1),
        "has_timestamps": random.getrandbits(1),
        "ts_value": random.getrandbits(32),
        "ts_echo": random.getrandbits(32),
        "sack": random.getrandbits(256),
        **given,
    }
    values.setdefault("sack_count", random.randint(0, 4 - values["has_timestamps"]))
    return values


NO_OPTIONS = {"mss": 0, "has_timestamps": 0, "sack_count": 0}


def pairs(values: dict[str, int]) -> int:
    """Time stamps and blocks: each costs a clock where a header takes several."""
    return values["has_timestamps"] + (0 if values["mss"] else values["sack_count"])


def wide() -> bool:
    """Whether a header is summed in one clock."""
    return parameter("DataWidth") >= 256


def expected_options(values: dict[str, int]) -> list[tuple]:
    """As scapy reads them, padding included, in the order and with the padding of Linux."""
    stamps = ("Timestamp", (values["ts_value"], values["ts_echo"]))
    nop = ("NOP", None)
    if not values["mss"]:
        edges = []
        for i in range(values["sack_count"]):
            block = values["sack"] >> 64 * i
            edges += [block >> 32 & 0xFFFFFFFF, block & 0xFFFFFFFF]
        options = [nop, nop, stamps] if values["has_timestamps"] else []
        return options + ([nop, nop, ("SAck", tuple(edges))] if edges else [])
    options = [("MSS", values["mss"])]
    permitted = ("SAckOK", b"")
    if values["has_timestamps"]:
        options += [permitted, stamps] if values["sack_permitted"] else [nop, nop, stamps]
    elif values["sack_permitted"]:
        options += [nop, nop, permitted]
    if values["has_window_scale"]:
        options += [nop, ("WScale", values["window_scale"])]
    return options


class Bench:
    def __init__(self, dut, idle=None, packet_pause=None, payload_pause=None, marker_pause=None):
        self.dut = dut
        self.ring_bytes = parameter("RingBytes")
        self.connections = parameter("Connections")
        self.rings = [bytearray(self.ring_bytes) for _ in range(self.connections)]
        self.writes = StreamSource(dut, "s_write", ("id", "seq", "length"))
        self.data = PacketSource(dut, "s")
        fields = {"command": "s_command", "id": "s_command_id"}
        self.commands = StreamSource(dut, "s_command", fields, pause=idle)
        self.packets = StreamSink(dut, "m_ip_packet", {"packet": "m_ip_packet"}, pause=packet_pause)
        self.payloads = PacketSink(dut, "m_payload", pause=payload_pause)
        checksum = {"checksum": "m_checksum"}
        self.checksums = StreamSink(dut, "m_checksum", checksum, pause=payload_pause)
        self.releases = StreamSink(dut, "m_release", ("id",), pause=marker_pause)
        status = {
            "status": "m_status", "id": "m_status_id", "write_seq": "m_status_write_seq",
            "write_there": "m_status_write_there",
        }  # fmt: skip
        self.statuses = StreamSink(dut, "m_status", status, pause=marker_pause)
        self.segments: list[tuple[dict[str, int], bytes]] = []
        self.expected_releases: list[tuple[int, int]] = []  # id, payloads to be read before
        self.expected_statuses: list[tuple[dict[str, int], int]] = []
        self.payloads_sent = self.reads_done = self.counted = 0
        cocotb.start_soon(self._watch())

    async def _watch(self):
        """Markers as they appear: what comes before them has been read by then."""
        releases = statuses = 0
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.rst.value:
                continue
            if self.dut.m_release_valid.value and self.dut.m_release_ready.value:
                _, reads = self.expected_releases[releases]
                assert self.reads_done >= reads, "a release has overtaken a segment"
                releases += 1
            if self.dut.m_status_valid.value and self.dut.m_status_ready.value:
                _, reads = self.expected_statuses[statuses]
                assert self.reads_done >= reads, "a status has overtaken a segment"
                statuses += 1
            self.reads_done += int(self.dut.read_end_o.value)
            self.counted += int(self.dut.count_tcp_segments_out_o.value)

    async def fill(self):
        written = 0
        for connection in range(self.connections):
            self.rings[connection] = bytearray(random.randbytes(self.ring_bytes))
            self.writes.send(id=connection, seq=0, length=self.ring_bytes)
            self.data.send(bytes(self.rings[connection]))
        while written < self.connections:
            await RisingEdge(self.dut.clk)
            written += int(self.dut.written_o.value)

    def segment(self, length: int, seq: int | None = None, options: dict | None = None):
        """Without `options` there are none; what then may be anything is."""
        connection = random.randrange(self.connections)
        values = {name: random.getrandbits(width) for name, width in COMMAND.items()}
        values.update(kind=TX_SEGMENT, payload_length=length, **(options or NO_OPTIONS))
        if seq is not None:
            values["seq"] = seq
        self.commands.send(command=pack(COMMAND, **values), id=connection)
        ring = self.rings[connection]
        payload = bytes(ring[(values["seq"] + i) % self.ring_bytes] for i in range(length))
        self.segments.append((values, payload))
        self.payloads_sent += length > 0

    def marker(self, kind: int):
        connection = random.randrange(self.connections)
        values = {name: random.getrandbits(width) for name, width in COMMAND.items()}
        values["kind"] = kind
        self.commands.send(command=pack(COMMAND, **values), id=connection)
        if kind == TX_RELEASE:
            self.expected_releases.append((connection, self.payloads_sent))
        else:
            expected = {
                "status": values["status"], "id": connection, "write_seq": values["write_seq"],
                "write_there": values["write_there"],
            }  # fmt: skip
            self.expected_statuses.append((expected, self.payloads_sent))

    async def check(self):
        await self.packets.wait(len(self.segments))
        await self.payloads.wait_packets(self.payloads_sent)
        await self.checksums.wait(self.payloads_sent)
        await self.releases.wait(len(self.expected_releases))
        await self.statuses.wait(len(self.expected_statuses))
        await clocks(self.dut, 40)
        assert len(self.packets.transfers) == len(self.segments) == self.counted
        assert len(self.payloads.packets) == len(self.checksums.transfers) == self.payloads_sent
        assert [transfer["id"] for transfer in self.releases.transfers] == [
            connection for connection, _ in self.expected_releases
        ]
        assert self.statuses.transfers == [expected for expected, _ in self.expected_statuses]
        payloads = iter(self.payloads.packets)
        checksums = iter(self.checksums.transfers)
        for transfer, (values, payload) in zip(self.packets.transfers, self.segments, strict=True):
            got = unpack(IP_TRANSMIT, transfer["packet"])
            assert got["payload_length"] == len(payload)
            data = next(payloads).data if payload else b""
            assert data == payload
            header = bytearray(got["header"].to_bytes(60, "little")[: got["header_length"]])
            assert got["late_checksum"] == bool(payload)
            if payload:
                header[16:18] = next(checksums)["checksum"].to_bytes(2, "big")
            self._check_segment(got, values, header + data)

    def _check_segment(self, got: dict[str, int], values: dict[str, int], segment: bytes):
        assert got["protocol"] == 6 and got["dscp"] == values["dscp"]
        destination = ".".join(str(byte) for byte in got["destination"].to_bytes(4, "big"))
        ip = IP(src=OUR_IP, dst=destination, proto=6, len=20 + len(segment))
        received = IP(bytes(ip) + segment)
        options = expected_options(values)
        assert received[TCP].options == options
        # As long as scapy makes the same options.
        assert received[TCP].dataofs * 4 == got["header_length"] == len(TCP(options=options))
        assert int(received[TCP].flags) == values["flags"]
        assert segment[:12] == b"".join(
            values[name].to_bytes(COMMAND[name] // 8, "big")
            for name in ("local_port", "remote_port", "seq", "ack")
        )
        assert (received[TCP].window, received[TCP].urgptr) == (values["window"], 0)
        assert got["destination"] == values["remote_ip"]
        summed = received.copy()
        del summed[TCP].chksum
        assert IP(bytes(summed))[TCP].chksum == received[TCP].chksum


def initial() -> dict[str, int]:
    return {"ip_i": address(OUR_IP)}


@cocotb.test()
@cocotb.parametrize(idle=["never", "sometimes", "bursts"], pause=["never", "mostly", "bursts"])
async def random_commands(dut, idle, pause):
    choices = list(PATTERNS)
    bench = Bench(dut, idle, pause, random.choice(choices), random.choice(choices))
    await start(dut, **initial())
    await bench.fill()
    for _ in range(80):
        kind = random.randrange(10)
        if kind == 0:
            bench.marker(TX_RELEASE)
        elif kind == 1:
            bench.marker(TX_STATUS)
        else:
            length = random.choice([0, 0, 1, random.randint(0, 80), random.randint(0, 1460)])
            bench.segment(length, options=random.choice([None, random_options()]))
    await bench.check()


@cocotb.test()
async def every_payload_length(dut):
    """Lengths around the first beats and the longest, beginning in each lane."""
    bench = Bench(dut)
    await start(dut, **initial())
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    for length in [*range(0, 2 * lanes + 3), *range(1460 - lanes, 1461)]:
        bench.segment(length)
    for lane in range(lanes):
        for length in (1, lanes - 1, lanes, lanes + 1):
            bench.segment(length, seq=random.getrandbits(20) * lanes + lane)
    await bench.check()


@cocotb.test()
async def around_the_end_of_the_ring(dut):
    bench = Bench(dut)
    await start(dut, **initial())
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    for before in range(1, lanes + 1):
        bench.segment(before + random.randint(1, 2 * lanes), seq=7 * bench.ring_bytes - before)
    await bench.check()


@cocotb.test()
async def checksums_that_carry(dut):
    """Sums at the edge of the end-around carry: bytes of ones and zeros."""
    bench = Bench(dut)
    await start(dut, **initial())
    await bench.fill()
    for connection in range(bench.connections):
        pattern = bytes([random.choice([0x00, 0xFF])]) * bench.ring_bytes
        bench.rings[connection] = bytearray(pattern)
        bench.writes.send(id=connection, seq=0, length=bench.ring_bytes)
        bench.data.send(pattern)
    await bench.data.drained()
    await clocks(dut, 20)
    for length in (0, 1, 2, 3, 1459, 1460):
        for _ in range(4):
            edge = {"ts_value": 0xFFFFFFFF, "ts_echo": 0, "sack": (1 << 256) - 1}
            bench.segment(length, options=random_options(mss=random.choice([0, 0xFFFF]), **edge))
    await bench.check()


@cocotb.test()
async def every_combination_of_options(dut):
    """A SYN's and another segment's, with and without payload; never more than 40 bytes."""
    bench = Bench(dut, "sometimes", "sometimes")
    await start(dut, **initial())
    await bench.fill()
    for syn, stamps, permitted, scale in itertools.product((0, 1), repeat=4):
        for count in range(5 - stamps):
            given = {
                "mss": syn * random.randint(1, 0xFFFF), "has_timestamps": stamps,
                "sack_permitted": permitted, "has_window_scale": scale, "sack_count": count,
            }  # fmt: skip
            for length in (0, random.randint(1, 100)):
                bench.segment(length, options=random_options(**given))
    for scale in range(15):
        given = {"mss": 1460, "has_window_scale": 1, "window_scale": scale}
        bench.segment(0, options=random_options(**given))
    await bench.check()
    lengths = {unpack(IP_TRANSMIT, t["packet"])["header_length"] for t in bench.packets.transfers}
    assert lengths == set(range(20, 64, 4))


@cocotb.test()
async def latency(dut):
    bench = Bench(dut)
    await start(dut, **initial())
    await bench.fill()
    bench.segment(0)
    await bench.check()
    # 7 from its first clock.
    assert bench.packets.times[-1] - bench.commands.times[-1] == (
        7 if wide() else 4 + 2 * parameter("Half")
    )
    for given in ({"mss": 1460, "has_timestamps": 0}, {"mss": 1460, "has_timestamps": 1},
                  {"mss": 0, "has_timestamps": 1, "sack_count": 0},
                  {"mss": 0, "has_timestamps": 1, "sack_count": 3},
                  {"mss": 0, "has_timestamps": 0, "sack_count": 4}):  # fmt: skip
        bench.segment(0, options=random_options(**given))
        await clocks(dut, 2)
        begin = now()
        await bench.check()
        count = pairs(bench.segments[-1][0])
        # With Half whether it may begin is known a clock later, and the sum of a header with it
        # two later; so are pairs collected. It leaves another one later.
        half = parameter("Half")
        expected = 7 if wide() else max(7 + 3 * half + count, 5 + 3 * half + 2 * count)
        assert bench.packets.times[-1] - begin == expected
    bench.segment(parameter("DataWidth") // 8, seq=0)
    await bench.check()
    sum_latency = {64: 5, 128: 6, 256: 6, 512: 7}[parameter("DataWidth")]
    # Read a clock after its first: 6 (7) clocks to its one beat, then the sum. Headers are earlier.
    rounds = 0 if wide() else 3
    taken = bench.commands.times[-1]
    expected = 7 + wide() + sum_latency - rounds - parameter("Half")
    assert bench.checksums.times[-1] - taken == expected
    assert bench.packets.times[-1] - taken == (7 if wide() else 4 + 2 * parameter("Half"))


@cocotb.test()
async def throughput(dut):
    """Full segments as fast as Ethernet can carry them, acknowledgements in four clocks each, or
    in one."""
    bench = Bench(dut)
    await start(dut, **initial())
    await bench.fill()
    lanes = parameter("DataWidth") // 8
    count = 20
    for number in range(count):
        bench.segment(1460, seq=1460 * number + 1)
    await bench.check()
    on_the_line = -(-(14 + 20 + 20 + 1460) // lanes)
    for times in (bench.packets.times, bench.payloads.ends):
        steady = times[4:]
        clocks_per_segment = (steady[-1] - steady[0]) / (len(steady) - 1)
        dut._log.info("%.1f clocks for a segment of 1460 bytes", clocks_per_segment)
        assert clocks_per_segment <= on_the_line
    stamps = {"mss": 0, "has_timestamps": 1, "sack_count": 0}
    for given in (NO_OPTIONS, stamps, {**stamps, "sack_count": 3}, {**stamps, "mss": 1460},
                  {**NO_OPTIONS, "sack_count": 4}):  # fmt: skip
        before = len(bench.packets.times)
        for _ in range(count):
            bench.segment(0, options=random_options(**given))
        await bench.check()
        times = bench.packets.times[before:]
        clocks_per_segment = (times[-1] - times[0]) / (len(times) - 1)
        dut._log.info("%.1f clocks for a segment without payload", clocks_per_segment)
        rounds = 4 + pairs(bench.segments[-1][0]) + parameter("Half")
        assert clocks_per_segment <= (1 if wide() else rounds)
    # Small segments: as fast as their frames of 64 bytes go by at least.
    before = len(bench.packets.times)
    for _ in range(3 * count):
        bench.segment(6, seq=0)
    await bench.check()
    times = bench.packets.times[before:]
    clocks_per_segment = (times[-1] - times[0]) / (len(times) - 1)
    dut._log.info("%.1f clocks for a segment of 6 bytes", clocks_per_segment)
    assert clocks_per_segment <= (84 / lanes if wide() else 4 + parameter("Half"))


@pytest.mark.parametrize("data_width, half", [(64, 0), (512, 0), (64, 1)])
def test_segment_builder(data_width, half):
    simulate(
        top="transmit_path",
        core="tcp_transmit",
        test_module=__file__,
        extra_sources=["transmit_path.sv"],
        parameters={
            "DataWidth": data_width,
            "Connections": 4,
            "RingBytes": 2048,
            "Half": half,
        },
    )
