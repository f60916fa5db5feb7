# SPDX-License-Identifier: Apache-2.0
"""Clients of Redis as they are against the key-value store, over TAP."""

import csv
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

from support.laboratory import assert_every_frame_counted

pytestmark = pytest.mark.serial

CLIENT = Path(__file__).with_name("key_value_client.py")
IMPAIRED = {"loss": 0.01, "reorder": 0.01, "duplicate": 0.01, "corrupt": 0.01, "delay_s": 200e-6}


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is missing: `apt-get install redis-tools` adds it")


def run_client(lab, case: str, timeout: float = 200, **options) -> dict:
    if importlib.util.find_spec("redis") is None:
        pytest.skip("the Python package redis is missing: `make setup` adds it")
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    done = lab.command(sys.executable, str(CLIENT), case, *words, timeout=timeout)
    assert done.returncode == 0, f"{case}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


def test_redis_cli(laboratory):
    need("redis-cli")
    dialogue = [
        (["ping"], "PONG"), (["ping", "hello there"], "hello there"),
        (["set", "name", "Ada"], "OK"),
        (["get", "name"], "Ada"), (["get", "nobody"], ""), (["strlen", "name"], "3"),
        (["incr", "visits"], "1"), (["incrby", "visits", "41"], "42"), (["decr", "visits"], "41"),
        (["exists", "name", "visits", "nobody"], "2"), (["dbsize"], "2"),
        (["del", "name", "nobody"], "1"), (["incr", "name"], "1"), (["flushall"], "OK"),
        (["dbsize"], "0"), (["lpush", "a", "b"], "ERR unknown command"),
    ]  # fmt: skip
    with laboratory() as lab:
        for words, expected in dialogue:
            done = lab.command("redis-cli", "-h", "10.77.0.2", *words, timeout=20)
            assert done.stdout.strip() == expected, (words, done.stdout, done.stderr)
        # Many over one connection.
        script = "for i in $(seq 40); do echo set key$i $i; echo get key$i; done"
        done = lab.command("sh", "-c", f"({script}) | redis-cli -h 10.77.0.2", timeout=60)
        assert done.stdout.split() == [word for i in range(1, 41) for word in ("OK", str(i))]
        # redis-cli's own way of loading many: it asks for an echo at the end.
        load = "for i in $(seq 60); do printf 'set bulk%d %d\\r\\n' $i $i; done"
        done = lab.command("sh", "-c", f"({load}) | redis-cli -h 10.77.0.2 --pipe", timeout=60)
        assert "errors: 0, replies: 60" in done.stdout, done.stdout + done.stderr
    assert_every_frame_counted(lab.final())


@pytest.mark.parametrize("pipeline", [1, 16])
def test_redis_benchmark(laboratory, pipeline):
    need("redis-benchmark")
    with laboratory() as lab:
        done = lab.command(
            *("redis-benchmark", "-h", "10.77.0.2", "-t", "ping,set,get,incr", "-n", "200"),
            *("-c", "8", "-P", str(pipeline), "-r", "50", "--csv"), timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        rows = {row["test"]: float(row["rps"]) for row in csv.DictReader(done.stdout.splitlines())}
        assert set(rows) >= {"PING_INLINE", "PING_MBULK", "SET", "GET", "INCR"}, done.stdout
        assert all(rows.values())
        # A key for each of 50 numbers at most.
        assert 1 <= int(lab.command("redis-cli", "-h", "10.77.0.2", "dbsize").stdout) <= 101


def test_python_client(laboratory):
    with laboratory() as lab:
        assert run_client(lab, "compare", connections=6, commands=150)["commands"] >= 900
        said = run_client(lab, "refusals")
        assert "room" in said["full"]
    assert_every_frame_counted(lab.final())


@pytest.mark.parametrize(("preset", "width"), [("small", 64), ("low-latency", 64), ("small", 512)])
def test_python_client_over_a_bad_link(laboratory, preset, width):
    with laboratory(preset=preset, width=width, seed=11, **IMPAIRED) as lab:
        run_client(lab, "compare", timeout=400, connections=4, commands=80, seed=2)
    counters = lab.final()
    assert counters["counters_tcp_retransmitted_segments"] > 0
    assert_every_frame_counted(counters)
