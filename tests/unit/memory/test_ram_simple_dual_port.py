# SPDX-License-Identifier: Apache-2.0
"""ram_simple_dual_port against a model: strobes, latency, hold, zero at configuration."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.extent import FULL
from support.simulate import parameter, simulate
from support.streams import start

IDLE = {
    "write_enable_i": 0,
    "write_address_i": 0,
    "write_data_i": 0,
    "read_enable_i": 0,
    "read_address_i": 0,
}


def strobes() -> int:
    return parameter("Width") // parameter("StrobeWidth")


def strobe_mask(enable: int) -> int:
    width = parameter("StrobeWidth")
    return sum(((1 << width) - 1) << n * width for n in range(strobes()) if enable >> n & 1)


@cocotb.test()
async def is_zero_at_configuration(dut):
    await start(dut, **IDLE)
    for address in range(parameter("Depth")):
        dut.read_enable_i.value = 1
        dut.read_address_i.value = address
        for _ in range(parameter("ReadLatency") + 1):
            await RisingEdge(dut.clk)
        assert int(dut.read_data_o.value) == 0


@cocotb.test()
async def behaves_as_its_model(dut):
    await start(dut, **IDLE)
    depth, width = parameter("Depth"), parameter("Width")
    model = [0] * depth
    # What the output must show, one entry a clock; None: not known (nothing read, or a collision).
    pipeline = [None] * parameter("ReadLatency")
    reads = compared = 0
    await RisingEdge(dut.clk)
    for _ in range(3000):
        enable = random.choice([0, 0, (1 << strobes()) - 1, random.getrandbits(strobes())])
        written, data = random.randrange(depth), random.getrandbits(width)
        reading, read = random.random() < 0.6, random.randrange(depth)
        dut.write_enable_i.value = enable
        dut.write_address_i.value = written
        dut.write_data_i.value = data
        dut.read_enable_i.value = int(reading)
        dut.read_address_i.value = read
        await RisingEdge(dut.clk)
        if pipeline[-1] is not None:
            assert int(dut.read_data_o.value) == pipeline[-1]
            compared += 1
        first = pipeline[0]
        if reading:
            first = None if enable and written == read else model[read]
            reads += 1
        pipeline = [first, *pipeline[:-1]]
        mask = strobe_mask(enable)
        model[written] = (model[written] & ~mask) | (data & mask)
    assert reads > 1000 and compared > 1000


@pytest.mark.parametrize(
    ("width", "depth", "strobe", "latency"), [(64, 32, 64, 1), (512, 16, 8, 2), (73, 5, 73, 2)]
)
def test_ram_simple_dual_port(width, depth, strobe, latency):
    simulate(
        top="ram_simple_dual_port",
        test_module=__file__,
        parameters={
            "Width": width,
            "Depth": depth,
            "StrobeWidth": strobe,
            "ReadLatency": latency,
        },
    )


# Yosys gives them words of 36 and 18 bits with bytes to write, of 4 and 1;
SHAPES = [(72, 512, 9, 2), (18, 1024, 9, 1), (4, 4096, 4, 1), (1, 16384, 1, 1)]
# and of 18 and 36 written whole, of 9 and 2.
MORE_SHAPES = [(36, 1024, 18, 1), (72, 512, 72, 1), (18, 2048, 9, 2), (2, 8192, 2, 1)]


@pytest.mark.parametrize(
    ("width", "depth", "strobe", "latency"), SHAPES + (MORE_SHAPES if FULL else [])
)
def test_in_block_ram_of_ecp5(width, depth, strobe, latency):
    """The netlist, with the model simulation/rtl/DP16KD.sv of the block RAM."""
    simulate(
        top="ram_simple_dual_port",
        test_module=__file__,
        parameters={
            "Width": width,
            "Depth": depth,
            "StrobeWidth": strobe,
            "ReadLatency": latency,
        },
        as_netlist=True,
    )
