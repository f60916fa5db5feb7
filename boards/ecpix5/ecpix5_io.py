# SPDX-License-Identifier: Apache-2.0
"""What an ECPIX-5 needs around the engine, from LiteX and LiteEth, as one Verilog module.

`make_verilog` writes `ecpix5_io`: the clock and its reset, a gigabit MAC on the RGMII PHY, and a
bridge from the serial port to the engine's registers, which LiteX's `litex_server --uart` talks to.
"""

from pathlib import Path

from liteeth.common import eth_phy_description
from liteeth.mac.core import LiteEthMACCore
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.build.generic_platform import Pins, Subsignal
from litex.build.lattice import LatticeECP5Platform
from litex.gen import (
    ClockDomain,
    ClockDomainsRenamer,
    ClockSignal,
    LiteXModule,
    ResetSignal,
    Signal,
)
from litex.soc.cores.clock import ECP5PLL
from litex.soc.cores.uart import RS232PHY, UARTBone
from litex.soc.interconnect.axi import AXILiteInterface, Wishbone2AXILite
from litex.soc.interconnect.stream import Buffer

DEVICE = "LFE5UM5G-85F-8BG554I"
OSCILLATOR_HZ = 100_000_000
BAUD = 115_200
WIDTH = 64

# Ports of the module; where they are on the package says ecpix5.lpf.
_IO = [
    ("clk100", 0, Pins(1)),
    ("rst_n", 0, Pins(1)),
    ("serial", 0, Subsignal("rx", Pins(1)), Subsignal("tx", Pins(1))),
    ("eth_clocks", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1))),
    (
        "eth", 0,
        Subsignal("rst_n", Pins(1)),
        Subsignal("rx_ctl", Pins(1)), Subsignal("rx_data", Pins(4)),
        Subsignal("tx_ctl", Pins(1)), Subsignal("tx_data", Pins(4)),
    ),
]  # fmt: skip


class EcpixIo(LiteXModule):
    def __init__(self, platform: LatticeECP5Platform, clock_hz: int):
        self.ports = set()

        self.cd_sys = ClockDomain()
        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq(~platform.request("rst_n"))
        pll.register_clkin(platform.request("clk100"), OSCILLATOR_HZ)
        pll.create_clkout(self.cd_sys, clock_hz)
        self.comb += [
            self.port("clk").eq(ClockSignal("sys")),
            self.port("rst").eq(ResetSignal("sys")),
        ]

        # The PHY of the board adds RGMII's delay on what it sends.
        self.phy = LiteEthPHYRGMII(
            platform.request("eth_clocks"), platform.request("eth"), rx_delay=0
        )
        # LiteEth judges the FCS where last_be says so, which a PHY of 8 bits leaves at 0.
        self.comb += self.phy.source.last_be.eq(self.phy.source.last)
        self.mac = mac = LiteEthMACCore(self.phy, WIDTH)
        # Behind the FIFO that frames cross clocks in: without registers for both directions there,
        # whether the gap is over or the FCS waits decides within a clock of 8 ns what is read next.
        behind = ClockDomainsRenamer("eth_tx")(
            Buffer(eth_phy_description(WIDTH), pipe_valid=True, pipe_ready=True)
        )
        mac.tx_datapath.submodules += behind
        mac.tx_datapath.pipeline.insert(2, behind)
        for name, endpoint, driven in (("rx", mac.source, True), ("tx", mac.sink, False)):
            for field in ("data", "last_be", "error", "last", "valid", "ready"):
                signal = getattr(endpoint, field)
                port = self.port(f"{name}_{field}", len(signal))
                out = driven != (field == "ready")
                self.comb += port.eq(signal) if out else signal.eq(port)

        self.uart = UARTBone(RS232PHY(platform.request("serial"), clock_hz, BAUD), clock_hz)
        bus = AXILiteInterface(data_width=32, address_width=32)
        self.bridge = Wishbone2AXILite(self.uart.wishbone, bus)
        for channel, fields, ours in (
            ("aw", ("addr",), True),
            ("w", ("data", "strb"), True),
            ("b", ("resp",), False),
            ("ar", ("addr",), True),
            ("r", ("resp", "data"), False),
        ):
            for field in (*fields, "valid", "ready"):
                signal = getattr(getattr(bus, channel), field)
                port = self.port(f"axil_{channel}{field}", len(signal))
                out = ours != (field == "ready")
                self.comb += port.eq(signal) if out else signal.eq(port)

    def port(self, name: str, bits: int = 1) -> Signal:
        signal = Signal(bits, name=name)
        self.ports.add(signal)
        return signal


def make_verilog(path: Path, clock_hz: int) -> None:
    platform = LatticeECP5Platform(DEVICE, _IO)
    io = EcpixIo(platform, clock_hz)
    text = platform.get_verilog(
        io, name="ecpix5_io", ios=io.ports | platform.constraint_manager.get_io_signals()
    )
    path.write_text(str(text))
