# SPDX-License-Identifier: Apache-2.0
"""ram_sliced against a model: addresses and strobes a clock ahead of what is written, latency, zero
at configuration. That its registers stay apart is seen in test_synth.py."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from support.simulate import parameter, simulate
from support.streams import start

IDLE = {"write_enable_i": 0, "write_address_i": 0, "write_data_i": 0, "read_address_i": 0}


def strobes() -> int:
    return -(-parameter("Width") // parameter("StrobeWidth"))


def strobe_mask(enable: int) -> int:
    width = parameter("StrobeWidth")
    mask = sum(((1 << width) - 1) << n * width for n in range(strobes()) if enable >> n & 1)
    return mask & ((1 << parameter("Width")) - 1)


@cocotb.test()
async def behaves_as_its_model(dut):
    await start(dut, **IDLE)
    depth, width, latency = parameter("Depth"), parameter("Width"), parameter("ReadLatency")
    model = [0] * depth
    # Addresses that are in front of the RAM, and what is behind it: by age, None where not known.
    reads = writes_at = strobed = 0
    behind: list[int | None] = [None] * (latency - 1)
    written = compared = collided = zero = 0
    await RisingEdge(dut.clk)
    for cycle in range(3000):
        next_strobed = random.choice([0, 0, (1 << strobes()) - 1, random.getrandbits(strobes())])
        data = random.getrandbits(width)
        next_read, next_write = random.randrange(depth), random.randrange(depth)
        dut.write_enable_i.value = next_strobed
        dut.write_data_i.value = data
        dut.write_address_i.value = next_write
        dut.read_address_i.value = next_read
        await RisingEdge(dut.clk)
        if cycle >= latency and behind[-1] is not None:
            assert int(dut.read_data_o.value) == behind[-1]
            compared += 1
            zero += behind[-1] == 0
        collides = strobed != 0 and reads == writes_at
        collided += collides
        behind = [None if collides else model[reads], *behind[:-1]]
        mask = strobe_mask(strobed)
        model[writes_at] = (model[writes_at] & ~mask) | (data & mask)
        written += strobed != 0
        reads, writes_at, strobed = next_read, next_write, next_strobed
    assert written > 1000 and compared > 2000 and collided > 10 and zero > 0


@pytest.mark.parametrize(
    ("width", "depth", "strobe", "slice_width", "latency"),
    [(64, 64, 8, 8, 3), (512, 16, 8, 64, 3), (150, 32, 72, 72, 2)],
)
def test_ram_sliced(width, depth, strobe, slice_width, latency):
    simulate(
        top="ram_sliced",
        test_module=__file__,
        parameters={
            "Width": width,
            "Depth": depth,
            "StrobeWidth": strobe,
            "SliceWidth": slice_width,
            "ReadLatency": latency,
        },
    )
