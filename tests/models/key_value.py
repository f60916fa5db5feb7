# SPDX-License-Identifier: Apache-2.0
"""The key-value store of rtl/apps as a program: what it answers to a command."""

from collections.abc import Iterable

PORT = 6379  # apps_pkg::KeyValuePort
MAX_KEY, MAX_VALUE = 32, 64  # of app_key_value

OK, NULL, EMPTY = b"+OK\r\n", b"$-1\r\n", b"*0\r\n"
ARGUMENTS = b"-ERR wrong number of arguments\r\n"
SYNTAX = b"-ERR syntax error\r\n"
UNKNOWN = b"-ERR unknown command\r\n"
LONG_KEY = b"-ERR key is too long\r\n"
LONG_VALUE = b"-ERR value is too long\r\n"
NO_INTEGER = b"-ERR value is not an integer or out of range\r\n"
OVERFLOW = b"-ERR increment or decrement would overflow\r\n"
DATABASE = b"-ERR DB index is out of range\r\n"
VERSION = b"-NOPROTO unsupported protocol version\r\n"
FULL = b"-OOM there is no room for another key\r\n"


def request(*arguments: bytes) -> bytes:
    """A command as clients send it."""
    parts = [b"*%d\r\n" % len(arguments)]
    parts += [b"$%d\r\n%s\r\n" % (len(argument), argument) for argument in arguments]
    return b"".join(parts)


def bulk(value: bytes) -> bytes:
    return b"$%d\r\n%s\r\n" % (len(value), value)


def integer(value: int) -> bytes:
    return b":%d\r\n" % value


def number(text: bytes) -> int | None:
    """The integer of 64 bits that a text is, as Redis reads it."""
    try:
        value = int(text)
    except ValueError:
        return None
    return value if b"%d" % value == text and -(2**63) <= value < 2**63 else None


class Store:
    """Keys of one database, and the version of the protocol that one client has asked for. It is
    never full."""

    def __init__(self, max_key: int = MAX_KEY, max_value: int = MAX_VALUE) -> None:
        self.values: dict[bytes, bytes] = {}
        self.max_key, self.max_value = max_key, max_value
        self.version = 2

    def execute(self, *arguments: bytes) -> bytes:
        name, *rest = arguments
        method = getattr(self, "_" + name.decode("latin-1").lower(), None)
        return method(*rest) if method else UNKNOWN

    # ---- Without a key

    def _command(self, *_: bytes) -> bytes:
        return EMPTY

    def _config(self, *rest: bytes) -> bytes:
        if not rest:
            return ARGUMENTS
        return b"%0\r\n" if self.version == 3 else EMPTY

    def _hello(self, *rest: bytes) -> bytes:
        if len(rest) > 1:
            return SYNTAX
        if rest and len(rest[0]) > self.max_value:
            return LONG_VALUE
        if rest and number(rest[0]) not in (2, 3):
            return VERSION
        if rest:
            self.version = int(rest[0])
        told = bulk(b"server") + bulk(b"toehold") + bulk(b"proto") + integer(self.version)
        return (b"%2\r\n" if self.version == 3 else b"*4\r\n") + told

    def _quit(self, *_: bytes) -> bytes:
        return OK

    def _ping(self, *rest: bytes) -> bytes:
        return self._echo(*rest) if rest else b"+PONG\r\n"

    def _echo(self, *rest: bytes) -> bytes:
        if len(rest) != 1:
            return ARGUMENTS
        return LONG_VALUE if len(rest[0]) > self.max_value else bulk(rest[0])

    def _select(self, *rest: bytes) -> bytes:
        if len(rest) != 1:
            return ARGUMENTS
        if len(rest[0]) > self.max_value:
            return LONG_VALUE
        return OK if number(rest[0]) == 0 else DATABASE

    def _dbsize(self, *rest: bytes) -> bytes:
        return ARGUMENTS if rest else integer(len(self.values))

    def _flushall(self, *_: bytes) -> bytes:
        self.values.clear()
        return OK

    _flushdb = _flushall

    # ---- With keys

    def _known(self, keys: Iterable[bytes]) -> list[bytes]:
        return [key for key in keys if key in self.values]

    def _exists(self, *keys: bytes) -> bytes:
        return integer(len(self._known(keys))) if keys else ARGUMENTS

    def _del(self, *keys: bytes) -> bytes:
        if not keys:
            return ARGUMENTS
        return integer(sum(self.values.pop(key, None) is not None for key in keys))

    def _get(self, *rest: bytes) -> bytes:
        if len(rest) != 1:
            return ARGUMENTS
        if len(rest[0]) > self.max_key:
            return LONG_KEY
        value = self.values.get(rest[0])
        if value is None:
            return b"_\r\n" if self.version == 3 else NULL
        return bulk(value)

    def _strlen(self, *rest: bytes) -> bytes:
        if len(rest) != 1:
            return ARGUMENTS
        if len(rest[0]) > self.max_key:
            return LONG_KEY
        return integer(len(self.values.get(rest[0], b"")))

    def _set(self, *rest: bytes) -> bytes:
        if len(rest) != 2:
            return ARGUMENTS if len(rest) < 2 else SYNTAX
        key, value = rest
        if len(key) > self.max_key:
            return LONG_KEY
        if len(value) > self.max_value:
            return LONG_VALUE
        self.values[key] = value
        return OK

    def _incr(self, *rest: bytes) -> bytes:
        return self._add(1, *rest, b"1") if len(rest) == 1 else ARGUMENTS

    def _decr(self, *rest: bytes) -> bytes:
        return self._add(-1, *rest, b"1") if len(rest) == 1 else ARGUMENTS

    def _incrby(self, *rest: bytes) -> bytes:
        return self._add(1, *rest) if len(rest) == 2 else ARGUMENTS

    def _decrby(self, *rest: bytes) -> bytes:
        return self._add(-1, *rest) if len(rest) == 2 else ARGUMENTS

    def _add(self, sign: int, key: bytes, amount: bytes) -> bytes:
        if len(key) > self.max_key:
            return LONG_KEY
        if len(amount) > self.max_value:
            return LONG_VALUE
        value, step = number(self.values.get(key, b"0")), number(amount)
        if value is None or step is None:
            return NO_INTEGER
        total = value + sign * step
        if not -(2**63) <= total < 2**63:
            return OVERFLOW
        self.values[key] = b"%d" % total
        return integer(total)
