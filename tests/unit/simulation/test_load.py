# SPDX-License-Identifier: Apache-2.0
"""Emulated clients against the engine's own applications."""

import pytest

from toehold.load import (
    CLOSE,
    ECHO,
    EXCHANGE,
    LINE_OVERHEAD,
    OPEN,
    PUSH,
    RECEIVE,
    RESET,
    ROUND_ROBIN,
    SEND,
    SHUFFLED,
    SOURCE_PORT,
    UNIFORM,
    ZIPF,
    Load,
    Task,
    jain,
)
from toehold.simulation import Simulation, SimulationError
from toehold.simulator_build import build_simulator

CLIENTS = 64
MOST_CLOCKS = 3_000_000
APPLICATIONS = 7  # echo, discard, source


@pytest.fixture(params=["small", "cached"])
def engine(request):
    with Simulation(build_simulator(request.param, 64)) as engine:
        engine.set_time_mode("cycles")
        engine.enable_applications(APPLICATIONS)
        engine.advance(2000)
        yield engine


def run(load, *tasks):
    report = load.run(*tasks, most_clocks=MOST_CLOCKS)
    assert report.done == report.begun > 0
    assert report.failed == 0
    return report


def check(load, **wanted):
    counters = load.counters()
    for name in ("wrong_bytes", "lost", "refused", "bad_frames", "beyond_window"):
        assert counters[name] == wanted.pop(name, 0), name
    for name, value in wanted.items():
        assert counters[name] == value, name


@pytest.mark.parametrize("choice", [ROUND_ROBIN, UNIFORM, ZIPF, SHUFFLED])
def test_replies_are_requests(engine, choice):
    with Load(engine, clients=CLIENTS) as load:
        run(load, Task(OPEN, at_once=16))
        check(load, connected=CLIENTS)
        report = run(
            load, Task(EXCHANGE, turns=500, at_once=8, choice=choice, exponent=0.99, bytes=200)
        )
        assert report.latency_minimum <= report.latency_median <= report.latency_p999
        assert 0 < report.latency_turns <= 500
        run(load, Task(CLOSE, at_once=16))
        check(load, connected=0, bytes_sent=100_000, bytes_received=100_000, retransmissions=0)


def test_long_exchanges(engine):
    """Over several segments, and beyond the ring."""
    with Load(engine, clients=4, mss=1000) as load:
        run(load, Task(OPEN))
        run(load, Task(EXCHANGE, turns=8, at_once=4, bytes=20_000))
        check(load, bytes_received=160_000)


def test_both_directions_at_once(engine, request):
    """Clients open their window by as much as they want, which is one segment: what a shorter one
    left over would wait 200 ms to be sent (RFC 9293 section 3.8.6.2.1). In `cached` each has one
    turn: its pools are so small that windows stand still after that, for 32 ms at a time."""
    turns = CLIENTS // 2 if request.node.callspec.params["engine"] == "cached" else 200
    with Load(engine, clients=CLIENTS, mss=1000) as load:
        half = CLIENTS // 2
        run(load, Task(OPEN, kind=SEND, count=half, at_once=8))
        run(load, Task(OPEN, kind=RECEIVE, first=half, at_once=8))
        run(
            load,
            Task(EXCHANGE, count=half, turns=turns, at_once=8, bytes=1000),
            Task(EXCHANGE, first=half, turns=turns, at_once=8, bytes=1000),
        )
        check(load, bytes_sent=turns * 1000)
        assert load.counters()["bytes_received"] >= turns * 1000
        assert jain(load.service(0, half)) > 0.95
        run(load, Task(CLOSE, at_once=8))
        check(load, connected=0)


@pytest.mark.parametrize("size", [100, 20_000])
def test_the_application_beside_the_engine_sends(engine, size):
    """Messages that fit, and such that ask for more room than a ring has."""
    turns = 300 if size == 100 else 30
    with Load(engine, clients=CLIENTS) as load:
        half = CLIENTS // 2
        run(load, Task(OPEN, kind=PUSH, count=half, at_once=8))
        run(load, Task(OPEN, first=half, at_once=8))
        check(load, connected=CLIENTS)
        run(
            load,
            Task(EXCHANGE, count=half, turns=turns, at_once=8, choice=UNIFORM, bytes=size),
            Task(EXCHANGE, first=half, turns=turns, at_once=8, bytes=100),
        )
        check(load, bytes_received=turns * (size + 100), retransmissions=0)
        run(load, Task(CLOSE, at_once=8))
        check(load, connected=0)
        run(load, Task(OPEN | EXCHANGE | RESET, kind=PUSH, turns=20, at_once=4, bytes=size))
        check(load, connected=0, closed=CLIENTS + 20)


@pytest.mark.parametrize("engine", ["small"], indirect=True)  # whose rings are on chip
def test_the_application_beside_the_engine_fills_the_line(engine):
    """It asks for room ahead, and its guard lets it do so."""
    engine.set_line(LINE_OVERHEAD)
    with Load(engine, clients=8) as load:
        run(load, Task(OPEN, kind=PUSH))
        report = run(load, Task(EXCHANGE, turns=200, at_once=8, bytes=1024))
        beats = (14 + 40 + 1024 + LINE_OVERHEAD) / 8
        assert report.clocks_per_turn < beats / 0.98


def test_what_the_application_sends_is_repeated(engine):
    link = {"loss": 0.03, "delay_us": 5}
    with Load(
        engine, clients=8, seed=5, retransmit_us=3000, to_engine=link, from_engine=link
    ) as load:
        load.run(Task(OPEN, kind=PUSH, at_once=8), most_clocks=MOST_CLOCKS)
        load.run(Task(EXCHANGE, turns=60, at_once=4, bytes=3000), most_clocks=10 * MOST_CLOCKS)
        counters = load.counters()
        assert counters["wrong_bytes"] == counters["lost"] == 0
        assert counters["bytes_received"] == 180_000
        assert engine.read("counters_tcp_retransmitted_segments") > 0


@pytest.mark.parametrize("end", [CLOSE, RESET])
def test_connections_come_and_go(engine, end):
    with Load(engine, clients=8) as load:
        run(load, Task(OPEN | EXCHANGE | end, turns=100, at_once=4, bytes=64))
        check(load, connected=0, established=100, closed=100, bytes_received=6400)


def test_whoever_finds_no_room_is_refused(engine):
    """All ids in use: who comes then is told so, if the register says that; nobody else notices."""
    engine.write("network_control.reset_full", 1)
    room, more = engine.read("identity_connections"), 8
    with Load(engine, clients=room + more) as load:
        run(load, Task(OPEN, count=room, at_once=16))
        report = load.run(Task(OPEN, first=room, at_once=4), most_clocks=MOST_CLOCKS)
        assert (report.done, report.failed) == (more, more)
        check(load, refused=more, lost=more, connected=room)
        assert engine.read("counters_drop_tcp_no_room") == more
        run(load, Task(EXCHANGE, count=room, turns=room, at_once=8, bytes=200))
        run(load, Task(CLOSE, count=more, at_once=4))
        run(load, Task(OPEN, first=room, at_once=4))
        check(load, refused=more, lost=more, connected=room, retransmissions=0)


def test_whoever_finds_no_room_may_be_left_without_answer(engine):
    """Unless the register says otherwise: it tries again, and gets in when there is room."""
    room, more = engine.read("identity_connections"), 8
    with Load(engine, clients=room + more, retransmit_us=400) as load:
        run(load, Task(OPEN, count=room, at_once=16))
        wait = load.start(Task(OPEN, first=room, at_once=more))
        # For a millisecond and a half: a client gives up after a dozen times.
        task = Task(EXCHANGE, count=room, turns=150, at_once=8, bytes=200, turns_per_second=1e5)
        turns = load.start(task)
        while load.report(turns).done < task.turns:
            assert not load.finish(1000)
        assert load.report(wait).done == 0
        tries = more + load.counters()["retransmissions"]
        assert engine.read("counters_drop_tcp_no_room") == tries >= 3 * more
        check(load, connected=room)
        run(load, Task(CLOSE, count=more, at_once=4))
        assert load.report(wait).done == more
        check(load, connected=room)


def test_line_takes_preamble_and_gap(engine):
    """A frame of 60 bytes occupies 84 bytes of a line."""
    engine.set_line(LINE_OVERHEAD)
    with Load(engine, clients=1) as load:
        run(load, Task(OPEN, kind=SEND))
        turns = 200
        report = run(load, Task(EXCHANGE, turns=turns, at_once=8, bytes=1))
        assert report.clocks_per_turn >= 84 / 8 - 0.1


def test_rate(engine):
    """Turns come as fast as they are told to."""
    with Load(engine, clients=8) as load:
        run(load, Task(OPEN))
        engine.set_clock_period(10_000)
        report = run(load, Task(EXCHANGE, turns=50, at_once=8, bytes=10, turns_per_second=50_000))
        assert report.clocks_per_turn == pytest.approx(2000, rel=0.02)


def test_loss_is_repaired(engine):
    link = {"loss": 0.05, "delay_us": 5}
    with Load(
        engine, clients=16, seed=3, retransmit_us=3000, to_engine=link, from_engine=link
    ) as load:
        load.run(Task(OPEN, at_once=8), most_clocks=MOST_CLOCKS)
        load.run(Task(EXCHANGE, turns=100, at_once=8, bytes=100), most_clocks=MOST_CLOCKS)
        counters = load.counters()
        assert counters["retransmissions"] > 0
        assert counters["wrong_bytes"] == counters["lost"] == 0
        assert counters["bytes_sent"] == 10_000


def test_timers_begin_anew_with_what_is_sent(engine):
    """Data that goes just before the time its connection's SYN had is up does not go twice."""
    delayed = {"delay_us": 100}
    with Load(engine, clients=1, retransmit_us=1000, to_engine=delayed) as load:
        run(load, Task(OPEN))
        engine.run_until(engine.time_us + 850)
        run(load, Task(EXCHANGE, turns=1, bytes=64))
        check(load, bytes_received=64, retransmissions=0)


def test_a_memory_has_channels(engine):
    for channels in (0, 33):
        with pytest.raises(SimulationError, match="1 to 32 channels"):
            engine.set_memory_channels("payload", channels)


@pytest.mark.parametrize(
    "memory, channels", [("ddr3-1600", 1), ("ddr4-2400", 1), ("hbm", 1), ("hbm", 8)]
)
def test_memory_counts(memory, channels):
    """State and rings in DRAM: what is fetched and written shows, and the AXI4 rules hold."""
    with Simulation(build_simulator("cached", 64)) as engine:
        engine.set_memory(memory)
        for port in ("state", "payload"):
            engine.set_memory_channels(port, channels)
        engine.reset()
        engine.enable_applications(APPLICATIONS)
        engine.advance(2000)
        assert engine.memory_counters("payload")["activates"] == 0
        with Load(engine, clients=CLIENTS) as load:
            run(load, Task(OPEN, at_once=8))
            run(load, Task(EXCHANGE, turns=200, at_once=8, choice=UNIFORM, bytes=1000))
            check(load, bytes_received=200_000)
        for port in ("state", "payload"):
            counters = engine.memory_counters(port)
            assert counters["protocol_errors"] == 0
            assert counters["activates"] > 0 and counters["bus_busy_ps"] > 0
        # Each byte is written and read in each ring, in whole bursts.
        assert counters["bytes_written"] >= 400_000
        assert counters["bytes_read"] >= 400_000
        assert counters["bytes_a_burst"] == (32 if memory == "hbm" else 64)


def test_wrong_bytes_are_seen(engine):
    """An application that answers with something else is found out."""
    with Load(engine, clients=1) as load:
        run(load, Task(OPEN, kind=ECHO, port=SOURCE_PORT))
        load.start(Task(EXCHANGE, bytes=1000))
        load.finish(20_000)
        assert load.counters()["wrong_bytes"] > 0


def test_nobody_listens(engine):
    with Load(engine, clients=1) as load:
        report = load.run(Task(OPEN, port=1), most_clocks=MOST_CLOCKS)
        assert report.failed == 1
        check(load, refused=1, lost=1, established=0)


def test_says_what_is_wrong(engine):
    with pytest.raises(SimulationError, match="12 million"):
        Load(engine, clients=20_000_000)
    with Load(engine, clients=2) as load:
        with pytest.raises(SimulationError, match="do not exist"):
            load.start(Task(OPEN, first=1, count=2))
        with pytest.raises(SimulationError, match="no sense"):
            load.start(Task(0))
    engine.set_time_mode("stepped")
    with pytest.raises(SimulationError, match="follows the clocks"):
        Load(engine, clients=1)
