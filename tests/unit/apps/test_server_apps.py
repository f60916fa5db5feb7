# SPDX-License-Identifier: Apache-2.0
"""server_apps: echo, discard, source, HTTP and the external port behind one engine, with peers that
cut, close, reset and stall as they like."""

import random
import re

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.app_engine import FINAL, Command, Engine, Kind, Result, Tx
from models.app_structs import COMMAND, EVENT, OFFER, STATUS
from models.chargen import chargen
from support.extent import some
from support.packed import pack, unpack
from support.simulate import parameter, simulate
from support.streams import PacketSink, PacketSource, StreamSink, StreamSource, clocks, start

ECHO, DISCARD, SOURCE, HTTP, KEY_VALUE, EXTERNAL = range(6)
PORTS = {ECHO: 7, DISCARD: 9, SOURCE: 19, HTTP: 80, KEY_VALUE: 6379}
IPERF_PORT = 5001
CONNECTIONS = 8
STALLS = [("never", "never"), ("sometimes", "bursts"), ("mostly", "mostly")]

COUNTERS = [
    "uptime_us", "frames_in", "bytes_in", "frames_out", "bytes_out", "segments_in", "segments_out",
    "retransmissions", "connections", "accepted", "resets", "drops",
]  # fmt: skip


class External:
    """The application at the external port: nothing by itself, everything can be driven."""

    def __init__(self, dut, pause=None):
        self.command = StreamSource(dut, "s_ext_command", {"word": "s_ext_command"}, pause=pause)
        self.event = StreamSink(dut, "m_ext_event", {"word": "m_ext_event"}, pause=pause)
        self.query = StreamSink(dut, "m_ext_query", {"word": "m_ext_query"}, pause=pause)
        self.grant = StreamSource(dut, "s_ext_grant", ("length",), pause=pause)
        self.rx = PacketSink(dut, prefix="m_ext_rx", sideband=("session",), pause=pause)
        self.request = StreamSource(
            dut, "s_ext_tx_request", {"word": "s_ext_tx_request"}, pause=pause
        )
        self.status = StreamSink(dut, "m_ext_tx_status", {"word": "m_ext_tx_status"}, pause=pause)
        self.tx = PacketSource(dut, "s_ext_tx", pause=pause)

    def events(self, kind: Kind | None = None) -> list[dict[str, int]]:
        found = [unpack(EVENT, t["word"]) for t in self.event.transfers]
        return [e for e in found if kind is None or e["kind"] == kind]


async def begin(dut, enable=0b11111, statistics=0, **options):
    for name in ("event", "query", "rx", "tx_status"):
        getattr(dut, f"m_ext_{name}_ready").value = 0
    for name in ("command", "grant", "tx_request", "tx"):
        getattr(dut, f"s_ext_{name}_valid").value = 0
    engine = Engine(dut, connections=CONNECTIONS, **options)
    await start(dut, enable_i=enable, statistics_i=statistics)
    return engine


async def begin_external(dut, pause=None, **options):
    external = External(dut, pause)
    engine = Engine(dut, connections=CONNECTIONS, **options)
    await start(dut, enable_i=0b11111, statistics_i=0)
    return engine, external


async def finished(engine, *sessions):
    def all_final():
        return all(s.final for s in sessions)

    await engine.until(all_final)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def listens_where_it_is_told(dut):
    """Listen when enabled, unlisten when not; a refused port is tried again after that."""
    engine = await begin(dut, enable=0b0010)
    await engine.listening_on(9, IPERF_PORT)
    await clocks(dut, 200)
    assert engine.listening == {9: DISCARD, IPERF_PORT: DISCARD}
    engine.listening[80] = 9  # somebody else's
    dut.enable_i.value = 0b11111
    await engine.listening_on(7, 19)
    await clocks(dut, 200)
    assert engine.listening[80] == 9
    listens = [c for c in engine.commands if c["op"] == Command.LISTEN]
    assert len(listens) == 6 and len({c["local_port"] for c in listens}) == 6
    del engine.listening[80]
    dut.enable_i.value = 0
    await engine.until(lambda: not engine.listening)
    dut.enable_i.value = 0b11111
    await engine.listening_on(7, 9, IPERF_PORT, 19, 80)
    assert engine.listening[80] == HTTP


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize((("idle", "backpressure"), STALLS))
async def echo_returns_what_it_gets(dut, idle, backpressure):
    engine = await begin(dut, idle=idle, backpressure=backpressure, refuse=0.3, ring=600)
    await engine.listening_on(7)
    sent, sessions = {}, []
    for _ in range(5):
        session = engine.connect(7)
        sessions.append(session)
        sent[session.name] = data = random.randbytes(random.choice([1, 63, 64, 65, 700, 3000]))
        session.inbox += data
        session.peer_closed = True
        await clocks(dut, random.randrange(200))
    await finished(engine, *sessions)
    for session in sessions:
        assert session.final == Kind.CLOSED and session.outbox == sent[session.name]
    closes = [c for c in engine.commands if c["op"] == Command.CLOSE]
    assert len(closes) == len(sessions)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def echo_answers_while_a_packet_passes(dut):
    """Query, request, status and grant of the next sessions, while the engine takes no beat; then
    packets follow each other without a pause."""
    engine = await begin(dut, slices=(1024, 1024), bad=0)
    await engine.listening_on(7)
    engine.overlap, engine.tx.pause = 1, iter(lambda: True, None)
    sent = []
    for _ in range(3):
        session = engine.connect(7)
        session.inbox += (data := random.randbytes(1024))
        sent.append((session, data))
    await engine.until(lambda: engine.grants == 3)
    assert not engine.tx.transfers
    engine.tx.pause = iter(lambda: False, None)
    await engine.until(lambda: len(engine.tx.packets) == 3)
    beats = len(engine.tx.times)
    assert engine.tx.times[-1] - engine.tx.times[0] == beats - 1
    for session, data in sent:
        assert session.outbox == data


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def echo_closes_while_others_go_on(dut):
    """One session ends, though packets of others follow each other without a pause."""
    engine = await begin(dut, slices=(1024, 1024), ring=1 << 16, bad=0)
    await engine.listening_on(7)
    engine.overlap = 1
    others = [engine.connect(7) for _ in range(2)]
    for session in others:
        session.inbox += bytes(200_000)
    await engine.until(lambda: engine.grants > 3)
    session = engine.connect(7)
    session.inbox += b"bye"
    session.peer_closed = True
    await finished(engine, session)
    assert session.outbox == b"bye" and all(other.inbox for other in others)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def echo_drops_what_nobody_wants(dut):
    """TxNoConnection in the middle: the data is taken, and the next session is served."""
    engine = await begin(dut)
    await engine.listening_on(7)
    session = engine.connect(7)
    session.inbox += bytes(500)
    engine.errors.append(Tx.NO_CONNECTION)
    await engine.until(lambda: not session.inbox)
    engine.reset(session)
    after = engine.connect(7)
    after.inbox += b"still here"
    await engine.until(lambda: after.outbox == b"still here")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def discard_takes_all(dut):
    """At the full rate: a beat a clock within a packet, and few clocks between."""
    engine = await begin(dut, slices=(1460, 1460))
    await engine.listening_on(9, IPERF_PORT)
    session = engine.connect(IPERF_PORT)
    session.inbox += bytes(20 * 1460)
    await engine.until(lambda: engine.queries)
    beats = len(engine.rx.times)
    began = engine.rx.times[-1] if beats else None
    await engine.until(lambda: not session.inbox)
    assert engine.refused_grants == 0 and not session.outbox
    began = engine.rx.times[0]
    spent = engine.rx.times[-1] - began
    beats = -(-1460 // (parameter("DataWidth") // 8)) * 20
    assert spent <= beats + 20 * 16, f"{spent} clocks for {beats} beats"
    session.peer_closed = True
    await finished(engine, session)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize((("idle", "backpressure"), STALLS[:2]))
async def source_sends_its_pattern(dut, idle, backpressure):
    """To several peers alike, while rings fill and empty; one that does not read stops itself."""
    engine = await begin(dut, idle=idle, backpressure=backpressure, refuse=0.2)
    await engine.listening_on(19)
    sessions = [engine.connect(19) for _ in range(4)]
    sessions[0].reading = False
    sessions[1].inbox += b"whatever"

    def enough():
        return all(len(s.outbox) > 8_000 for s in sessions[1:])

    await engine.until(enough)
    assert len(sessions[0].outbox) <= engine.ring
    lengths = [len(s.outbox) for s in sessions[1:]]
    assert max(lengths) < 3 * min(lengths), lengths
    for session in sessions:
        session.peer_closed = session.reading = True
    await finished(engine, *sessions)
    for session in sessions:
        assert session.final == Kind.CLOSED and session.outbox == chargen(len(session.outbox))
        assert len(session.outbox) >= 512


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def source_asks_while_a_packet_passes(dut):
    """For the next sessions, while the engine takes no beat; then packets follow each other with a
    clock between them."""
    engine = await begin(dut, ring=1 << 16)
    await engine.listening_on(19)
    engine.tx.pause = iter(lambda: True, None)
    sessions = [engine.connect(19) for _ in range(6)]
    most = 4 if parameter("DataWidth") >= 256 else 2
    await engine.until(lambda: engine.admitted == most)
    await clocks(dut, 200)
    assert engine.requests == most and not engine.tx.transfers
    engine.tx.pause = iter(lambda: False, None)
    await engine.until(lambda: len(engine.tx.packets) == 30)
    beats = len(engine.tx.times)
    assert engine.tx.times[-1] - engine.tx.times[0] < beats + 30
    for session in sessions:
        assert session.outbox and session.outbox == chargen(len(session.outbox))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def source_forgets_no_turn(dut):
    """What is acknowledged while a request is under way counts, also if that is refused. Peers take
    little at a time, so that most requests are for less than there was room for."""
    engine = await begin(dut, idle="bursts", backpressure="sometimes", refuse=0.6, ring=900)
    await engine.listening_on(19)
    sessions = [engine.connect(19) for _ in range(CONNECTIONS)]
    await engine.until(lambda: all(len(s.outbox) > 6_000 for s in sessions), 400_000)
    for session in sessions:
        session.peer_closed = True
    await finished(engine, *sessions)
    for session in sessions:
        assert session.outbox == chargen(len(session.outbox))


# ---- HTTP


def response(data: bytes, head: bool = False):
    """The first response in data: status, headers, body, and what follows; None if it is cut."""
    top, found, rest = data.partition(b"\r\n\r\n")
    if not found:
        return None
    line, *fields = top.decode("ascii").split("\r\n")
    assert re.fullmatch(r"HTTP/1\.1 \d{3} [\x20-\x7e]+", line), line
    headers = {}
    for entry in fields:
        name, colon, value = entry.partition(": ")
        assert colon and name.lower() not in headers, entry
        headers[name.lower()] = value
    length = 0 if head else int(headers["content-length"])
    if len(rest) < length:
        return None
    return int(line[9:12]), headers, bytes(rest[:length]), bytes(rest[length:])


def responses(data: bytes, heads=()):
    """All of them; nothing may be left over."""
    found = []
    while data:
        one = response(data, head=len(found) in heads)
        assert one, f"cut response after {len(found)}: {bytes(data[:200])}"
        *answer, data = one
        found.append(tuple(answer))
    return found


HOST = b"Host: toehold\r\n"

# Requests, whether each keeps the connection open, and the status of its answer.
REQUESTS = [
    (b"GET / HTTP/1.1\r\n" + HOST + b"\r\n", True, 200),
    (b"HEAD / HTTP/1.1\r\n" + HOST + b"User-Agent: x/1 (y; z)\r\n\r\n", True, 200),
    (b"\r\n\nGET /?a=b&c HTTP/1.1\nhOsT: x\nAccept: */*\n\n", True, 200),
    (b"GET /favicon.ico HTTP/1.1\r\nAccept:\r\n" + HOST + b"\r\n", True, 404),
    (b"HEAD /x HTTP/1.1\r\n" + HOST + b"\r\n", True, 404),
    (b"GET //?/ HTTP/1.1\r\n" + HOST + b"\r\n", True, 404),
    (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", True, 405),
    (b"GETS / HTTP/1.1\r\n" + HOST + b"\r\n", True, 405),
    (b"get / HTTP/1.1\r\n" + HOST + b"\r\n", True, 405),
    (b"X / HTTP/1.1\nHost:\n\n", True, 405),
    (b"GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n", True, 200),
    (b"GET / HTTP/1.1\r\n" + HOST + b"Connection: closed\r\n\r\n", True, 200),
    (b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", False, 200),
    (b"GET / HTTP/1.1\r\nConnection:te ,\tCLOSE\r\n" + HOST + b"\r\n", False, 200),
    (b"HEAD / HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n", False, 200),
    (b"GET / HTTP/1.0\r\n\r\n", False, 200),
    (b"GET /nothing HTTP/1.0\r\n\r\n", False, 404),
    (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\nabc", False, 405),
    (b"PUT / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", False, 405),
    (b"GET / HTTP/1.1\r\n\r\n", False, 400),
    (b"GET /\r\n\r\n", False, 400),
    (b"GET  / HTTP/1.1\r\n" + HOST + b"\r\n", False, 400),
    (b"GET / HTTP/1.1 \r\n" + HOST + b"\r\n", False, 400),
    (b"GET / HTTP/1.1\r" + HOST + b"\r\n", False, 400),
    (b"GET / HTTQ/1.1\r\n" + HOST + b"\r\n", False, 400),
    (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", False, 400),
    (b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", False, 400),
    (b"GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n", False, 400),
    (b"GET / HTTP/1.1\r\nHost: \x00\r\n\r\n", False, 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", False, 400),
    (b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", False, 505),
]


def is_head(request: bytes) -> bool:
    return request.lstrip().startswith(b"HEAD ")


def judge(session, requests):
    """The answers in the session's outbox are the right ones for the requests."""
    heads = {i for i, (text, *_) in enumerate(requests) if is_head(text)}
    found = responses(bytes(session.outbox), heads)
    assert len(found) == len(requests), (len(found), requests)
    for (status, headers, body), (text, keeps, expected) in zip(found, requests, strict=True):
        assert status == expected, (text, status)
        assert headers["connection"] == ("keep-alive" if keeps else "close"), text
        assert ("allow" in headers) == (status == 405)
        if is_head(text):
            assert not body
        else:
            assert body.startswith(b"<!DOCTYPE html>") and body.endswith(b"</html>\n")
            assert len(body) == int(headers["content-length"])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def http_shows_the_counters(dut):
    """Each counter in its place, in decimal, with the right Content-Length."""
    values = [0, 1, 9, 10, 4294967295, 1234567890, 99, 100, 65536, 1000000, 4000000000, 7]
    word = 0
    for value in values:
        word = word << 32 | value
    engine = await begin(dut, statistics=word)
    await engine.listening_on(80)
    session = engine.connect(80)
    session.inbox += REQUESTS[0][0]
    await engine.until(lambda: response(session.outbox))
    judge(session, REQUESTS[:1])
    _, _, body, _ = response(session.outbox)
    rows = dict(re.findall(rb"<tr><td>([^<]+)<td> *(\d+)\n", body))
    shown = {
        "uptime_us": b"Uptime in microseconds", "frames_in": b"Frames received",
        "bytes_in": b"Bytes received", "frames_out": b"Frames sent", "bytes_out": b"Bytes sent",
        "segments_in": b"TCP segments received", "segments_out": b"TCP segments sent",
        "retransmissions": b"Retransmissions", "connections": b"Connections now",
        "accepted": b"Connections accepted", "resets": b"Connections reset",
        "drops": b"Frames dropped",
    }  # fmt: skip
    assert len(rows) == len(COUNTERS)
    for name, value in zip(COUNTERS, values, strict=True):
        assert int(rows[shown[name]]) == value, name


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(slices=[(1, 40), (1500, 1500)])
async def http_answers_each_request(dut, slices):
    """Every request by itself, cut anywhere: the right status, and open or closed afterwards."""
    engine = await begin(dut, slices=slices)
    await engine.listening_on(80)
    queue = list(REQUESTS)
    random.shuffle(queue)
    running = []
    done = 0
    while queue or running:
        while queue and len(running) < CONNECTIONS // 2:
            session = engine.connect(80)
            if session is None:
                break
            request = queue.pop()
            session.inbox += request[0]
            running.append((session, request))
        await clocks(dut, 50)
        for entry in list(running):
            session, request = entry
            if not response(session.outbox, is_head(request[0])) or session.unacked:
                continue
            judge(session, [request])
            assert not session.final
            if not request[1] and not session.closed:
                continue
            await clocks(dut, 50)
            assert session.closed == (not request[1]), request
            if request[1]:  # open still: another request gets its answer
                session.inbox += REQUESTS[-1][0]
                request_2 = [request, REQUESTS[-1]]
                await engine.until(lambda s=session: s.closed)
                judge(session, request_2)
            session.peer_closed = True
            await finished(engine, session)
            running.remove(entry)
            done += 1
    assert done == len(REQUESTS)


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize((("idle", "backpressure"), STALLS[:2]))
async def http_answers_pipelined_requests(dut, idle, backpressure):
    """Many requests in one go, answers in order; little room; a peer that does not read for a
    while does not hold up the others."""
    engine = await begin(dut, idle=idle, backpressure=backpressure, refuse=0.2, ring=700)
    await engine.listening_on(80)
    plans = []
    for i in range(4):
        keeping = [r for r in REQUESTS if r[1]]
        requests = random.choices(keeping, k=5)
        if i % 2:
            requests.append(random.choice([r for r in REQUESTS if not r[1]]))
        session = engine.connect(80)
        session.reading = i != 0
        session.inbox += b"".join(r[0] for r in requests)
        session.peer_closed = not i % 2
        plans.append((session, requests))

    def others_served():
        return all(s.final for s, _ in plans[2:]) or all(s.closed for s, _ in plans[1:])

    await engine.until(others_served)
    assert not plans[0][0].closed and len(plans[0][0].outbox) <= engine.ring
    plans[0][0].reading = True
    plans[1][0].peer_closed = plans[3][0].peer_closed = True
    await finished(engine, *(session for session, _ in plans))
    for session, requests in plans:
        judge(session, requests)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def http_refuses_what_is_too_long(dut):
    engine = await begin(dut)
    await engine.listening_on(80)
    long_target = b"GET /" + b"a" * 8300 + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    long_header = b"GET / HTTP/1.1\r\n" + HOST + (b"X: " + b"b" * 500 + b"\r\n") * 17 + b"\r\n"
    fits = b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"b" * 8000 + b"\r\n\r\n"
    for text, keeps, status in ((long_target, 0, 414), (long_header, 0, 431), (fits, 1, 200)):
        session = engine.connect(80)
        session.inbox += text
        session.peer_closed = True
        await finished(engine, session)
        assert session.delivered == text
        judge(session, [(text, keeps, status)])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def http_closes_with_its_peer(dut):
    """A peer that closes gets its answers first; half a request gets none."""
    engine = await begin(dut)
    await engine.listening_on(80)
    for text, answers in ((b"", 0), (b"GET / HT", 0), (REQUESTS[0][0] * 3, 3)):
        session = engine.connect(80)
        session.inbox += text
        session.peer_closed = True
        await finished(engine, session)
        judge(session, [REQUESTS[0]] * answers)


# ---- All together


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize((("idle", "backpressure"), STALLS))
async def survives_resets_at_any_time(dut, idle, backpressure):
    """Sessions of all applications come and go, most by a reset; their ids are used again at once.
    In the end everything still works, and nobody has seen another's data."""
    engine = await begin(
        dut, idle=idle, backpressure=backpressure, refuse=0.3, ring=700, slices=(1, 300)
    )
    await engine.listening_on(*PORTS.values())
    count = {kind: 0 for kind in Kind}
    for _ in range(40):
        app = random.randrange(4)
        session = engine.connect(PORTS[app])
        if session:
            stamp = bytes([app, session.id, session.generation]) * random.randrange(1, 200)
            request = random.choice(REQUESTS)[0]
            session.inbox += request * random.randrange(4) if app == HTTP else stamp
            session.peer_closed = random.random() < 0.5
            session.reading = random.random() < 0.7
            session.plan = stamp if app == ECHO else b""
        await clocks(dut, random.randrange(80))
        alive = [s for s in engine.sessions if s]
        if alive and random.random() < 0.7:
            victim = random.choice(alive)
            engine.reset(victim, random.choice(FINAL))
            if victim.app == ECHO:
                assert victim.plan.startswith(bytes(victim.outbox))
            elif victim.app == SOURCE:
                assert victim.outbox == chargen(len(victim.outbox))
            elif victim.app == HTTP and victim.outbox:
                assert victim.outbox.startswith(b"HTTP/1.1 "[: len(victim.outbox)])
    for session in [s for s in engine.sessions if s]:
        engine.reset(session)
    await engine.until(lambda: not any(engine.sessions))
    for kind, _ in engine.log:
        count[kind] += 1
    assert count[Kind.ACCEPTED] == count[Kind.CLOSED] + count[Kind.RESET] + count[Kind.TIMED_OUT]

    echo, http, source = engine.connect(7), engine.connect(80), engine.connect(19)
    echo.inbox += b"all well?"
    http.inbox += REQUESTS[0][0]
    echo.peer_closed = http.peer_closed = True
    await finished(engine, echo, http)
    assert echo.outbox == b"all well?"
    judge(http, REQUESTS[:1])
    await engine.until(lambda: len(source.outbox) > 1000)
    assert source.outbox == chargen(len(source.outbox))


# ---- The external port


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(pause=[None, "sometimes"])
async def external_application_works(dut, pause):
    """Listen, accept, receive, send, close: the engine's interface as if nothing were between."""
    engine, external = await begin_external(dut, pause, slices=(1, 600))
    external.command.send(word=pack(COMMAND, op=Command.LISTEN, tag=42, app=0, local_port=4000))
    await engine.listening_on(4000)
    assert engine.listening[4000] == EXTERNAL
    session = engine.connect(4000)
    sent = random.randbytes(2000)
    session.inbox += sent
    session.peer_closed = True
    taken = granted = 0
    while granted < len(sent):
        await external.query.wait(taken + 1)
        offer = unpack(OFFER, external.query.transfers[taken]["word"])
        taken += 1
        assert offer["id"] == session.id and offer["generation"] == session.generation
        assert not external.events(Kind.PEER_CLOSED)
        length = random.randint(0, offer["length"])
        external.grant.send(length=length)
        granted += length
    await engine.until(lambda: sum(len(p) for p in external.rx.packets) >= len(sent))
    assert b"".join(p.data for p in external.rx.packets) == sent
    assert all(p.sideband["session"] == session.name for p in external.rx.packets)
    reply = random.randbytes(1000)
    name = {"generation": session.generation, "id": session.id}
    external.request.send(word=pack(OFFER, length=len(reply), **name))
    (status,) = await external.status.wait(1)
    assert unpack(STATUS, status["word"])["error"] == Tx.OK
    external.tx.send(reply)
    await external.tx.drained()
    external.command.send(word=pack(COMMAND, op=Command.CLOSE, tag=43, **name))
    await finished(engine, session)
    assert session.outbox == reply and session.final == Kind.CLOSED
    await engine.until(lambda: external.events(Kind.CLOSED))
    tags = [(e["tag"], e["result"]) for e in external.events(Kind.RESULT)]
    assert tags == [(42, Result.OK), (43, Result.OK)]
    assert len(external.events(Kind.ACCEPTED)) == len(external.events(Kind.PEER_CLOSED)) == 1
    assert not dut.ext_event_lost_o.value


async def check_echo(engine, data=b"not stalled"):
    session = engine.connect(7)
    session.inbox += data
    session.peer_closed = True
    await finished(engine, session)
    assert session.outbox == data


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def external_application_may_sleep(dut):
    """It takes no event, answers no query, gives no grant: the others do not notice. When it wakes
    up, its data is all there."""
    engine, external = await begin_external(dut, slices=(1, 600))
    external.command.send(word=pack(COMMAND, op=Command.LISTEN, local_port=4000))
    await engine.listening_on(4000, 7)

    def sleepy():
        while True:
            yield True

    external.event.pause = external.query.pause = external.rx.pause = sleepy()
    sleeper = engine.connect(4000)
    sleeper.inbox += (sent := random.randbytes(900))
    await engine.until(lambda: engine.refused_grants > 5)
    for _ in range(5):
        await check_echo(engine)
    assert len(sleeper.inbox) == 900

    # It takes queries and owes a grant.
    external.query.pause = iter(lambda: False, None)
    for _ in range(3):
        await check_echo(engine)
    assert len(external.query.transfers) == 1 and len(sleeper.inbox) == 900
    # The late grant is void: the query comes again, and no packet before it.
    external.grant.send(length=1)
    answered = 1
    while sleeper.inbox:
        await external.query.wait(answered + 1)
        offer = unpack(OFFER, external.query.transfers[answered]["word"])
        answered += 1
        external.grant.send(length=offer["length"])
        left = len(sleeper.inbox)
        await engine.until(
            lambda n=left, q=answered: len(sleeper.inbox) < n or len(external.query.transfers) > q
        )
    for _ in range(3):
        await check_echo(engine)
    external.event.pause = external.rx.pause = iter(lambda: False, None)
    await engine.until(lambda: sum(len(p) for p in external.rx.packets) == 900)
    assert b"".join(p.data for p in external.rx.packets) == sent
    await engine.until(lambda: external.events(Kind.ACCEPTED))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def external_application_may_break_its_word(dut):
    """TxOk, and then no packet, half a packet, or too much: the engine gets what was announced, the
    session is aborted, the others go on, and so does the application."""
    engine, external = await begin_external(dut)
    external.command.send(word=pack(COMMAND, op=Command.LISTEN, local_port=4000))
    await engine.listening_on(4000, 7)
    beat = parameter("DataWidth") // 8
    aborted = 0
    for announced, given in ((500, 0), (500, 3 * beat), (500, 500 + 2 * beat), (500, 499), (9, 9)):
        session = engine.connect(4000)
        await engine.until(lambda s=session: s.accepted)
        statuses = len(external.status.transfers)
        name = {"generation": session.generation, "id": session.id}
        external.request.send(word=pack(OFFER, length=announced, **name))
        await external.status.wait(statuses + 1)
        data = random.randbytes(given)
        if given:
            external.tx.send(data)
        await check_echo(engine)
        if given == announced:
            assert session.outbox == data and not session.aborted
            continue
        aborted += 1
        await finished(engine, session)
        assert session.final == Kind.CLOSED and session.aborted
        assert len(session.outbox) == announced
        common = min(given, announced) // beat * beat
        assert session.outbox[:common] == data[:common]
        await engine.until(
            lambda n=aborted: len([e for e in external.events(Kind.RESULT) if e["tag"] == 255]) == n
        )
        if not given:  # the packet that is owed is taken and dropped
            external.tx.send(bytes(announced))
            await external.tx.drained()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def external_events_overflow_alone(dut):
    """An application that never takes events loses some, and is told so; the others lose none."""
    engine, external = await begin_external(dut)
    external.command.send(word=pack(COMMAND, op=Command.LISTEN, local_port=4000))
    await engine.listening_on(4000, 7)
    external.event.pause = iter(lambda: True, None)
    lost = []

    async def count():
        while True:
            await RisingEdge(dut.clk)
            if dut.ext_event_lost_o.value:
                lost.append(1)

    cocotb.start_soon(count())
    for _ in range(3 * CONNECTIONS):
        session = engine.connect(4000)
        await engine.until(lambda s=session: s.accepted)
        engine.reset(session)
        await finished(engine, session)
    await check_echo(engine)
    told = 1 + 2 * 3 * CONNECTIONS
    external.event.pause = iter(lambda: False, None)
    await clocks(dut, 20 * CONNECTIONS)
    assert len(external.events()) == 4 * CONNECTIONS
    assert len(lost) == told - 4 * CONNECTIONS


@pytest.mark.parametrize(
    ("data_width", "cut_through"), some([(64, 0), (512, 1), (64, 1), (512, 0)], 2)
)
def test_server_apps(data_width, cut_through):
    simulate(
        top="server_apps", core="apps", test_module=__file__,
        parameters={
            "DataWidth": data_width, "Connections": CONNECTIONS, "CutThrough": cut_through,
        },
    )  # fmt: skip
