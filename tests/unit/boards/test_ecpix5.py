# SPDX-License-Identifier: Apache-2.0
"""ecpix5: the top of the board with LiteEth's MAC and PHY, from pin to pin, without delays.

A test has the other end of the RGMII cable, which sends a nibble at each edge, and of the serial
port, which reads and writes registers.
"""

import zlib
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.queue import Queue
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, Timer, with_timeout
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from models.toe_bench import BUILD_ARGS
from support.clocks import hold_clocks
from support.simulate import simulate
from toehold import board, features
from toehold.paths import BUILD
from toehold.register_map import REGISTERS

pytestmark = pytest.mark.long

BOARD = board.BOARDS["ecpix5"]
CLOCK_NS = 1_000_000_000 // BOARD.clock_hz
BIT_NS = 1_000_000_000 // 115_200
PREAMBLE = b"\x55" * 7 + b"\xd5"
GAP = 12  # bytes

OUR_MAC, OUR_IP = "02:00:00:00:00:01", "10.77.0.1"
MAC, ADDRESS = "02:54:4f:45:00:01", "10.77.0.2"  # after reset
ECHO = 7


class Cable:
    """Frames to and from the board. What leaves it has to be in the shape of Ethernet."""

    def __init__(self, dut):
        self.dut, self.received = dut, Queue()
        dut.eth_rx_ctl_i.value = dut.eth_rx_data_i.value = 0
        cocotb.start_soon(Clock(dut.eth_rx_clk_i, 8, "ns").start())
        cocotb.start_soon(self._listen())

    async def send(self, frame: bytes, spoilt: bool = False) -> None:
        dut = self.dut
        fcs = zlib.crc32(frame) ^ (1 if spoilt else 0)
        for byte in PREAMBLE + frame + fcs.to_bytes(4, "little"):
            await FallingEdge(dut.eth_rx_clk_i)
            dut.eth_rx_ctl_i.value = 1
            dut.eth_rx_data_i.value = byte & 15
            await RisingEdge(dut.eth_rx_clk_i)
            dut.eth_rx_data_i.value = byte >> 4
        await FallingEdge(dut.eth_rx_clk_i)
        dut.eth_rx_ctl_i.value = 0
        await ClockCycles(dut.eth_rx_clk_i, GAP)

    async def _listen(self) -> None:
        dut = self.dut
        await RisingEdge(dut.eth_rst_no)  # the PHY is out of its reset
        while True:
            if not dut.eth_tx_ctl_o.value:
                await RisingEdge(dut.eth_tx_ctl_o)
            frame = bytearray()
            while True:
                await Timer(2, "ns")
                low = int(dut.eth_tx_data_o.value)
                await FallingEdge(dut.eth_tx_clk_o)
                await Timer(2, "ns")
                assert dut.eth_tx_ctl_o.value, "an error is marked"
                frame.append(low | int(dut.eth_tx_data_o.value) << 4)
                await RisingEdge(dut.eth_tx_clk_o)
                await Timer(1, "ns")
                if not dut.eth_tx_ctl_o.value:
                    break
            assert frame.startswith(PREAMBLE)
            body, fcs = bytes(frame[8:-4]), bytes(frame[-4:])
            assert fcs == zlib.crc32(body).to_bytes(4, "little")
            assert len(body) >= 60
            self.received.put_nowait(body)
            for _ in range(GAP - 1):
                await RisingEdge(dut.eth_tx_clk_o)
                await Timer(1, "ns")
                assert not dut.eth_tx_ctl_o.value, "too short a gap"

    async def exchange(self, packet, kind, spoilt: bool = False):
        """Send a packet; the first frame of that kind that comes afterwards."""
        await self.send(bytes(packet).ljust(60, b"\0"), spoilt)
        return await self.receive(kind)

    async def receive(self, kind):
        while True:
            reply = Ether(await with_timeout(self.received.get(), 1, "ms"))
            if ARP in reply and reply[ARP].op == 1:
                answer = ARP(op=2, hwsrc=OUR_MAC, psrc=OUR_IP, hwdst=MAC, pdst=reply[ARP].psrc)
                await self.send(bytes(Ether(src=OUR_MAC, dst=MAC) / answer).ljust(60, b"\0"))
            elif kind in reply:
                return reply


class Serial:
    """LiteX's protocol of a serial bus bridge: words of 32 bits, at addresses of words."""

    def __init__(self, dut):
        self.dut = dut
        dut.serial_rx_i.value = 1

    async def read(self, register: str) -> int:
        answer = cocotb.start_soon(self._word())  # which begins in the middle of our stop bit
        await self._send(bytes([2, 1]) + (REGISTERS[register][0] // 4).to_bytes(4, "big"))
        return await answer

    async def write(self, register: str, value: int) -> None:
        address = (REGISTERS[register][0] // 4).to_bytes(4, "big")
        await self._send(bytes([1, 1]) + address + value.to_bytes(4, "big"))

    async def _send(self, data: bytes) -> None:
        for byte in data:
            for bit in (0, *(byte >> n & 1 for n in range(8)), 1):
                self.dut.serial_rx_i.value = bit
                await Timer(BIT_NS, "ns")

    async def _word(self) -> int:
        return int.from_bytes(bytes([await self._byte() for _ in range(4)]), "big")

    async def _byte(self) -> int:
        await with_timeout(FallingEdge(self.dut.serial_tx_o), 3, "ms")
        await Timer(BIT_NS // 2, "ns")
        byte = 0
        for n in range(8):
            await Timer(BIT_NS, "ns")
            byte |= int(self.dut.serial_tx_o.value) << n
        await Timer(BIT_NS, "ns")
        assert self.dut.serial_tx_o.value, "no stop bit"
        return byte


async def begin(dut) -> tuple[Cable, Serial]:
    dut.rst_ni.value = 0
    await hold_clocks(dut.clk100_i, dut.eth_rx_clk_i)
    cable, serial = Cable(dut), Serial(dut)
    cocotb.start_soon(Clock(dut.clk100_i, CLOCK_NS, "ns", period_high=CLOCK_NS // 2).start())
    await ClockCycles(dut.clk100_i, 20)
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk100_i, 1000)  # the PHY's reset is 256, and the servers listen
    return cable, serial


def to_board(source_ip: str = OUR_IP):
    return Ether(src=OUR_MAC, dst=MAC) / IP(src=source_ip, dst=ADDRESS)


@cocotb.test()
async def answers_ping(dut):
    cable, _ = await begin(dut)
    who = Ether(src=OUR_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(
        hwsrc=OUR_MAC, psrc=OUR_IP, pdst=ADDRESS
    )
    reply = await cable.exchange(who, ARP)
    assert (reply[ARP].hwsrc, reply[ARP].psrc) == (MAC, ADDRESS)
    for size in (1, 22, 23, 63, 64, 65, 1472):
        data = bytes((n + size) % 251 for n in range(size))
        ping = bytes(to_board() / ICMP(seq=size) / data).ljust(60, b"\0")
        # A frame whose FCS is wrong, just before: nothing of it may stick to the next one.
        await cable.send(ping, spoilt=True)
        reply = await cable.exchange(ping, ICMP)
        assert (reply[ICMP].type, reply[ICMP].seq) == (0, size)
        assert bytes(reply[ICMP].payload)[:size] == data
    await Timer(50, "us")
    assert cable.received.empty(), "an answer to a frame that is bad"


@cocotb.test()
async def echoes_over_tcp(dut):
    cable, _ = await begin(dut)

    def segment(flags: str, seq: int, ack: int, data: bytes = b""):
        tcp = TCP(sport=4000, dport=ECHO, flags=flags, seq=seq, ack=ack, window=8000)
        return to_board() / tcp / Raw(data)

    opened = await cable.exchange(segment("S", 100, 0), TCP)
    assert opened[TCP].flags == "SA" and opened[TCP].ack == 101
    theirs = opened[TCP].seq + 1 & 0xFFFFFFFF
    sent = bytes(n % 241 for n in range(1000))
    await cable.send(bytes(segment("A", 101, theirs)))
    await cable.send(bytes(segment("PA", 101, theirs, sent[:500])))
    await cable.send(bytes(segment("PA", 601, theirs, sent[500:])))
    echoed, limit = bytearray(), 20
    while len(echoed) < len(sent) and limit:
        reply, limit = await cable.receive(TCP), limit - 1
        data = bytes(reply[TCP].payload)[: reply[IP].len - 20 - 4 * reply[TCP].dataofs]
        if data:
            assert reply[TCP].seq == theirs + len(echoed) & 0xFFFFFFFF
            echoed += data
    assert echoed == sent


@cocotb.test()
async def registers_by_serial(dut):
    cable, serial = await begin(dut)
    assert await serial.read("identity_magic") == 0x48454F54
    await serial.write("network_ip_address", 0x0A4D0009)
    assert await serial.read("network_ip_address") == 0x0A4D0009
    who = Ether(src=OUR_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(
        hwsrc=OUR_MAC, psrc=OUR_IP, pdst="10.77.0.9"
    )
    reply = await cable.exchange(who, ARP)
    assert reply[ARP].psrc == "10.77.0.9"


@cocotb.test()
async def lights(dut):
    """Each of the two lamps shines after frames in its direction."""
    cable, _ = await begin(dut)
    assert not int(dut.led_o.value) >> 1
    ping = bytes(to_board("10.77.0.66") / ICMP()).ljust(60, b"\0")
    await cable.send(ping, spoilt=True)
    await Timer(2, "us")
    assert not int(dut.led_o.value) >> 1, "for a bad frame"
    await cable.exchange(Ether(src=OUR_MAC, dst=MAC) / ARP(psrc=OUR_IP, pdst=ADDRESS), ARP)
    assert int(dut.led_o.value) >> 1 == 0b11


def test_ecpix5():
    verilog = board.write_io("ecpix5", BUILD / "boards" / "test")
    simulate(
        top="ecpix5",
        test_module=__file__,
        core="ecpix5",
        defines=features.of(BOARD.preset),
        extra_sources=[verilog, "ecp5_cells.v"],
        build_args=[*BUILD_ARGS[:-1], str(Path(__file__).with_name("ecpix5_ports.vlt"))],
    )
