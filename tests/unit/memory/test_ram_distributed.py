# SPDX-License-Identifier: Apache-2.0
"""ram_distributed against a model: written at the edge, read in the same clock."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import start


@cocotb.test()
async def behaves_as_its_model(dut):
    depth, width = parameter("Depth"), parameter("Width")
    await start(dut, write_enable_i=0, write_address_i=0, write_data_i=0, read_address_i=0)
    model: dict[int, int] = {}
    compared = 0
    await RisingEdge(dut.clk)
    for _ in range(1000):
        enable, data = random.getrandbits(1), random.getrandbits(width)
        written, read = random.randrange(depth), random.randrange(depth)
        dut.write_enable_i.value = enable
        dut.write_address_i.value = written
        dut.write_data_i.value = data
        dut.read_address_i.value = read
        await RisingEdge(dut.clk)
        # Sampled at the edge that writes: what is read is what was there before.
        if read in model:
            assert int(dut.read_data_o.value) == model[read]
            compared += 1
        if enable:
            model[written] = data
    assert compared > 500


@pytest.mark.parametrize(("width", "depth"), [(8, 16), (64, 32), (512, 5)])
def test_ram_distributed(width, depth):
    simulate(
        top="ram_distributed",
        test_module=__file__,
        parameters={"Width": width, "Depth": depth},
    )
