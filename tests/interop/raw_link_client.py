# SPDX-License-Identifier: Apache-2.0
"""A user of the raw link's C library, as a program of its own: it runs in a network namespace.

    raw_link_client.py LIBRARY INTERFACE MAC CASE [--frames N] [--loss P ...]

Prints what happened as JSON.
"""

import argparse
import ctypes
import errno
import json
import os
import random
import sys

FIELDS = """rx_frames delivered acknowledgements_in refusals_in drop_runt drop_size drop_action
drop_no_app drop_no_connection drop_table_full drop_duplicate drop_gap drop_in_use drop_overflow
lost opened closed tx_frames acknowledgements_out refusals_out retransmitted timeouts send_errors
impaired_lost impaired_reordered impaired_duplicated impaired_corrupted""".split()


class Impairment(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("loss", "reorder", "duplicate", "corrupt")]
    _fields_ += [("seed", ctypes.c_uint64)]


class Options(ctypes.Structure):
    _fields_ = [
        ("ether_type", ctypes.c_uint16), ("listen", ctypes.c_bool),
        ("max_connections", ctypes.c_uint), ("apps", ctypes.c_uint),
        ("window_frames", ctypes.c_uint), ("window_bytes", ctypes.c_size_t),
        ("receive_frames", ctypes.c_uint), ("retries", ctypes.c_uint),
        ("retransmit_min_us", ctypes.c_uint), ("retransmit_max_us", ctypes.c_uint),
        ("impairment", Impairment),
    ]  # fmt: skip


class Statistics(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in FIELDS]


class Failed(OSError):
    pass


class Library:
    def __init__(self, path: str) -> None:
        self.c = ctypes.CDLL(path, use_errno=True)
        self.c.rawlink_open.restype = self.c.rawlink_connect.restype = ctypes.c_void_p
        self.c.rawlink_receive.restype = ctypes.c_ssize_t

    def checked(self, name: str, *arguments):
        result = getattr(self.c, name)(*arguments)
        if result is None or result == -1:
            number = ctypes.get_errno()
            raise Failed(number, f"{name}: {os.strerror(number)}")
        return result


class Link:
    def __init__(self, library: Library, interface: str, **impairment) -> None:
        options = Options()
        library.c.rawlink_default_options(ctypes.byref(options))
        for name, value in impairment.items():
            setattr(options.impairment, name, value)
        self.library = library
        self.handle = ctypes.c_void_p(
            library.checked("rawlink_open", interface.encode(), ctypes.byref(options))
        )

    def connect(self, mac: bytes, app: int = 0, reliable: bool = True) -> ctypes.c_void_p:
        return ctypes.c_void_p(
            self.library.checked("rawlink_connect", self.handle, mac, app, reliable, 20_000)
        )

    def send(self, connection, data: bytes) -> None:
        self.library.checked("rawlink_send", connection, data, ctypes.c_size_t(len(data)), 30_000)

    def receive(self, connection, timeout_ms: int) -> bytes | None:
        buffer = ctypes.create_string_buffer(16383)
        try:
            size = self.library.checked(
                *("rawlink_receive", connection, buffer, ctypes.c_size_t(16383), None, timeout_ms)
            )
        except Failed as error:
            if error.errno == errno.ETIMEDOUT:
                return None
            raise
        return buffer.raw[:size]

    def flush(self, connection) -> None:
        self.library.checked("rawlink_flush", connection, 30_000)

    def disconnect(self, connection) -> None:
        self.library.checked("rawlink_disconnect", connection, 30_000)

    def statistics(self) -> dict[str, int]:
        values = Statistics()
        self.library.c.rawlink_get_statistics(self.handle, ctypes.byref(values))
        return {name: getattr(values, name) for name in FIELDS}

    def close(self) -> None:
        self.library.c.rawlink_close(self.handle)


def frames(count: int, longest: int) -> list[bytes]:
    """Each has its number first, so that no two are the same."""
    draw = random.Random(count)
    return [
        number.to_bytes(4, "big") + draw.randbytes(draw.choice([0, 1, 37, 38, 200, longest - 4]))
        for number in range(count)
    ]


def transfer(link: Link, mac: bytes, count: int, longest: int, reliable: bool) -> dict:
    """Frames to a pong, a few ahead of what comes back: which must be what was sent, in order."""
    connection = link.connect(mac, reliable=reliable)
    sent, received, place = frames(count, longest), 0, 0
    wrong = 0

    def take(timeout_ms: int) -> bool:
        nonlocal received, place, wrong
        data = link.receive(connection, timeout_ms)
        if data is None:
            return False
        received += 1
        while place < count and sent[place] != data:
            place += 1
        wrong += place == count  # out of order, repeated, or never sent
        place += 1
        return True

    for number, data in enumerate(sent):
        link.send(connection, data)
        while number - received > 8 and take(0):
            pass
    link.flush(connection)
    # What is repeated comes, if late: timeouts double, and the machine may have other things to do.
    while received < count and take(15_000 if reliable else 1500):
        pass
    link.disconnect(connection)
    return {"sent": count, "received": received, "wrong": wrong}


def fill(link: Link, mac: bytes, count: int) -> dict:
    """Opens connections until the other end has no room; closes one, and there is room again."""
    connections, refused = [], 0
    for _ in range(count):
        try:
            connections.append(link.connect(mac))
        except Failed as error:
            if error.errno != errno.ENOBUFS:
                raise
            refused += 1
    opened = len(connections)
    link.disconnect(connections.pop())
    connections.append(link.connect(mac))
    answers = 0
    for number, connection in enumerate(connections):
        link.send(connection, bytes([number] * 50))
        answers += link.receive(connection, 5000) == bytes([number] * 50)
    for connection in connections:
        link.disconnect(connection)
    return {"opened": opened, "refused": refused, "answers": answers}


def reuse(link: Link, mac: bytes, count: int) -> dict:
    """More connections, one after the other, than there are CIDs: each is used again."""
    answers = 0
    for number in range(count):
        connection = link.connect(mac, app=number % 4)
        data = number.to_bytes(2, "big") * 40
        link.send(connection, data)
        answers += link.receive(connection, 5000) == data
        link.disconnect(connection)
    return {"answers": answers}


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("library", "interface", "mac", "case"):
        parser.add_argument(name)
    parser.add_argument("--frames", type=int, default=500)
    parser.add_argument("--longest", type=int, default=1000)
    parser.add_argument("--unreliable", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    for name in ("loss", "reorder", "duplicate", "corrupt"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    given = parser.parse_args()
    impairment = {n: getattr(given, n) for n in ("loss", "reorder", "duplicate", "corrupt", "seed")}
    link = Link(Library(given.library), given.interface, **impairment)
    mac = bytes.fromhex(given.mac.replace(":", ""))
    try:
        if given.case == "transfer":
            result = transfer(link, mac, given.frames, given.longest, not given.unreliable)
        else:
            result = {"fill": fill, "reuse": reuse}[given.case](link, mac, given.frames)
        print(json.dumps(result | {"statistics": link.statistics()}))
    except Failed as error:
        print(error, json.dumps(link.statistics()))
        return 1
    finally:
        link.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
