# SPDX-License-Identifier: Apache-2.0
"""toe_registers over AXI4-Lite, by way of the Python access that users have."""

import random

import cocotb
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from support.simulate import simulate
from support.streams import start
from toehold.cores import sources
from toehold.counters import layout, maximum, pack
from toehold.elaborate import struct_fields
from toehold.register_map import REGISTERS
from toehold.registers import Registers, difference

GAUGES = "closed syn_sent syn_received established fin_wait_1 fin_wait_2 close_wait closing".split()
GAUGES += ["last_ack", "time_wait", "listen"]
SETTINGS = struct_fields("toe_registers_pkg", "toe_settings_t", sources(["registers"])[0], [])


async def prepare(dut):
    """The register file out of reset, and its registers by name for code in a thread."""
    dut.counters_i.value = 0
    dut.gauges_i.value = 0
    bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    await start(dut)

    @resume
    async def read(address):
        return await bus.read_dword(address)

    @resume
    async def write(address, value):
        await bus.write_dword(address, value)

    return Registers(read, write), bus


def settings(dut, name):
    low, width = SETTINGS[name]
    return int(dut.settings_o.value) >> low & ((1 << width) - 1)


@cocotb.test()
async def tells_who_it_is(dut):
    registers, _ = await prepare(dut)

    def look():
        assert registers.identify() == "0.1.0"
        assert registers["identity_data_width"] == 64
        assert registers["identity_connections"] == 64
        assert registers["identity_tx_ring_bytes"] == 2048
        assert registers["identity_rx_ring_bytes"] == 2048
        assert registers["identity_capabilities"] == 0

    await bridge(look)()


@cocotb.test()
async def has_the_documented_reset_values(dut):
    registers, _ = await prepare(dut)

    def look():
        for name, (_, readable, _, reset, *_) in REGISTERS.items():
            if readable and reset is not None:
                assert registers[name] == reset, name

    await bridge(look)()
    assert settings(dut, "mac_address") == 0x02544F450001
    assert settings(dut, "ip_address") == 0x0A4D0002
    assert settings(dut, "netmask") == 0xFFFFFF00
    assert settings(dut, "gateway") == 0x0A4D0001
    assert settings(dut, "enable") == 1
    assert settings(dut, "arp_ageing_seconds") == 300


@cocotb.test()
async def settings_reach_the_engine(dut):
    registers, _ = await prepare(dut)
    secret, key = random.randbytes(16), random.randbytes(8)

    def change():
        registers.set_addresses("02:00:5e:10:20:30", "192.168.7.9/20", "192.168.1.1")
        registers.set_secrets(secret, key)
        registers.set_field("network_control", "enable", 0)
        registers["tcp_rto_min_us"] = 1234
        registers.set_field("tcp_retries", "data", 3)

    await bridge(change)()
    await ClockCycles(dut.clk, 1)  # they are a clock behind the response
    assert settings(dut, "mac_address") == 0x02005E102030
    assert settings(dut, "ip_address") == 0xC0A80709
    assert settings(dut, "netmask") == 0xFFFFF000
    assert settings(dut, "gateway") == 0xC0A80101
    assert settings(dut, "isn_secret") == int.from_bytes(secret, "little")
    assert settings(dut, "hash_key") == int.from_bytes(key, "little")
    assert settings(dut, "enable") == 0
    assert settings(dut, "reset_unknown") == 1
    fields = struct_fields("toe_config_pkg", "tcp_settings_t", sources(["packages"])[0], [])
    tcp = settings(dut, "tcp")
    values = {name: tcp >> low & ((1 << width) - 1) for name, (low, width) in fields.items()}
    assert values == {
        "rto_initial_us": 1_000_000,
        "rto_min_us": 1234,
        "rto_max_us": 60_000_000,
        "time_wait_us": 60_000_000,
        "delayed_ack_us": 40_000,  # of the preset
        "user_timeout_us": 0,
        "keepalive_tick_us": 60_000_000,
        "keepalive_idle": 120,
        "keepalive_interval_us": 75_000_000,
        "keepalive_probes": 9,
        "challenge_interval_us": 500_000,
        "syn_retries": 7,
        "syn_ack_retries": 5,
        "data_retries": 3,
        "window_scale": 1,
        "timestamps": 1,
        "sack": 1,
        "no_delay": 1,
        "keepalive": 0,
        "cubic_friendly": 1,
        "pacing": 0,
    }


@cocotb.test()
async def secrets_cannot_be_read(dut):
    registers, bus = await prepare(dut)
    await bridge(registers.set_secrets)(b"\xff" * 16, b"\xff" * 8)
    for name, (address, readable, *_) in REGISTERS.items():
        if not readable:
            assert await bus.read_dword(address) == 0, name


@cocotb.test()
async def bytes_are_written_alone(dut):
    """A narrow write leaves the other bytes as they were."""
    _, bus = await prepare(dut)
    address = REGISTERS["network_ip_address"][0]
    await bus.write(address + 1, b"\x55")
    assert await bus.read_dword(address) == 0x0A4D5502


@cocotb.test()
@cocotb.parametrize(idle=[None, 3], backpressure=[None, 5])
async def reads_and_writes_share_it(dut, idle, backpressure):
    """Both at once, each channel with pauses of its own: every answer is the right one, and neither
    keeps the other waiting for more than one access."""
    _, bus = await prepare(dut)

    def pauses(longest):
        while longest:
            yield from [True] * random.randrange(longest) + [False] * random.randrange(1, 4)

    write, read = bus.write_if, bus.read_if
    for channel in (write.aw_channel, write.w_channel, read.ar_channel):
        if idle:
            channel.set_pause_generator(pauses(idle))
    for channel in (write.b_channel, read.r_channel):
        if backpressure:
            channel.set_pause_generator(pauses(backpressure))

    own, other = REGISTERS["tcp_rto_min_us"][0], REGISTERS["tcp_rto_max_us"][0]
    counter, magic = REGISTERS["counters_rx_frames"][0], REGISTERS["identity_magic"][0]
    written = [random.getrandbits(32) for _ in range(40)]
    order = []

    async def writes():
        for value in written:
            await bus.write_dword(own, value)
            order.append("w")

    async def reads():
        seen = []
        for _ in written:
            assert await bus.read_dword(magic) == 0x48454F54
            order.append("r")
            seen.append(await bus.read_dword(own))
            order.append("r")
        return seen

    writing, reading = cocotb.start_soon(writes()), cocotb.start_soon(reads())
    seen = await reading
    await writing
    values = [written.index(value) for value in seen if value in written]
    assert values == sorted(values) and len(values) >= len(seen) - 2
    if not idle and not backpressure:
        both = "".join(order[: 2 * len(written)])
        assert "rrrr" not in both and "ww" not in both
    assert await bus.read_dword(own) == written[-1]
    assert await bus.read_dword(other) == 60_000_000
    assert await bus.read_dword(counter) == 0


@cocotb.test()
async def every_counter_is_at_its_address(dut):
    """Each pulse moves the register of the same name, and no other."""
    registers, _ = await prepare(dut)
    before = await bridge(registers.counters)()
    assert list(before) == list(layout())
    wanted = {}
    for times, name in enumerate(layout(), start=1):
        amount = random.randint(1, maximum()[name])
        dut.counters_i.value = pack({name: amount})
        await ClockCycles(dut.clk, times)
        dut.counters_i.value = 0
        wanted[name] = amount * times
    await ClockCycles(dut.clk, 2 * len(wanted))
    after = await bridge(registers.counters)()
    assert difference(after, before) == wanted


@cocotb.test()
async def counters_cannot_be_written(dut):
    registers, bus = await prepare(dut)
    address = REGISTERS["counters_rx_frames"][0]
    dut.counters_i.value = pack({"rx_frames": 1})
    await ClockCycles(dut.clk, 9)
    dut.counters_i.value = 0
    await bus.write_dword(address, 0xFFFF_FFFF)
    await ClockCycles(dut.clk, 200)
    assert await bus.read_dword(address) == 9


@cocotb.test()
async def gauges_are_in_the_order_of_the_states(dut):
    registers, _ = await prepare(dut)
    dut.gauges_i.value = sum((100_000 + i) << 24 * i for i in range(len(GAUGES)))
    seen = await bridge(registers.connections)()
    assert seen == {name: 100_000 + i for i, name in enumerate(GAUGES)}


@cocotb.test()
async def what_is_not_there_reads_as_zero(dut):
    registers, bus = await prepare(dut)
    known = {entry[0] for entry in REGISTERS.values()}
    for address in range(0, 0x400, 4):
        if address not in known:
            await bus.write_dword(address, 0xFFFF_FFFF)
            assert await bus.read_dword(address) == 0, hex(address)
    assert await bridge(registers.identify)() == "0.1.0"


@cocotb.test()
async def answers_under_idle_and_backpressure(dut):
    """Reads and writes in flight at once, every channel stalled now and then."""
    _, bus = await prepare(dut)
    for channel in (
        bus.write_if.aw_channel,
        bus.write_if.w_channel,
        bus.write_if.b_channel,
        bus.read_if.ar_channel,
        bus.read_if.r_channel,
    ):
        channel.set_pause_generator(iter(lambda: random.random() < 0.6, None))
    writable = [n for n, (_, r, w, *_) in REGISTERS.items() if r and w and "control" not in n]
    for _ in range(60):
        name = random.choice(writable)
        fields = REGISTERS[name][4].values()
        mask = sum(((1 << width) - 1) << low for low, width, _ in fields)
        value = random.getrandbits(32)
        counter = cocotb.start_soon(bus.read_dword(REGISTERS["counters_tx_bytes"][0]))
        await bus.write_dword(REGISTERS[name][0], value)
        assert await bus.read_dword(REGISTERS[name][0]) == value & mask
        assert await counter == 0


def test_toe_registers():
    simulate("toe_registers", __file__, core="registers")


def test_every_counter_has_a_register_of_its_name():
    names = [name.removeprefix("counters_") for name in REGISTERS if name.startswith("counters_")]
    assert names == [*layout(), "reserved"]
