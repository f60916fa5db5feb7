# SPDX-License-Identifier: Apache-2.0
"""app_key_value behind server_apps against a model of it, with peers that cut their requests
anywhere, stall and close."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from models.app_engine import Engine, Kind, Tx
from models.key_value import (
    FULL,
    LONG_VALUE,
    MAX_KEY,
    MAX_VALUE,
    OK,
    PORT,
    UNKNOWN,
    Store,
    integer,
    request,
)
from support import extent
from support.simulate import parameter, simulate
from support.streams import clocks, start

CONNECTIONS = 8
KEY_VALUE = 4  # apps_pkg::KeyValueApp
STALLS = [("never", "never"), ("sometimes", "bursts"), ("mostly", "mostly")]

INTEGERS = [
    b"0", b"1", b"-1", b"9", b"10", b"-10", b"99", b"100", b"12345", b"9223372036854775807",
    b"-9223372036854775808", b"9223372036854775806", b"-9223372036854775807",
    b"4611686018427387904",
]  # fmt: skip
NO_INTEGERS = [
    b"", b"-", b"01", b"-0", b"+1", b" 1", b"1 ", b"1.5", b"x", b"9223372036854775808", b"--1",
    b"1-",
    b"-9223372036854775809", b"18446744073709551616", b"99999999999999999999", b"0" * 30,
]  # fmt: skip


async def begin(dut, **options) -> Engine:
    for name in ("event", "query", "rx", "tx_status"):
        getattr(dut, f"m_ext_{name}_ready").value = 0
    for name in ("command", "grant", "tx_request", "tx"):
        getattr(dut, f"s_ext_{name}_valid").value = 0
    engine = Engine(dut, connections=CONNECTIONS, **options)
    await start(dut, enable_i=1 << KEY_VALUE, statistics_i=0)
    await engine.listening_on(PORT)
    return engine


async def exchange(engine, session, text: bytes, expected: bytes, clocks: int = 60_000) -> None:
    """The peer sends the text, and gets just that."""
    before = len(session.outbox)
    session.inbox += text

    def answered():
        return len(session.outbox) - before >= len(expected)

    await engine.until(answered, clocks)
    found = bytes(session.outbox[before:])
    assert found == expected, (text[:200], found[:200], expected[:200])


async def finished(engine, *sessions) -> None:
    def all_final():
        return all(s.final for s in sessions)

    await engine.until(all_final)


class Client:
    """Random commands on keys of its own, and what they are answered."""

    def __init__(self, number: int) -> None:
        self.random = random.Random(random.getrandbits(64))
        self.store = Store()
        most = self.random.choice([1, 4, MAX_KEY - 1])
        self.keys = [bytes([65 + number]) + self._text(0, most) for _ in range(4)]

    def _text(self, least: int, most: int) -> bytes:
        return self.random.randbytes(self.random.randint(least, most))

    def _value(self) -> bytes:
        return self.random.choice(
            [b"", self._text(1, 4), self._text(MAX_VALUE, MAX_VALUE), self._text(0, MAX_VALUE),
             self.random.choice(INTEGERS), self.random.choice(NO_INTEGERS),
             self._text(MAX_VALUE + 1, 3 * MAX_VALUE)]
        )  # fmt: skip

    def command(self) -> list[bytes]:
        draw = self.random.choice
        key = draw([*self.keys, *self.keys, *self.keys, self._text(MAX_KEY + 1, 3 * MAX_KEY)])
        amount = draw([*INTEGERS, *NO_INTEGERS, b"3", b"-7"])
        command = draw(
            [
                [b"SET", key, self._value()], [b"SET", key, self._value()],
                [b"SET", key, draw(INTEGERS)], [b"GET", key], [b"GET", key], [b"STRLEN", key],
                [b"EXISTS", *self.random.choices(self.keys, k=self.random.randint(1, 5)), key],
                [b"DEL", *self.random.choices(self.keys, k=self.random.randint(0, 2)), key],
                [b"INCR", key], [b"DECR", key], [b"INCRBY", key, amount], [b"DECRBY", key, amount],
                [b"PING"], [b"PING", self._value()], [b"ECHO", self._value()],
                [b"COMMAND", b"DOCS"], [b"CONFIG", b"GET", b"save"],
                [b"HELLO", *draw([[], [b"2"], [b"3"], [b"3"], [b"4"], [b"x"], [b"3", b"AUTH"]])],
                [b"SELECT", draw([b"0", b"0", b"1", b"-1", b"", b"x"])],
                [draw([b"GETS", b"SE", b"", b"FLUSHALLS", b"\0GET", b"G\xc5T"]), key],
                [draw([b"GET", b"SET", b"DEL", b"INCR", b"ECHO", b"STRLEN", b"INCRBY", b"CONFIG"])],
                [draw([b"GET", b"PING", b"DBSIZE", b"INCR", b"INCRBY", b"SET", b"SELECT"]), key,
                 b"1", *[b"more"] * self.random.randint(1, 9)],
            ]
        )  # fmt: skip
        name = command[0]
        cased = bytes(c ^ 0x20 if 65 <= c < 91 and self.random.random() < 0.4 else c for c in name)
        return [cased, *command[1:]]

    def inline(self, command: list[bytes]) -> bytes:
        """The same as a line, if its words allow; else as clients send it."""
        words = b"".join(command)
        plain = all(command) and not any(c <= 32 for c in words) and not words.startswith(b"*")
        blanks = [self.random.choice([b" ", b"  ", b"\t"]) for _ in command]
        line = b"".join(a + b for a, b in zip(blanks, command)) + self.random.choice([b"", b" "])
        line = line.lstrip(b"\t ") if self.random.random() < 0.5 else line
        # A line that begins with blanks is no line to the parser before its first word.
        if not plain or len(line) >= MAX_KEY + MAX_VALUE or self.random.random() < 0.5:
            return request(*command)
        return line + self.random.choice([b"\r\n", b"\n"])

    def batch(self, count: int) -> tuple[bytes, bytes]:
        """Text of so many commands, and of their replies."""
        text, replies = b"", b""
        for _ in range(count):
            command = self.command()
            text += self.random.choice([b"", b"", b"\r\n", b"*0\r\n", b"*-1\r\n"])
            text += self.inline(command)
            replies += self.store.execute(*command)
        return text, replies


@cocotb.test(timeout_time=4, timeout_unit="ms")
@cocotb.parametrize(
    (("idle", "backpressure"), STALLS), (("slices", "ring"), [((1, 40), 300), ((1, 1500), 4000)])
)
async def answers_as_the_model_does(dut, idle, backpressure, slices, ring):
    """Several connections mixed, requests cut anywhere and one behind the other."""
    engine = await begin(
        dut, idle=idle, backpressure=backpressure, slices=slices, ring=ring, refuse=0.2
    )
    plans = []
    for i in range(6):
        client = Client(i)
        text, replies = client.batch(30)
        session = engine.connect(PORT)
        session.inbox += text
        session.peer_closed = True
        plans.append((session, replies))
    await engine.until(lambda: all(s.final for s, _ in plans), 400_000)
    for session, replies in plans:
        assert session.final == Kind.CLOSED
        assert bytes(session.outbox) == replies, first_difference(session.outbox, replies)


def first_difference(found: bytes, expected: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), len(expected))
    begin = max(0, at - 60)
    return f"at {at}: {bytes(found[begin : at + 40])} instead of {expected[begin : at + 40]}"


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def keeps_what_it_has_when_it_is_full(dut):
    """New keys are refused once there is no room, all others are still there; room comes again with
    DEL and FLUSHALL."""
    engine = await begin(dut, slices=(1, 1500))
    session = engine.connect(PORT)
    places = parameter("Keys")
    kept: dict[bytes, bytes] = {}
    refused = []
    for i in range(places + 20):
        key, value = b"key:%012d" % i, b"%x" % random.getrandbits(100)
        before = len(session.outbox)
        session.inbox += request(b"SET", key, value)
        await engine.until(lambda n=before: session.outbox[n:].endswith(b"\r\n"))
        reply = bytes(session.outbox[before:])
        assert reply in (OK, FULL)
        if reply == OK:
            kept[key] = value
        else:
            refused.append(key)
            await exchange(engine, session, request(b"INCR", key), FULL)
    assert len(kept) > 0.7 * places and refused, f"{len(kept)} of {places}"
    await exchange(engine, session, request(b"DBSIZE"), integer(len(kept)))
    for key, value in kept.items():
        await exchange(
            engine, session, request(b"GET", key), b"$%d\r\n%s\r\n" % (len(value), value)
        )
    for key in refused:
        await exchange(engine, session, request(b"GET", key), b"$-1\r\n")
    # What is there can be changed, and what is deleted makes room.
    some = random.sample(sorted(kept), 5)
    for key in some:
        await exchange(engine, session, request(b"SET", key, b"new"), OK)
        await exchange(engine, session, request(b"GET", key), b"$3\r\nnew\r\n")
        await exchange(engine, session, request(b"DEL", key, key), integer(1))
        await exchange(engine, session, request(b"EXISTS", key), integer(0))
        await exchange(engine, session, request(b"INCR", key), integer(1))
    await exchange(engine, session, request(b"FLUSHALL"), OK)
    await exchange(engine, session, request(b"DBSIZE"), integer(0))
    for key in refused[:5]:
        await exchange(engine, session, request(b"SET", key, b""), OK)
        await exchange(engine, session, request(b"GET", key), b"$0\r\n\r\n")


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def closes_on_what_is_no_protocol(dut):
    """An error, then the end; what came before is answered, what comes after is not."""
    engine = await begin(dut, slices=(1, 90))
    faults = {
        b"*x\r\n": b"invalid multibulk length",
        b"*\r\n": b"invalid multibulk length",
        b"*01\r\n": b"invalid multibulk length",
        b"*1048577\r\n": b"invalid multibulk length",
        b"*99999999999\r\n": b"invalid multibulk length",
        b"*1\r\n:1\r\n": b"expected '$'",
        b"*1\r\n$-1\r\n": b"invalid bulk length",
        b"*2\r\n$3\r\nGET\r\n$536870913\r\n": b"invalid bulk length",
        b"*1\r\n$4x\r\n": b"invalid bulk length",
        b"GET " + b"x" * (MAX_KEY + MAX_VALUE): b"too big inline request",
    }
    for text, fault in faults.items():
        session = engine.connect(PORT)
        error = b"-ERR Protocol error: " + fault + b"\r\n"
        after = request(b"PING") + bytes(500)
        session.inbox += request(b"ECHO", b"a") + text + after
        await engine.until(lambda s=session: s.closed)
        assert bytes(session.outbox) == b"$1\r\na\r\n" + error, (text, bytes(session.outbox))
        session.peer_closed = True
        await finished(engine, session)
    session = engine.connect(PORT)
    session.inbox += b"ping\r\nquit\r\nping\r\n"
    session.peer_closed = True
    await finished(engine, session)
    assert bytes(session.outbox) == b"+PONG\r\n+OK\r\n"


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def who_does_not_read_waits_alone(dut):
    """A client that asks and asks and does not read: its commands wait, those of others do not, and
    none is lost or executed twice."""
    engine = await begin(dut, slices=(1, 700), ring=200)
    stalled, other = engine.connect(PORT), engine.connect(PORT)
    stalled.reading = False
    stalled.inbox += request(b"INCR", b"count") * 100
    await engine.until(lambda: stalled.unacked > 190)
    for i in range(20):
        await exchange(engine, other, request(b"SET", b"k", b"%d" % i), OK)
        await exchange(engine, other, b"get k\r\n", b"$%d\r\n%d\r\n" % (len(b"%d" % i), i))
    # It has taken effect as often as it was answered.
    done = stalled.outbox.count(b"\r\n")
    await exchange(engine, other, b"GET count\r\n", b"$%d\r\n%d\r\n" % (len(b"%d" % done), done))
    assert len(stalled.inbox) > 500 and done < 60
    stalled.reading = stalled.peer_closed = True
    await finished(engine, stalled)
    assert bytes(stalled.outbox) == b"".join(integer(i + 1) for i in range(100))


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def takes_what_is_too_long_in_its_stride(dut):
    too_long = 20_000 if extent.FULL else 4_000
    engine = await begin(dut, slices=(1, 1500))
    session = engine.connect(PORT)
    await exchange(engine, session, request(b"SET", b"k", bytes(too_long)), LONG_VALUE)
    await exchange(
        engine, session, request(b"x" * (5_000 if extent.FULL else 2_000), b"k"), UNKNOWN
    )
    await exchange(
        engine, session, request(*[b"DEL"] + [b"k%d" % i for i in range(300)]), b":0\r\n"
    )
    await exchange(engine, session, request(b"GET", b"k"), b"$-1\r\n")


@cocotb.test(timeout_time=4, timeout_unit="ms")
@cocotb.parametrize((("idle", "backpressure"), STALLS[:2]))
async def sessions_end_at_any_time(dut, idle, backpressure):
    """Resets, and ends told by the answer to a request, while ids are used again at once; nobody
    sees another's requests, and in the end all works."""
    engine = await begin(dut, idle=idle, backpressure=backpressure, slices=(1, 200), ring=300)
    for _ in range(120):
        session = engine.connect(PORT)
        if session:
            session.inbox += request(b"ECHO", b"%06x" % session.name) * random.randrange(1, 12)
            session.inbox = session.inbox[: random.randint(1, len(session.inbox))]
            session.reading = random.random() < 0.7
        await clocks(dut, random.randrange(60))
        if random.random() < 0.1:
            engine.errors.append(Tx.NO_CONNECTION)
        alive = [s for s in engine.sessions if s]
        if alive and random.random() < 0.8:
            victim = random.choice(alive)
            engine.reset(victim)
            own = b"$6\r\n%06x\r\n" % victim.name
            assert (own * 12).startswith(bytes(victim.outbox)), bytes(victim.outbox)
    for session in [s for s in engine.sessions if s]:
        engine.reset(session)
    await engine.until(lambda: not any(engine.sessions))
    engine.errors.clear()
    session = engine.connect(PORT)
    await exchange(engine, session, request(b"SET", b"a", b"b"), OK)
    await exchange(engine, session, request(b"GET", b"a"), b"$1\r\nb\r\n")


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def is_as_fast_as_it_says(dut):
    """Clocks for a command among others of its kind (rtl/apps/README.md)."""
    engine = await begin(dut, slices=(1500, 1500), ring=1 << 16)
    session = engine.connect(PORT)
    key, value = b"key:000000000042", b"xxx"
    limits = {b"PING": 70, b"GET": 130, b"SET": 160, b"INCR": 270}
    for name, limit in limits.items():
        rest = {b"PING": [], b"SET": [key, value]}.get(name, [key])
        if name == b"INCR":
            await exchange(engine, session, request(b"SET", key, b"41"), OK)
        begun = len(engine.request.times)
        session.inbox += request(name, *rest) * 20
        await engine.until(lambda n=begun: len(engine.request.times) == n + 20)
        spent = (engine.request.times[-1] - engine.request.times[begun]) / 19
        dut._log.info("%s: %.1f clocks", name.decode(), spent)
        assert spent <= limit, f"{name}: {spent} clocks"
        while session.inbox or session.announced:
            await RisingEdge(dut.clk)


@pytest.mark.parametrize(
    ("data_width", "cut_through"), extent.some([(64, 1), (512, 0), (64, 0)], 2)
)
def test_app_key_value(data_width, cut_through):
    simulate(
        top="server_apps", core="apps", test_module=__file__,
        parameters={
            "DataWidth": data_width, "Connections": CONNECTIONS, "Keys": 64,
            "CutThrough": cut_through,
        },
    )  # fmt: skip
