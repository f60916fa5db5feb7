# SPDX-License-Identifier: Apache-2.0
"""The C interface, by ctypes, on the stand-in for the engine."""

import ctypes
import random
import struct
import subprocess
import threading
from pathlib import Path

import pytest

from toehold.paths import ROOT
from toehold.simulation import Simulation, SimulationError
from unit.simulation.stand_in_build import stand_in

WIDTHS = (64, 512)
ECHO = 1
SCRATCH = 0x600  # plain memory in the stand-in
BEYOND = 0x800  # answers with an error
NOW = 0x7FC  # the time that the engine sees


@pytest.fixture(params=WIDTHS)
def simulation(request):
    with Simulation(stand_in(request.param)) as simulation:
        simulation.enable_applications(ECHO)
        yield simulation


def answer_to(frame: bytes) -> bytes:
    """What the stand-in makes of a frame."""
    return frame[6:12] + frame[:6] + frame[12:26] + frame[30:34] + frame[26:30] + frame[34:]


def frames(count: int, seed: int = 1) -> list[bytes]:
    source = random.Random(seed)
    return [source.randbytes(source.randint(60, 1514)) for _ in range(count)]


def test_says_what_it_is(simulation):
    library = simulation._library
    assert library.toehold_sim_preset() == b"small"
    assert library.toehold_sim_data_width() == simulation.data_width


def test_refuses_another_configuration(simulation):
    error = ctypes.create_string_buffer(100)
    assert not simulation._library.toehold_sim_create(b"scale", 0, error, 100)
    assert error.value == b"this library simulates the preset small, not scale"
    assert not simulation._library.toehold_sim_create(None, 128, error, 100)
    assert b"not 128" in error.value


@pytest.mark.parametrize("pauses", [(0, 0), (30, 50)])
def test_frames_come_back(simulation, pauses):
    simulation.set_pauses(*pauses)
    sent = frames(50)
    for frame in sent:
        simulation.put_frame(frame)
    assert simulation.frames_pending == len(sent)
    assert simulation.advance_until_idle()
    received = simulation.take_frames()
    assert [frame.data for frame in received] == [answer_to(frame) for frame in sent]
    assert simulation.take_frame() is None
    counters = simulation.counters()
    assert counters["frames_in"] == counters["frames_out"] == len(sent)
    assert counters["bytes_in"] == counters["bytes_out"] == sum(map(len, sent))
    if pauses == (0, 0):
        lanes = simulation.data_width // 8
        for frame in received:
            beats = -(-len(frame.data) // lanes)
            assert frame.last_clock - frame.first_clock == beats - 1


def test_bad_frames_are_marked(simulation):
    simulation.put_frame(bytes(60), bad_fcs=True)
    simulation.put_frame(bytes(60))
    simulation.advance_until_idle()
    assert len(simulation.take_frames()) == 1
    assert simulation.read("counters_drop_fcs") == 1
    assert simulation.read("counters_rx_frames") == 2


def test_applications_can_be_off(simulation):
    simulation.enable_applications(0)
    simulation.put_frame(bytes(60))
    assert simulation.advance_until_idle()
    assert simulation.take_frames() == []


def test_refuses_senseless_frames(simulation):
    for length in (0, 65537):
        with pytest.raises(SimulationError, match="1 to 65536 bytes"):
            simulation.put_frame(bytes(length))


def test_a_short_buffer_loses_nothing(simulation):
    frame = frames(1)[0]
    simulation.put_frame(frame)
    simulation.advance_until_idle()
    buffer = ctypes.create_string_buffer(10)
    taken = simulation._library.toehold_sim_take_frame(simulation._engine, buffer, 10, None)
    assert taken == -6
    assert simulation.take_frame().data == answer_to(frame)


def test_registers(simulation):
    simulation.write_register(SCRATCH, 0x12345678)
    simulation.write_register(SCRATCH + 4, 0xFFFFFFFF)
    assert simulation.read_register(SCRATCH) == 0x12345678
    with pytest.raises(SimulationError, match="error to reading register 0x800"):
        simulation.read_register(BEYOND)
    with pytest.raises(SimulationError, match="error to writing register 0x804"):
        simulation.write_register(BEYOND + 4, 0)
    for address in (0x1000, SCRATCH + 1):
        with pytest.raises(SimulationError, match="there can be no register"):
            simulation.read_register(address)
    assert simulation.read_register(SCRATCH + 4) == 0xFFFFFFFF


def test_the_register_map_is_the_generated_one(simulation):
    from toehold.register_map import REGISTERS

    names = list(simulation.register_names())
    assert len(names) == len(set(names))
    registers = {name.split(".")[0] for name in names}
    assert registers == {name for name, entry in REGISTERS.items() if entry[1]}
    with pytest.raises(SimulationError, match="there is no register nonsense"):
        simulation.read("nonsense")
    with pytest.raises(SimulationError, match="nobody can read the register tcp_isn_secret_0"):
        simulation.read("tcp_isn_secret_0")


def test_time_by_cycles(simulation):
    simulation.set_clock_period(6400)
    start = simulation.time_ns, simulation.clocks
    simulation.advance(100_000)
    assert simulation.clocks == start[1] + 100_000
    assert simulation.time_ns == start[0] + 640_000
    assert abs(simulation.read_register(NOW) - simulation.time_us) <= 1
    before = simulation.time_us
    assert simulation.advance_until(before + 500)
    assert simulation.time_us == before + 500
    assert not simulation.advance_until(simulation.time_us + 500, most_clocks=10)


def test_time_by_steps(simulation):
    simulation.set_time_mode("stepped")
    simulation.set_time(10_000_000)
    simulation.advance(1000)
    assert simulation.time_us == simulation.read_register(NOW) == 10_000_000
    with pytest.raises(SimulationError, match="backwards"):
        simulation.set_time(9_999_999)
    simulation.set_time_mode("cycles")
    with pytest.raises(SimulationError, match="stepped mode only"):
        simulation.set_time(20_000_000)


def test_time_by_the_wall(simulation):
    simulation.set_time_mode("wall")
    assert simulation.advance_until(simulation.time_us + 20_000, most_clocks=100_000_000)


def test_commands_and_events(simulation):
    for tag in range(20):
        simulation.put_command(
            op=tag % 6,
            tag=tag,
            session=0xABCDE0 + tag,
            local_port=1000 + tag,
            remote_ip=0x0A4D0001,
            remote_port=65535,
            value=0xFFFFFFFF - tag,
        )
    simulation.advance(200)
    events = simulation.take_events()
    assert [event.tag for event in events] == list(range(20))
    for event in events:
        assert event.kind == 0
        assert event.result == event.tag % 6
        assert event.session == 0xABCDE0 + event.tag
        assert event.local_port == 1000 + event.tag
        assert event.remote_ip == 0x0A4D0001
        assert event.remote_port == 65535
        assert event.value == 0xFFFFFFFF - event.tag
    assert events[0].clock < events[1].clock


def test_messages_come_back_as_received_data(simulation):
    source = random.Random(2)
    messages = [source.randbytes(source.randint(1, 4000)) for _ in range(10)]
    for number, message in enumerate(messages):
        simulation.send(number + 1, message)
    simulation.advance_until_idle()
    assert simulation.messages_pending == 0
    for number, message in enumerate(messages):
        status = simulation.take_transmit_status()
        assert (status.session, status.error, status.length) == (number + 1, 0, len(message))
        received = simulation.receive()
        assert (received.session, received.data) == (number + 1, message)
    assert simulation.receive() is None
    first, last = simulation.last_message_sent()
    assert last - first == -(-len(messages[-1]) // (simulation.data_width // 8)) - 1


def test_a_refused_message_has_a_status_and_no_data(simulation):
    simulation.send(0, b"nobody")
    simulation.send(1, b"somebody")
    simulation.advance_until_idle()
    assert simulation.take_transmit_status().error == 1
    assert simulation.take_transmit_status().error == 0
    assert simulation.receive().data == b"somebody"
    with pytest.raises(SimulationError, match="1 to 65535 bytes"):
        simulation.send(1, b"")


def test_grants_limit_what_is_delivered(simulation):
    asked = []

    def grant(session: int, length: int) -> int:
        asked.append((session, length))
        return 0 if len(asked) < 4 else 10

    simulation.set_grant(grant)
    simulation.send(7, bytes(range(100)))
    simulation.advance(500)
    assert asked == [(7, 100)] * 4
    assert simulation.receive().data == bytes(range(10))
    simulation.set_grant(None)
    simulation.send(7, b"all of it")
    simulation.advance(500)
    assert simulation.receive().data == b"all of it"


def test_until_output_stops_at_once(simulation):
    simulation.put_command(op=0, tag=9)
    assert simulation.advance_until_output(1000)
    assert simulation.take_event().tag == 9
    before = simulation.clocks
    assert not simulation.advance_until_output(100)
    assert simulation.clocks == before + 100


def test_reset_forgets(simulation):
    simulation.put_frame(bytes(60))
    simulation.put_command(op=0, tag=1)
    simulation.advance(3)
    clocks = simulation.clocks
    simulation.reset()
    assert simulation.clocks > clocks
    simulation.advance(200)
    assert simulation.take_frames() == [] and simulation.take_events() == []
    assert simulation.read("counters_rx_frames") == 0
    simulation.put_frame(bytes(60))
    simulation.advance_until_idle()
    assert len(simulation.take_frames()) == 1


def test_engines_are_independent_and_equal():
    simulator = stand_in(64)
    sent = frames(30, seed=5)
    results = {}

    def use(name: str, delay: int) -> None:
        with Simulation(simulator) as simulation:
            simulation.enable_applications(ECHO)
            simulation.advance(delay)
            for frame in sent:
                simulation.put_frame(frame)
            simulation.advance_until_idle()
            results[name] = [(f.data, f.first_clock - delay) for f in simulation.take_frames()]

    threads = [
        threading.Thread(target=use, args=(name, delay)) for name, delay in (("a", 0), ("b", 50))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["a"] == results["b"] and len(results["a"]) == len(sent)


def test_waves(tmp_path):
    path = tmp_path / "engine.fst"
    with Simulation(stand_in(64, waves=True)) as simulation:
        simulation.set_clock_period(8000)
        simulation.enable_applications(ECHO)
        with pytest.raises(SimulationError, match="cannot write"):
            simulation.open_waves("/nonexistent/engine.fst")
        with pytest.raises(SimulationError, match="end before they start"):
            simulation.open_waves(path, 20, 10)
        simulation.open_waves(path, from_us=10, to_us=20)
        simulation.put_frame(bytes(1000))
        simulation.advance(5000)  # 40 us
        simulation.close_waves()
    header = path.read_bytes()[:25]
    kind, length, start, end = struct.unpack(">BQQQ", header)
    assert (kind, length) == (0, 329)
    assert 10_000_000 <= start <= 10_010_000
    assert 19_990_000 <= end <= 20_010_000


def test_waves_need_their_build(tmp_path):
    with (
        Simulation(stand_in(64)) as simulation,
        pytest.raises(SimulationError, match="cannot write waveforms"),
    ):
        simulation.open_waves(tmp_path / "engine.fst")


def test_the_header_is_plain_c(tmp_path):
    simulator = stand_in(64)
    source = tmp_path / "client.c"
    source.write_text(
        """
        #include <stdio.h>
        #include "toehold_sim.h"
        int main(void) {
          char error[100];
          toehold_sim *sim = toehold_sim_create("small", 64, error, sizeof error);
          uint32_t value = 0;
          if (!sim) return 1;
          toehold_sim_write_register(sim, 0x600, 42);
          toehold_sim_read_register(sim, 0x600, &value);
          printf("%u\\n", (unsigned)value);
          toehold_sim_destroy(sim);
          return 0;
        }
        """
    )
    program = tmp_path / "client"
    folder = simulator.library.parent
    subprocess.run(
        [
            *("gcc", "-std=c99", "-pedantic", "-Wall", "-Werror", str(source), "-o", str(program)),
            *(f"-I{ROOT / 'simulation' / 'include'}", f"-L{folder}", f"-Wl,-rpath,{folder}"),
            "-ltoehold_sim",
        ],
        check=True,
    )
    assert subprocess.run([program], capture_output=True, text=True).stdout == "42\n"


def test_the_library_exports_its_interface_only():
    names = subprocess.run(
        ["nm", "-D", "--defined-only", stand_in(64).library], capture_output=True, text=True
    ).stdout.split()
    headers = Path(ROOT / "simulation" / "include").glob("*.h")
    interface = "".join(header.read_text() for header in headers)
    exported = [name for name in names if name.startswith("toehold_sim_")]
    assert len(exported) == len(set(exported)) > 30
    assert all(f"{name}(" in interface for name in exported)
    assert not [name for name in names if name.startswith("_ZN7toehold")]
