# SPDX-License-Identifier: Apache-2.0
"""ip_endpoint: every kind of frame against the model, each frame in exactly one counter."""

import random
import re
from collections import Counter
from ipaddress import IPv4Address

import cocotb
import pytest
from cocotb.triggers import RisingEdge, with_timeout
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from models.ip_host import BROADCAST, Fate, IpHost, internet_sum
from models.ip_structs import ICMP_ERROR, IP_TRANSMIT
from support.extent import some
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import Packet, PacketSink, PacketSource, StreamSource, clocks, start
from toehold.paths import ROOT

HOST = IpHost()
PEER_MAC = bytes.fromhex("020000000a01")
PEER_IP = "10.77.0.1"
GATEWAY_IP = "10.77.0.254"
GATEWAY_MAC = bytes.fromhex("020000000afe")
IDLE_BACKPRESSURE = (
    ("idle", "backpressure"),
    some(
        [
            ("never", "never"),
            ("sometimes", "bursts"),
            ("never", "mostly"),
            ("alternating", "alternating"),
            ("mostly", "never"),
        ],
        4,
    ),
)


def counter_fields() -> list[tuple[str, int]]:
    """Names and widths of toe_counters_t, the most significant first."""
    text = (ROOT / "rtl/packages/toe_counters_pkg.sv").read_text()
    width = int(re.search(r"ByteIncrementWidth = (\d+)", text)[1])
    body = text[text.index("typedef struct packed") :]
    return [
        (name, width if kind == "byte_increment_t" else 1)
        for kind, name in re.findall(r"^\s*(logic|byte_increment_t)\s+(\w+);", body, re.M)
    ]


class Counts(Counter):
    """Sums of counts_o."""

    def __init__(self, dut=None):
        super().__init__()
        if dut is not None:
            self.fields = counter_fields()
            cocotb.start_soon(self._run(dut))

    async def _run(self, dut):
        while True:
            await RisingEdge(dut.clk)
            value = int(dut.counts_o.value) if not dut.rst.value else 0
            if value:
                for name, width in reversed(self.fields):
                    self[name] += value & ((1 << width) - 1)
                    value >>= width

    def terminals(self) -> dict[str, int]:
        """Ends of received frames, those on m_tcp apart."""
        accepted = ("arp_requests_in", "arp_replies_in", "icmp_echo_in")
        return {
            name: count
            for name, count in self.items()
            if count
            and (name in accepted or name.startswith("drop_"))
            and name not in ("drop_arp_miss", "drop_overflow")
        }


class Bench:
    """The endpoint with something on each side of it."""

    def __init__(self, dut, idle=None, backpressure=None):
        self.dut = dut
        self.rx = PacketSource(dut, "s_rx", pause=idle)
        self.tx = PacketSink(dut, "m_tx", pause=backpressure)
        self.tcp = PacketSink(dut, "m_tcp", pause=backpressure)
        self.packet = StreamSource(dut, "s_ip", fields=("packet",), pause=idle)
        self.payload = PacketSource(dut, "s_ip_payload", pause=idle)
        self.checksum = StreamSource(
            dut, "s_ip_checksum", {"checksum": "s_ip_checksum"}, pause=idle
        )
        self.counts = Counts()
        self.tcp_ip: list[int] = []

    async def start(self, **settings):
        initial = dict(
            now_us=0,
            enable_i=1,
            mac_i=int.from_bytes(HOST.mac),
            ip_i=int(HOST.ip),
            netmask_i=int(HOST.mask),
            gateway_i=int(IPv4Address(GATEWAY_IP)),
            time_to_live_i=64,
            arp_ageing_s_i=0,
            m_icmp_error_ready=1,
        )
        self.counts.fields = counter_fields()
        cocotb.start_soon(self.counts._run(self.dut))
        cocotb.start_soon(self._observe_ip())
        await start(self.dut, **{**initial, **settings})

    async def _observe_ip(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.m_tcp_valid.value and dut.m_tcp_ready.value and dut.m_tcp_last.value:
                self.tcp_ip.append(int(dut.m_tcp_ip.value))

    def receive(self, frame, error=False) -> Fate:
        frame = bytes(frame)
        self.rx.send(Packet(frame, error=error))
        return HOST.receive(frame, error)

    def learn(self, mac=PEER_MAC, ip=PEER_IP):
        """Let the endpoint know a neighbour, by a request for its address."""
        self.receive(arp(mac=mac, ip=ip))

    def send(self, destination: str, header: bytes, payload: bytes = b"", protocol=6, dscp=0):
        late = bool(payload) and random.random() < 0.5
        if late:
            self.checksum.send(checksum=int.from_bytes(header[16:18]))
            header = header[:16] + random.randbytes(2) + header[18:]
        packet = pack(
            IP_TRANSMIT, destination=int(IPv4Address(destination)), dscp=dscp, protocol=protocol,
            payload_length=len(payload), header_length=len(header), late_checksum=int(late),
            header=int.from_bytes(header.ljust(60, b"\xaa"), "little"),
        )  # fmt: skip
        self.packet.send(packet=packet)
        if payload:
            self.payload.send(payload)

    async def settle(self, timeout_us=2000):
        await with_timeout(self.rx.drained(), timeout_us, "us")
        await with_timeout(self.packet.drained(), timeout_us, "us")
        await with_timeout(self.payload.drained(), timeout_us, "us")
        await with_timeout(self.checksum.drained(), timeout_us, "us")
        # Until nothing moves for a while.
        quiet = 0
        while quiet < 150:
            await RisingEdge(self.dut.clk)
            moving = self.dut.m_tx_valid.value or self.dut.m_tcp_valid.value
            quiet = 0 if moving else quiet + 1

    def frames(self) -> list[bytes]:
        return [packet.data for packet in self.tx.packets]


def ether(source=PEER_MAC, destination=HOST.mac, **fields):
    return Ether(src=source, dst=destination, **fields)


def pad(frame) -> bytes:
    return bytes(frame).ljust(60, bytes([random.getrandbits(8)]))


def arp(mac=PEER_MAC, ip=PEER_IP, target=str(HOST.ip), op=1, destination=BROADCAST, **fields):
    return pad(
        ether(mac, destination)
        / ARP(op=op, hwsrc=mac, psrc=ip, pdst=target, hwdst=bytes(6), **fields)
    )


def ping(size: int, ip=None, **fields) -> bytes:
    ip = ip or IP(src=PEER_IP, dst=str(HOST.ip))
    message = ICMP(type=8, id=random.getrandbits(16), seq=random.getrandbits(16))
    for name, value in fields.items():
        setattr(message, name, value)
    return pad(ether() / ip / message / Raw(random.randbytes(size)))


def segment(size: int, **fields) -> bytes:
    ip = IP(**{"src": PEER_IP, "dst": str(HOST.ip), **fields})
    return pad(ether() / ip / TCP(sport=random.getrandbits(16), dport=80) / random.randbytes(size))


def rebuilt(frame: bytes, change) -> bytes:
    """The frame with its IP packet changed and the header checksum made right again."""
    packet = bytearray(frame[14:])
    change(packet)
    packet[10:12] = bytes(2)
    header = bytes(packet[: (packet[0] & 15) * 4])
    packet[10:12] = (internet_sum(header) ^ 0xFFFF).to_bytes(2)
    return frame[:14] + bytes(packet)


def with_field(frame: bytes, position: int, value: bytes) -> bytes:
    def change(packet):
        packet[position : position + len(value)] = value

    return rebuilt(frame, change)


def every_cause() -> list[tuple[str, bytes, bool]]:
    """Frames of each kind, made for the counter that they must end in."""
    us, options = str(HOST.ip), IPOption(b"\x94\x04\x00\x00")
    good = segment(30)
    short = IP(src=PEER_IP, dst=us)
    return [
        ("tcp", good, False),
        ("tcp", segment(0), False),
        ("tcp", segment(1460), False),
        ("tcp", segment(5, options=[options]), False),
        ("tcp", segment(5, options=[IPOption(b"\x94\x04\x00\x00")] * 10), False),
        ("tcp", segment(5, flags="DF"), False),
        ("tcp", segment(5, src="192.0.2.1"), False),
        ("tcp", pad(ether() / short / TCP()) + bytes(200), False),
        ("icmp_echo_in", ping(56), False),
        ("icmp_echo_in", ping(3, ip=IP(src=PEER_IP, dst=us, options=[options])), False),
        ("arp_requests_in", arp(), False),
        ("arp_requests_in", arp(ip="0.0.0.0"), False),
        ("arp_requests_in", arp(destination=HOST.mac), False),
        ("arp_replies_in", arp(op=2, destination=HOST.mac), False),
        ("drop_fcs", good, True),
        ("drop_fcs", arp(), True),
        ("drop_fcs", good[:20], True),
        ("drop_fcs", pad(ether(destination=PEER_MAC)), True),
        ("drop_runt", good[:59], False),
        ("drop_runt", good[:1], False),
        ("drop_runt", good[:14], False),
        ("drop_runt", good[:15], False),
        ("drop_runt", bytes(30), False),
        ("drop_giant", segment(1461), False),
        ("drop_giant", segment(1461), True),
        ("drop_giant", segment(8000), False),
        ("drop_giant", good.ljust(1515, b"\0"), False),
        ("tcp", good.ljust(1514, b"\0"), False),
        ("drop_mac_address", PEER_MAC + good[6:], False),
        ("drop_mac_address", bytes.fromhex("01005e000001") + good[6:], False),
        ("drop_mac_address", bytes.fromhex("333300000001") + good[6:], False),
        ("drop_ethertype", pad(ether(type=0x86DD) / bytes(60)), False),
        ("drop_ethertype", pad(ether() / Dot1Q(vlan=5) / good[14:]), False),
        ("drop_ethertype", pad(ether(type=0x0801) / bytes(600)), False),
        ("drop_arp_malformed", arp(hwtype=6), False),
        ("drop_arp_malformed", arp(ptype=0x86DD), False),
        ("drop_arp_malformed", arp(hwlen=8), False),
        ("drop_arp_malformed", arp(plen=16), False),
        ("drop_arp_malformed", arp(op=3), False),
        ("drop_arp_malformed", arp(mac=bytes(6)), False),
        ("drop_arp_malformed", arp(mac=BROADCAST), False),
        ("drop_arp_malformed", arp(mac=bytes.fromhex("01005e000001")), False),
        ("drop_arp_malformed", arp(ip=us), False),
        ("drop_arp_malformed", arp(ip="10.77.0.255"), False),
        ("drop_arp_malformed", arp(ip="224.0.0.5"), False),
        ("drop_arp_malformed", arp(ip="255.255.255.255"), False),
        ("drop_arp_malformed", arp(op=2, ip="0.0.0.0"), False),
        ("drop_arp_not_for_us", arp(target="10.77.0.9"), False),
        ("drop_arp_not_for_us", arp(op=2, target="10.77.0.9"), False),
        ("drop_arp_not_for_us", arp(target=PEER_IP), False),
        ("drop_ip_version", with_field(good, 0, b"\x65"), False),
        ("drop_ip_version", with_field(good, 0, b"\x05"), False),
        ("drop_ip_header", with_field(good, 0, b"\x44"), False),
        ("drop_ip_header", with_field(good, 0, b"\x40"), False),
        ("drop_ip_header", with_field(good, 2, b"\x00\x13"), False),
        ("drop_ip_header", with_field(good, 2, b"\x00\x00"), False),
        ("drop_ip_header", with_field(segment(0, options=[options]), 2, b"\x00\x17"), False),
        ("drop_ip_checksum", good[:24] + bytes([good[24] ^ 1]) + good[25:], False),
        ("drop_ip_checksum", good[:22] + bytes([good[22] ^ 128]) + good[23:], False),
        ("drop_ip_checksum", good[:24] + bytes(2) + good[26:], False),
        ("drop_ip_length", with_field(good, 2, (len(good) - 13).to_bytes(2)), False),
        ("drop_ip_length", with_field(good, 2, b"\xff\xff"), False),
        ("drop_ip_length", with_field(good, 2, b"\x05\xdc"), False),
        ("drop_ip_fragment", segment(8, flags="MF"), False),
        ("drop_ip_fragment", segment(8, frag=1), False),
        ("drop_ip_fragment", segment(8, frag=4096), False),
        ("drop_ip_address", segment(8, dst="10.77.0.3"), False),
        ("drop_ip_address", segment(8, dst="10.77.0.255"), False),
        ("drop_ip_address", segment(8, dst="255.255.255.255"), False),
        ("drop_ip_address", BROADCAST + good[6:], False),
        ("drop_ip_address", BROADCAST + ping(8)[6:], False),
        ("drop_ip_address", segment(8, src="0.0.0.0"), False),
        ("drop_ip_address", segment(8, src="127.0.0.1"), False),
        ("drop_ip_address", segment(8, src="224.1.1.1"), False),
        ("drop_ip_address", segment(8, src="255.255.255.255"), False),
        ("drop_ip_address", segment(8, src="10.77.0.255"), False),
        ("drop_ip_address", segment(8, src=us), False),
        ("drop_ip_protocol", pad(ether() / short / UDP() / bytes(9)), False),
        ("drop_ip_protocol", pad(ether() / IP(src=PEER_IP, dst=us, proto=41) / bytes(99)), False),
        ("drop_ip_protocol", pad(ether() / IP(src=PEER_IP, dst=us, proto=0)), False),
        ("drop_icmp_checksum", ping(20, chksum=0x1234), False),
        ("drop_icmp_checksum", ping(1472, chksum=0), False),
        ("drop_icmp_type", ping(20, type=0), False),
        ("drop_icmp_type", ping(20, type=13), False),
        ("drop_icmp_type", ping(20, code=1), False),
        ("drop_icmp_length", with_field(ping(8), 2, b"\x00\x18"), False),
        ("drop_icmp_length", pad(ether() / IP(src=PEER_IP, dst=us, proto=1)), False),
        ("drop_icmp_length", pad(ether() / IP(src=PEER_IP, dst=us, proto=1) / bytes(7)), False),
        ("drop_icmp_length",
         pad(ether() / IP(src=PEER_IP, dst=us, proto=1, options=[options] * 3)), False),
    ]  # fmt: skip


def check_tcp(bench: Bench, fates: list[Fate]):
    expected = [fate.tcp for fate in fates if fate.counter == "tcp"]
    good = [packet for packet in bench.tcp.packets if not packet.error]
    assert [packet.data for packet in good] == expected
    infos = [i for i, p in zip(bench.tcp_ip, bench.tcp.packets, strict=True) if not p.error]
    for info, data in zip(infos, expected, strict=True):
        words, total, protocol = info >> 24 & 15, info >> 8 & 0xFFFF, info & 255
        assert (words, total, protocol) == (data[0] & 15, len(data), 6)
        assert (info >> 28).to_bytes(8) == data[12:20]


def check_counts(bench: Bench, fates: list[Fate]):
    expected = Counter(fate.counter for fate in fates)
    tcp = expected.pop("tcp", 0)
    assert bench.counts.terminals() == dict(expected)
    assert bench.counts["rx_frames"] == len(fates) == tcp + sum(expected.values())


@cocotb.test()
async def each_cause_has_its_counter(dut):
    """One frame at a time, so that a wrong counter is named; the table is not the model's."""
    bench = Bench(dut)
    await bench.start()
    for name, frame, error in every_cause():
        before = Counter(bench.counts.terminals())
        passed = sum(not packet.error for packet in bench.tcp.packets)
        fate = bench.receive(frame, error)
        await bench.settle()
        assert fate.counter == name, f"the model says {fate.counter} where {name} was made"
        after = Counter(bench.counts.terminals())
        expected = {} if name == "tcp" else {name: 1}
        assert dict(after - before) == expected, f"{name}: {bytes(frame).hex()}"
        good = [packet.data for packet in bench.tcp.packets if not packet.error]
        assert good[passed:] == ([fate.tcp] if name == "tcp" else [])


@cocotb.test()
@cocotb.parametrize(IDLE_BACKPRESSURE)
async def passes_and_drops_the_same_in_a_row(dut, idle, backpressure):
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    bench.learn()
    cases = every_cause()
    random.shuffle(cases)
    fates = [Fate("arp_requests_in")]
    fates += [bench.receive(frame, error) for _, frame, error in cases]
    await bench.settle()
    check_counts(bench, fates)
    check_tcp(bench, fates)


@cocotb.test()
async def takes_tcp_packets_of_every_length(dut):
    bench = Bench(dut, 0.1, 0.1)
    await bench.start()
    options = [[], [IPOption(b"\x94\x04\x00\x00")], [IPOption(b"\x94\x04\x00\x00")] * 10]
    lengths = [*range(0, 90), *random.sample(range(90, 1420), 12), 1458, 1459, 1460]
    fates = []
    for n in lengths:
        chosen = random.choice(options) if n <= 1420 else []
        frame = segment(n, options=chosen)
        # Some with more behind the packet than padding needs.
        frame += random.randbytes(random.choice([0, 0, 1, random.randint(0, 100)]))
        fates.append(bench.receive(frame[:1514]))
    await bench.settle()
    assert {fate.counter for fate in fates} == {"tcp"}
    check_tcp(bench, fates)


@cocotb.test()
async def tells_of_errors_about_segments(dut):
    """Those of others are dropped, and counted."""
    bench = Bench(dut, 0.1, 0.1)
    told = []

    async def observe():
        while True:
            await RisingEdge(dut.clk)
            if dut.m_icmp_error_valid.value and dut.m_icmp_error_ready.value:
                told.append(unpack(ICMP_ERROR, int(dut.m_icmp_error.value)))

    await bench.start()
    cocotb.start_soon(observe())
    wanted = []
    for number in range(20):
        kind, code = random.choice([(3, 0), (3, 3), (11, 0), (12, 0)])
        ours = bool(number % 3)
        quoted = IP(src=str(HOST.ip) if ours else PEER_IP, dst="10.9.8.7", len=60)
        tcp = TCP(sport=random.randrange(65536), dport=80, seq=random.getrandbits(32))
        message = ICMP(type=kind, code=code) / Raw(bytes(quoted / tcp)[:28])
        bench.rx.send(Packet(pad(ether() / IP(src=GATEWAY_IP, dst=str(HOST.ip)) / message)))
        if ours:
            wanted.append({
                "remote_ip": int(IPv4Address("10.9.8.7")), "remote_port": 80,
                "local_port": tcp.sport, "seq": tcp.seq, "kind": kind, "code": code, "mtu": 0,
            })  # fmt: skip
    await bench.settle()
    assert told == wanted
    assert bench.counts["drop_icmp_type"] == 20 - len(wanted)


def mutated(frame: bytes) -> bytes:
    frame = bytearray(frame)
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        kind = random.randrange(5)
        at = random.randrange(min(len(frame), random.choice([14, 42, 60, len(frame)])))
        if kind == 0:
            frame[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            frame[at] = random.choice([0, 255, random.getrandbits(8)])
        elif kind == 2:
            del frame[random.randint(1, len(frame)) :]
        elif kind == 3:
            frame += random.randbytes(random.randint(1, 1600 - min(1599, len(frame))))
        else:
            frame[at:at] = random.randbytes(random.randint(1, 4))
    frame = bytes(frame)
    if len(frame) >= 40 and random.random() < 0.7:
        return rebuilt(frame, lambda packet: None)
    return frame


@cocotb.test()
@cocotb.parametrize(IDLE_BACKPRESSURE)
async def every_frame_ends_in_one_counter(dut, idle, backpressure):
    """Random bytes and mutations of good frames: the counters add up, and agree with the model."""
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    fates = []
    for _ in range(120):
        kind = random.random()
        if kind < 0.15:
            frame = random.randbytes(
                random.choice([random.randint(1, 80), random.randint(1, 1600)])
            )
            if random.random() < 0.8:
                types = [b"\x08\x00", b"\x08\x06", random.randbytes(2)]
                frame = HOST.mac + frame[:6].ljust(6) + random.choice(types) + frame
        else:
            size = random.choice([random.randint(0, 60), random.randint(0, 1400)])
            frame = mutated(random.choice([segment, ping])(size) if kind < 0.85 else arp())
        fates.append(bench.receive(frame, random.random() < 0.05))
    await bench.settle(6000)
    # A header that runs past its frame is bad for one reason or the other.
    either = [fate for fate in fates if " or " in fate.counter]
    open_end = Counter(bench.counts.terminals())
    open_end.subtract(Counter(fate.counter for fate in fates if fate.counter != "tcp"))
    for fate in either:
        fate.counter = max(fate.counter.split(" or "), key=lambda name: open_end[name])
        open_end[fate.counter] -= 1
    check_counts(bench, fates)
    check_tcp(bench, fates)
    assert bench.counts["rx_bytes"] > 0


def check_ipv4_frame(frame: bytes, destination_mac=PEER_MAC) -> IP:
    """Ethernet and IP header as they must be; without padding."""
    parsed = Ether(frame)
    assert frame[:6] == destination_mac and frame[6:12] == HOST.mac and parsed.type == 0x800
    ip = parsed[IP]
    fresh = ip.copy()
    del fresh.chksum
    assert IP(bytes(fresh)).chksum == ip.chksum
    assert (ip.ihl, ip.ttl, int(ip.flags), ip.frag, ip.src) == (5, 64, 2, 0, str(HOST.ip))
    assert len(frame) == max(60, 14 + ip.len)
    assert not any(frame[14 + ip.len :])
    return ip


@cocotb.test()
@cocotb.parametrize(IDLE_BACKPRESSURE)
async def answers_pings_of_all_sizes(dut, idle, backpressure):
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    bench.learn()
    sizes = [*range(0, 72), *random.sample(range(72, 1472), 6), 1470, 1471, 1472]
    fates = []
    for size in sizes:
        options = [IPOption(b"\x94\x04\x00\x00")] * random.choice([0, 0, 1, 2, 5, 10])
        if size + 4 * len(options) > 1472:
            options = []
        fates.append(bench.receive(ping(size, IP(src=PEER_IP, dst=str(HOST.ip), options=options))))
    await bench.settle(4000)
    assert {fate.counter for fate in fates} == {"icmp_echo_in"}
    replies = [check_ipv4_frame(frame) for frame in bench.frames()[1:]]
    assert [bytes(ip.payload)[: ip.len - 20] for ip in replies] == [fate.echo for fate in fates]
    assert all(ip.dst == PEER_IP and ip.proto == 1 for ip in replies)
    assert bench.counts["icmp_echo_out"] == len(sizes)
    assert bench.counts["tx_frames"] == len(sizes) + 1
    assert bench.counts["tx_bytes"] == sum(map(len, bench.frames()))


@cocotb.test()
async def checksums_of_replies_at_the_edges(dut):
    """Echo requests whose checksum is near the values where ones' complement has two zeros."""
    bench = Bench(dut)
    await bench.start()
    bench.learn()
    fates = []
    for size in (0, 1, 60):
        zeros = pad(ether() / IP(src=PEER_IP, dst=str(HOST.ip)) / ICMP(id=0, seq=0) / bytes(size))
        fates.append(bench.receive(zeros))
    for wanted in [0x0000, 0x0001, 0xF7FE, 0xF7FF, 0xF800, 0xF801, 0xFFFE]:
        base = ping(10)
        message = bytearray(base[34:52])
        # Choose the identifier so that the checksum comes out as wanted.
        message[2:6] = bytes(4)
        rest = internet_sum(bytes(message))
        identifier = ((wanted ^ 0xFFFF) - rest) % 0xFFFF
        message[4:6] = identifier.to_bytes(2)
        message[2:4] = (internet_sum(bytes(message)) ^ 0xFFFF).to_bytes(2)
        fates.append(bench.receive(base[:34] + bytes(message) + base[52:]))
    await bench.settle()
    assert {fate.counter for fate in fates} == {"icmp_echo_in"}
    for frame, fate in zip(bench.frames()[1:], fates, strict=True):
        message = frame[34 : 34 + len(fate.echo)]
        assert message == fate.echo and internet_sum(message) == 0xFFFF


@cocotb.test()
@cocotb.parametrize(IDLE_BACKPRESSURE)
async def sends_what_tcp_asks_for_beside_all_else(dut, idle, backpressure):
    """TCP's packets, echo replies and ARP answers share the line; each keeps its order."""
    bench = Bench(dut, idle, backpressure)
    await bench.start()
    bench.learn()
    await bench.settle()
    sent, fates = [], []
    for _ in range(60):
        header = random.randbytes(random.choice([20, 24, 20, 32, 60]))
        payload = random.randbytes(random.choice([0, 0, 1, 5, 6, 7, 8, 9, random.randint(1, 1440)]))
        dscp = random.randrange(64)
        bench.send(PEER_IP, header, payload, dscp=dscp)
        sent.append((dscp << 2, header + payload))
    for _ in range(25):
        fates.append(bench.receive(random.choice([ping(random.randint(0, 200)), arp()])))
    await bench.settle(5000)
    packets = [check_ipv4_frame(f) for f in bench.frames() if f[12:14] == b"\x08\x00"]
    by_protocol = {1: [], 6: []}
    for ip in packets:
        by_protocol[ip.proto].append((ip.tos, bytes(ip)[20 : ip.len]))
    assert by_protocol[6] == sent
    assert by_protocol[1] == [(0, fate.echo) for fate in fates if fate.echo]
    answers = [frame[14:42] for frame in bench.frames() if frame[12:14] == b"\x08\x06"]
    assert answers[1:] == [fate.arp_reply for fate in fates if fate.arp_reply]
    assert len({ip.id for ip in packets}) == len(packets)
    # Nobody has to wait for all the others.
    kinds = [frame[23] if frame[13] == 0 else "arp" for frame in bench.frames()[1:]]
    first_echo = kinds.index(1)
    assert first_echo < 30, kinds


def requests(bench: Bench) -> list[str]:
    """Addresses that were asked for."""
    asked = []
    for frame in bench.frames():
        if frame[12:14] == b"\x08\x06" and frame[20:22] == b"\x00\x01":
            packet = ARP(frame[14:42])
            assert frame[:6] == BROADCAST and len(frame) == 60 and frame[6:12] == HOST.mac
            assert (packet.hwtype, packet.ptype, packet.hwlen, packet.plen) == (1, 0x800, 6, 4)
            assert packet.hwsrc == HOST.mac.hex(":") and packet.psrc == str(HOST.ip)
            assert packet.hwdst == "00:00:00:00:00:00"
            asked.append(packet.pdst)
    return asked


@cocotb.test()
async def asks_for_unknown_neighbours(dut):
    bench = Bench(dut)
    await bench.start()
    bench.send(PEER_IP, bytes(20), random.randbytes(100))
    bench.send(PEER_IP, bytes(20), random.randbytes(9))
    bench.send(PEER_IP, bytes(20))
    await bench.settle()
    # Those with payload are gone, and it; what has none waits. One question for all.
    assert requests(bench) == [PEER_IP] and len(bench.frames()) == 1
    assert bench.counts["drop_arp_miss"] == 2 and bench.counts["arp_requests_out"] == 1
    # Not again before its time, but others may be asked for.
    dut.now_us.value = 90_000
    bench.send(PEER_IP, bytes(20))
    bench.send("10.77.0.77", bytes(20))
    await bench.settle()
    assert requests(bench) == [PEER_IP, "10.77.0.77"]
    assert bench.counts["drop_arp_miss"] == 4
    dut.now_us.value = 103_000
    await clocks(dut, 4)
    bench.send(PEER_IP, b"the latest, 20 bytes")
    await bench.settle()
    assert requests(bench) == [PEER_IP, "10.77.0.77", PEER_IP]
    # The answer makes it go, and the latest of what was sent is what waits.
    count = len(bench.frames())
    bench.receive(arp(op=2, destination=HOST.mac))
    await bench.settle()
    (frame,) = bench.frames()[count:]
    assert check_ipv4_frame(frame).dst == PEER_IP
    assert frame[34:54] == b"the latest, 20 bytes"
    bench.send(PEER_IP, b"x" * 20, b"payload")
    await bench.settle()
    assert check_ipv4_frame(bench.frames()[-1]).dst == PEER_IP
    assert bench.counts["drop_arp_miss"] == 5 and bench.counts["arp_replies_in"] == 1


@cocotb.test()
async def waiting_gives_way_when_nobody_answers(dut):
    bench = Bench(dut)
    await bench.start()
    bench.send("10.77.0.77", b"never" * 4)
    await bench.settle()
    dut.now_us.value = 999_000
    await clocks(dut, 4)
    bench.send(PEER_IP, b"early" * 4)
    await bench.settle()
    assert bench.counts["drop_arp_miss"] == 1
    dut.now_us.value = 1_001_000
    await clocks(dut, 4)
    bench.send(PEER_IP, b"later" * 4)
    await bench.settle()
    assert bench.counts["drop_arp_miss"] == 2
    bench.learn(bytes.fromhex("020000000c4d"), "10.77.0.77")
    bench.learn()
    await bench.settle()
    assert [f[34:54] for f in bench.frames() if f[12:14] == b"\x08\x00"] == [b"later" * 4]


@cocotb.test()
async def what_waited_too_long_is_not_sent(dut):
    """Its connection may be long gone when the neighbour comes back."""
    bench = Bench(dut)
    await bench.start()
    bench.send(PEER_IP, b"stale" * 4)
    await bench.settle()
    dut.now_us.value = 1_001_000
    await clocks(dut, 4)
    bench.learn()
    await bench.settle()
    assert not [f for f in bench.frames() if f[12:14] == b"\x08\x00"]
    assert bench.counts["drop_arp_miss"] == 1
    bench.send(PEER_IP, b"fresh" * 4)
    await bench.settle()
    assert [f[34:54] for f in bench.frames() if f[12:14] == b"\x08\x00"] == [b"fresh" * 4]


@cocotb.test()
async def sends_to_other_subnets_by_the_gateway(dut):
    bench = Bench(dut)
    await bench.start()
    bench.learn(GATEWAY_MAC, GATEWAY_IP)
    bench.learn()
    await bench.settle()
    for destination, mac in [
        ("192.0.2.7", GATEWAY_MAC),
        ("10.77.1.1", GATEWAY_MAC),
        ("10.76.0.1", GATEWAY_MAC),
        (GATEWAY_IP, GATEWAY_MAC),
        (PEER_IP, PEER_MAC),
    ]:
        bench.send(destination, b"h" * 20, b"data")
        await bench.settle()
        assert check_ipv4_frame(bench.frames()[-1], mac).dst == destination
    # The other way round with another mask; without a gateway nothing goes, and nobody is asked.
    dut.gateway_i.value = 0
    count = len(bench.frames())
    bench.send("192.0.2.7", bytes(20), b"lost")
    await bench.settle()
    assert len(bench.frames()) == count and bench.counts["drop_arp_miss"] == 1
    dut.netmask_i.value = 0
    bench.send("192.0.2.7", bytes(20), b"lost")
    await bench.settle()
    assert requests(bench) == ["192.0.2.7"]


@cocotb.test()
async def learns_from_whom_it_should(dut):
    bench = Bench(dut)
    await bench.start()

    async def knows(ip: str, mac: bytes) -> bool:
        count = len(bench.frames())
        dut.now_us.value = int(dut.now_us.value) + 200_000
        await clocks(dut, 4)
        bench.send(ip, b"h" * 20, b"does not wait for ARP")
        await bench.settle()
        frames = [f for f in bench.frames()[count:] if f[12:14] == b"\x08\x00"]
        return [frame[:6] for frame in frames] == [mac]

    stranger, other = bytes.fromhex("020000000b01"), bytes.fromhex("020000000b02")
    # An announcement, and a request for somebody else, make no entry.
    bench.receive(arp(stranger, "10.77.0.20", target="10.77.0.20"))
    bench.receive(arp(stranger, "10.77.0.20", target="10.77.0.9"))
    bench.receive(arp(stranger, "10.77.0.20", target="10.77.0.20", op=2))
    await bench.settle()
    assert not await knows("10.77.0.20", stranger)
    # A request for us does; then an announcement brings it up to date.
    bench.learn(stranger, "10.77.0.20")
    await bench.settle()
    assert await knows("10.77.0.20", stranger)
    bench.receive(arp(other, "10.77.0.20", target="10.77.0.20"))
    await bench.settle()
    assert await knows("10.77.0.20", other)
    # Nothing is learnt from bad frames, from senders that cannot be, or from a probe.
    bench.receive(arp(stranger, "10.77.0.20"), error=True)
    bench.receive(arp(BROADCAST, "10.77.0.20"))
    bench.receive(arp(bytes.fromhex("01005e000001"), "10.77.0.20"))
    bench.receive(arp(bytes(6), "10.77.0.20"))
    await bench.settle()
    assert await knows("10.77.0.20", other)
    # More neighbours of one set than it has ways: the newest is known, and the set still works.
    neighbours = {f"10.77.0.{4 * n + 100}": bytes([2, 0, 0, 0, 12, n]) for n in range(12)}
    for ip, mac in neighbours.items():
        bench.learn(mac, ip)
    await bench.settle()
    known = [await knows(ip, mac) for ip, mac in neighbours.items()]
    assert known[-1] and sum(known) == 4
    # Two that differ in the last bits only are apart.
    for n in range(8):
        bench.learn(bytes([2, 0, 0, 0, 13, n]), f"10.77.0.{n + 200}")
    await bench.settle()
    assert all([await knows(f"10.77.0.{n + 200}", bytes([2, 0, 0, 0, 13, n])) for n in range(8)])


@cocotb.test()
async def entries_age(dut):
    bench = Bench(dut)
    await bench.start(arp_ageing_s_i=40, now_us=2**32 - 5_000_000)
    bench.learn()
    await bench.settle()

    async def advance(seconds: float):
        dut.now_us.value = (int(dut.now_us.value) + int(seconds * 1e6)) % 2**32
        await clocks(dut, int(seconds) * 4 + 60)

    async def sends() -> bool:
        count = bench.counts["drop_arp_miss"]
        bench.send(PEER_IP, b"h" * 20, b"p")
        await bench.settle()
        return bench.counts["drop_arp_miss"] == count

    assert await sends()
    await advance(28)
    assert await sends() and requests(bench) == []
    # In the last quarter it is used and asked for again.
    await advance(4)
    assert await sends() and requests(bench) == [PEER_IP]
    bench.receive(arp(op=2, destination=HOST.mac))
    await bench.settle()
    await advance(25)
    assert await sends() and requests(bench) == [PEER_IP]
    # Nobody answers any more.
    await advance(8)
    assert await sends() and requests(bench) == [PEER_IP] * 2
    await advance(10)
    assert not await sends()
    assert requests(bench) == [PEER_IP] * 3


@cocotb.test()
async def is_silent_until_enabled(dut):
    bench = Bench(dut)
    await bench.start(enable_i=0)
    for frame in (arp(), segment(10), ping(10), bytes(20), bytes(2000)):
        bench.receive(frame)
    await bench.settle()
    assert not bench.frames() and not bench.tcp.packets and not +bench.counts
    dut.enable_i.value = 1
    bench.receive(arp())
    await bench.settle()
    assert len(bench.frames()) == 1 and bench.counts["rx_frames"] == 1


@cocotb.test()
async def a_stalled_line_stops_neither_tcp_nor_the_counters(dut):
    """Receiving goes on while nothing can be sent, until replies fill their memory."""
    bench = Bench(dut)
    bench.tx.pause = iter(lambda: True, None)
    await bench.start()
    bench.learn()
    fates = [bench.receive(ping(20))] + [bench.receive(segment(100)) for _ in range(20)]
    await with_timeout(bench.rx.drained(), 200, "us")
    await clocks(dut, 20)
    check_tcp(bench, fates)


@cocotb.test()
async def latency_and_throughput(dut):
    bench = Bench(dut)
    await bench.start()
    bench.learn()
    await bench.settle()
    lanes = parameter("DataWidth") // 8
    # Transmit: from s_ip_valid to the first beat. The source's time is that of the transfer, and
    # an idle endpoint takes it at once.
    bench.send(PEER_IP, bytes(20), bytes(200))
    await bench.settle()
    clocks_out = bench.tx.starts[-1] - bench.packet.times[-1]
    dut._log.info("transmit latency: %d clocks", clocks_out)
    if lanes == 8:
        assert clocks_out <= 6 + 4 * parameter("Registers")
    # Receive: from the frame's last beat to the packet's.
    for size in (6, 1460):
        bench.receive(segment(size))
        await bench.settle()
        clocks_in = bench.tcp.ends[-1] - bench.rx.times[-1]
        dut._log.info("receive latency, %d bytes: %d clocks", size, clocks_in)
        assert clocks_in <= 5
    # Full line rate in and out with long packets.
    count = len(bench.tcp.packets)
    for _ in range(5):
        bench.receive(segment(1460))
    await bench.settle()
    beats = -(-1514 // lanes)
    assert bench.tcp.ends[-1] - bench.tcp.ends[count] <= 4 * (beats + 1)
    for _ in range(6):
        bench.send(PEER_IP, bytes(20), bytes(1460))
    await bench.settle()
    assert bench.tx.ends[-1] - bench.tx.ends[-6] <= 5 * (beats + 3)
    for _ in range(9):
        bench.send(PEER_IP, bytes(20))
    await bench.settle()
    interval = (bench.tx.ends[-1] - bench.tx.ends[-9]) / 8
    dut._log.info("acknowledgements: one in %.1f clocks", interval)
    assert interval <= 60 // lanes + 1
    # So fast they come in, too, in frames of 64 bytes.
    for _ in range(9):
        bench.receive(segment(6))
    await bench.settle()
    interval = (bench.tcp.ends[-1] - bench.tcp.ends[-9]) / 8
    dut._log.info("small packets in: one in %.1f clocks", interval)
    assert interval <= -(-60 // lanes)


@pytest.mark.parametrize("width, registers", [(64, 0), (64, 1), (512, 0)])
def test_ip_endpoint(width, registers):
    simulate(
        top="ip_endpoint",
        core="ipv4",
        test_module=__file__,
        parameters={"DataWidth": width, "Registers": registers},
        # The packages hold more constants than one block uses.
    )
