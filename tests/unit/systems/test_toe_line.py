# SPDX-License-Identifier: Apache-2.0
"""toe_line as toe_10g: frames at the MAC's clock, registers at another, and time from the clock."""

from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamSink, AxiStreamSource
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import ARP, Ether

from models.toe_bench import BUILD_ARGS
from support.clocks import hold_clocks
from support.simulate import simulate
from toehold.register_map import REGISTERS

pytestmark = pytest.mark.long

NETWORK_PS, BUS_PS = 6400, 9974
MAC, IP_ADDRESS = "02:54:4f:45:00:02", "10.77.0.2"
OUR_MAC, OUR_IP = "02:00:00:00:00:01", "10.77.0.1"
SETTINGS = {
    "network_mac_high": 0x0254, "network_mac_low": 0x4F450002, "network_ip_address": 0x0A4D0002,
    "network_netmask": 0xFFFFFF00, "tcp_rto_initial_us": 200, "tcp_rto_min_us": 200,
}  # fmt: skip
DISCARD = 9


class Line:
    def __init__(self, dut):
        self.dut = dut
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.bus_clk, dut.bus_rst)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_rx"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_tx"), dut.clk, dut.rst)

    async def begin(self):
        dut = self.dut
        dut.app_enable_i.value = 0b1111
        dut.rst.value = dut.bus_rst.value = 1
        await hold_clocks(dut.clk, dut.bus_clk)
        cocotb.start_soon(Clock(dut.clk, NETWORK_PS, "ps").start())
        cocotb.start_soon(Clock(dut.bus_clk, BUS_PS, "ps").start())
        await ClockCycles(dut.clk, 20)
        dut.rst.value = dut.bus_rst.value = 0
        for name, value in SETTINGS.items():
            await self.bus.write_dword(REGISTERS[name][0], value)
            assert await self.bus.read_dword(REGISTERS[name][0]) == value
        cocotb.start_soon(self._no_pause())

    async def _no_pause(self):
        """A MAC cannot wait in the middle of a frame."""
        within = False
        while True:
            await RisingEdge(self.dut.clk)
            assert self.dut.m_axis_tx_tvalid.value or not within, "a frame that pauses"
            if self.dut.m_axis_tx_tvalid.value and self.dut.m_axis_tx_tready.value:
                within = not self.dut.m_axis_tx_tlast.value

    async def send(self, packet):
        frame = bytes(Ether(src=OUR_MAC, dst=packet.dst) / packet.payload)
        await self.source.send(frame.ljust(60, b"\0"))

    async def receive(self, kind):
        """The next frame of that kind, and when it came."""
        while True:
            frame = await with_timeout(self.sink.recv(), 2, "ms")
            packet = Ether(bytes(frame.tdata))
            if kind in packet:
                return packet, get_sim_time("ns") / 1000


@cocotb.test()
async def serves_at_three_clocks(dut):
    line = Line(dut)
    await line.begin()
    await line.send(
        Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=OUR_MAC, psrc=OUR_IP, pdst=IP_ADDRESS)
    )
    reply, _ = await line.receive(ARP)
    assert (reply[ARP].hwsrc, reply[ARP].psrc) == (MAC, IP_ADDRESS)

    for size in (1, 63, 1400):
        data = bytes(n % 251 for n in range(size))
        ping = Ether(dst=MAC) / IP(src=OUR_IP, dst=IP_ADDRESS) / ICMP(seq=size) / data
        await line.send(ping)
        reply, _ = await line.receive(ICMP)
        assert reply[ICMP].type == 0 and reply[ICMP].seq == size
        assert bytes(reply[ICMP].payload)[:size] == data


@cocotb.test()
async def time_is_that_of_the_clock(dut):
    """A SYN that is answered, and answered again when nobody acknowledges: after 200 us."""
    line = Line(dut)
    await line.begin()
    await ClockCycles(dut.clk, 500)  # the servers listen
    syn = TCP(sport=4000, dport=DISCARD, flags="S", seq=1, window=1000)
    await line.send(Ether(dst=MAC) / IP(src=OUR_IP, dst=IP_ADDRESS) / syn)
    await line.receive(ARP)
    await line.send(
        Ether(dst=MAC) / ARP(op=2, hwsrc=OUR_MAC, psrc=OUR_IP, hwdst=MAC, pdst=IP_ADDRESS)
    )
    answer, first = await line.receive(TCP)
    assert answer[TCP].flags == "SA" and answer[TCP].ack == 2
    again, second = await line.receive(TCP)
    assert again[TCP].flags == "SA" and again[TCP].seq == answer[TCP].seq
    # The queue of 256 us is the next one that is not shorter.
    assert 250 <= second - first <= 264, second - first
    counter = REGISTERS["counters_tcp_retransmitted_segments"][0]
    assert await line.bus.read_dword(counter) == 1


def test_toe_line():
    simulate(
        top="toe_10g",
        test_module=__file__,
        core="toe_line",
        parameters={"Preset": 0},
        build_args=[*BUILD_ARGS[:-1], str(Path(__file__).with_name("toe_line_ports.vlt"))],
    )
