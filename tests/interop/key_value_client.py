# SPDX-License-Identifier: Apache-2.0
"""The client library `redis` against the key-value store: random commands, compared with a dict.

Runs inside the network namespace. Prints one line of JSON; any difference ends it with an error.
"""

import argparse
import json
import random
import threading

import redis

ENGINE = "10.77.0.2"
MAX_KEY, MAX_VALUE = 32, 64


def client(timeout: float, version: int = 3) -> redis.Redis:
    return redis.Redis(ENGINE, socket_timeout=timeout, protocol=version)


class Comparison:
    """One connection with keys of its own, and what they must hold."""

    def __init__(self, number: int, seed: int, timeout: float) -> None:
        self.random = random.Random(seed * 1000 + number)
        self.server = client(timeout, version=2 + number % 2)
        self.keys = [f"{number}:{i}".encode() for i in range(6)]
        self.values: dict[bytes, bytes] = {}
        self.commands = 0

    def run(self, commands: int) -> None:
        while self.commands < commands:
            if self.random.random() < 0.3:
                self._pipeline()
            else:
                self._one()
        assert sum(self.server.exists(key) for key in self.keys) == len(self.values)

    def _value(self) -> bytes:
        if self.random.random() < 0.4:
            return b"%d" % self.random.randint(-(2**40), 2**40)
        return self.random.randbytes(self.random.randint(0, MAX_VALUE))

    def _one(self) -> None:
        self.commands += 1
        key = self.random.choice(self.keys)
        draw = self.random.randrange(7)
        if draw < 2:
            value = self._value()
            assert self.server.set(key, value) is True
            self.values[key] = value
        elif draw < 4:
            assert self.server.get(key) == self.values.get(key)
        elif draw == 4:
            assert self.server.strlen(key) == len(self.values.get(key, b""))
        elif draw == 5:
            assert self.server.delete(key) == (self.values.pop(key, None) is not None)
        else:
            self._add(key)

    def _add(self, key: bytes) -> None:
        amount = self.random.randint(-1000, 1000)
        try:
            total = int(text := self.values.get(key, b"0")) + amount
            if b"%d" % (total - amount) != text:
                raise ValueError
        except ValueError:
            try:
                self.server.incrby(key, amount)
            except redis.ResponseError as error:
                assert "not an integer" in str(error)
                return
            raise AssertionError(f"{self.values[key]!r} was taken for an integer") from None
        assert self.server.incrby(key, amount) == total
        self.values[key] = b"%d" % total

    def _pipeline(self) -> None:
        """Commands in one go, answers in order."""
        pipeline = self.server.pipeline(transaction=False)
        expected = []
        for _ in range(self.random.randint(2, 20)):
            self.commands += 1
            key = self.random.choice(self.keys)
            if self.random.random() < 0.5:
                value = self._value()
                pipeline.set(key, value)
                expected.append(True)
                self.values[key] = value
            else:
                pipeline.get(key)
                expected.append(self.values.get(key))
        assert pipeline.execute() == expected


def compare(arguments) -> dict:
    """As many connections as told, all at once, with random commands."""
    comparisons = [
        Comparison(i, arguments.seed, arguments.timeout) for i in range(arguments.connections)
    ]
    failures: list[BaseException] = []

    def one(comparison: Comparison) -> None:
        try:
            comparison.run(arguments.commands)
        except (AssertionError, redis.RedisError, OSError) as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=(c,)) for c in comparisons]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    left = sum(len(c.values) for c in comparisons)
    server = client(arguments.timeout)
    assert server.dbsize() == left, (server.dbsize(), left)
    assert server.flushall() and server.dbsize() == 0
    return {"commands": sum(c.commands for c in comparisons), "keys": left}


def refusals(arguments) -> dict:
    """What the store does not do, it says, and the connection lives on."""
    server = client(arguments.timeout)
    said = {}
    for command in (
        ["LPUSH", "a", "b"], ["SET", "k" * (MAX_KEY + 1), "v"], ["SET", "k", "v" * (MAX_VALUE + 1)],
        ["SET", "k", "v", "EX", "10"], ["GET"], ["SELECT", "1"], ["HELLO", "4"],
    ):  # fmt: skip
        try:
            server.execute_command(*command)
        except redis.ResponseError as error:
            said[" ".join(command)[:12]] = str(error)
    assert len(said) == 7, said
    kept = 0
    try:
        for kept in range(10_000):
            server.set(f"key:{kept}", kept)
    except redis.OutOfMemoryError as error:
        said["full"] = str(error)
    assert server.dbsize() == kept > 100
    for i in range(kept):
        assert server.get(f"key:{i}") == b"%d" % i
    server.flushall()
    assert server.ping()
    return said


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=("compare", "refusals"))
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    arguments = parser.parse_args()
    print(json.dumps(globals()[arguments.case](arguments)))


if __name__ == "__main__":
    main()
