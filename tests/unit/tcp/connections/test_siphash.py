# SPDX-License-Identifier: Apache-2.0
"""siphash, siphash_narrow: the published vectors, and random messages against a model that gives
them too."""

import random

import cocotb
import pytest

from models.siphash import VECTOR_KEY, VECTORS, siphash
from support.simulate import parameter, simulate
from support.streams import PATTERNS, StreamSink, StreamSource, start


def latency(length: int, narrow: bool) -> int:
    words = length // 8 + 1
    return 16 * words + 42 if narrow else 4 * words + 9


@cocotb.test()
async def gives_the_published_vectors(dut):
    length = parameter("MessageBytes")
    source, sink = StreamSource(dut, "s", ("message",)), StreamSink(dut, "m", ("hash",))
    await start(dut, key_i=int.from_bytes(VECTOR_KEY, "little"))
    source.send(message=int.from_bytes(bytes(range(length)), "little"))
    (transfer,) = await sink.wait(1)
    assert transfer["hash"].to_bytes(8, "little").hex() == VECTORS[length]
    assert sink.times[0] - source.times[0] == latency(length, "narrow" in dut._name)


@cocotb.test()
@cocotb.parametrize(idle=list(PATTERNS), backpressure=list(PATTERNS))
async def agrees_with_the_model(dut, idle, backpressure):
    length = parameter("MessageBytes")
    key = random.randbytes(16)
    source = StreamSource(dut, "s", ("message",), pause=PATTERNS[idle])
    sink = StreamSink(dut, "m", ("hash",), pause=PATTERNS[backpressure])
    await start(dut, key_i=int.from_bytes(key, "little"))
    messages = [random.randbytes(length) for _ in range(30)]
    for message in messages:
        source.send(message=int.from_bytes(message, "little"))
    transfers = await sink.wait(len(messages))
    assert [transfer["hash"] for transfer in transfers] == [siphash(key, m) for m in messages]


def test_model():
    for length, expected in VECTORS.items():
        hashed = siphash(VECTOR_KEY, bytes(range(length)))
        assert hashed.to_bytes(8, "little").hex() == expected


# One word, and two that are padded in different ways.
@pytest.mark.parametrize("length", [7, 8, 15])
@pytest.mark.parametrize("top", ["siphash", "siphash_narrow"])
def test_siphash(top, length):
    simulate(
        top=top,
        test_module=__file__,
        core="connections",
        parameters={"MessageBytes": length},
    )
