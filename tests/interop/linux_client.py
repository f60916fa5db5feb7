# SPDX-License-Identifier: Apache-2.0
"""What the Linux kernel's TCP is made to do to the engine, one case a command.

Runs inside the network namespace with the standard library alone. Prints one line of JSON; the
exit status is 1 when bytes came back wrong.
"""

import argparse
import hashlib
import json
import random
import socket
import struct
import sys
import threading
import time

ENGINE = "10.77.0.2"
ECHO, DISCARD, SOURCE, HTTP = 7, 9, 19, 80


def pattern(length: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(length)


def connect(port: int, timeout: float, receive_buffer: int | None = None) -> socket.socket:
    sock = socket.socket()
    sock.settimeout(timeout)
    if receive_buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.connect((ENGINE, port))
    return sock


def read_all(sock: socket.socket, digest=None) -> int:
    """Reads to the end; returns how many bytes came."""
    total = 0
    while chunk := sock.recv(1 << 16):
        total += len(chunk)
        if digest is not None:
            digest.update(chunk)
    return total


def send_all(sock: socket.socket, data: bytes) -> None:
    """Sends and half-closes. The socket's timeout is for each piece, not for all of it."""
    for at in range(0, len(data), 1 << 16):
        sock.sendall(data[at : at + (1 << 16)])
    sock.shutdown(socket.SHUT_WR)


def echo_once(length: int, seed: int, timeout: float) -> dict:
    """Sends, half-closes, reads the echo to its end and compares by hash."""
    data = pattern(length, seed)
    digest = hashlib.sha256()
    begin = time.monotonic()
    with connect(ECHO, timeout) as sock:
        sender = threading.Thread(target=send_all, args=(sock, data), daemon=True)
        sender.start()
        received = read_all(sock, digest)
        sender.join(timeout)
    same = received == length and digest.digest() == hashlib.sha256(data).digest()
    return {"bytes": received, "same": same, "seconds": time.monotonic() - begin}


def echo(arguments) -> dict:
    return echo_once(arguments.bytes, arguments.seed, arguments.timeout)


def many(arguments) -> dict:
    """As many connections as told, all at once."""
    results: list[dict | None] = [None] * arguments.connections

    def one(index: int) -> None:
        try:
            results[index] = echo_once(arguments.bytes, arguments.seed + index, arguments.timeout)
        except OSError as error:
            results[index] = {"same": False, "error": str(error)}

    threads = [threading.Thread(target=one, args=(i,)) for i in range(arguments.connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong = [result for result in results if not result or not result["same"]]
    return {"same": not wrong, "connections": len(results), "wrong": wrong[:3]}


def half_close(arguments) -> dict:
    """We close first, and still get all that comes after."""
    data = pattern(arguments.bytes, arguments.seed)
    with connect(ECHO, arguments.timeout) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        time.sleep(0.3)  # the FIN is long there when we begin to read
        received = b"".join(iter(lambda: sock.recv(65536), b""))
    return {"same": received == data}


def peer_closes_first(arguments) -> dict:
    """The engine closes first (HTTP, Connection: close); we go on sending, then close."""
    with connect(HTTP, arguments.timeout) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        page = b"".join(iter(lambda: sock.recv(65536), b""))
        # Half-closed by the peer: sending must still work, and must not be answered by a reset.
        for _ in range(5):
            sock.sendall(b"more of what nobody reads\r\n")
            time.sleep(0.05)
        error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    return {"same": page.startswith(b"HTTP/1.1 200") and error == 0, "error": error}


def reset(arguments) -> dict:
    """We reset in the middle of a transfer; the next connection works."""
    sock = connect(ECHO, arguments.timeout)
    sock.sendall(pattern(3000, 1))
    sock.recv(100)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    return echo_once(20_000, arguments.seed, arguments.timeout)


def refused(arguments) -> dict:
    """A port that nobody listens to."""
    try:
        connect(4242, arguments.timeout).close()
    except ConnectionRefusedError:
        return {"same": True}
    return {"same": False}


def closed_window(arguments) -> dict:
    """We stop reading for some seconds, our window closes, and opens again."""
    with connect(SOURCE, arguments.timeout, receive_buffer=4096) as sock:
        first = sock.recv(512)
        time.sleep(arguments.seconds)
        rest = b""
        while len(rest) < arguments.bytes:
            rest += sock.recv(65536)
    got = first + rest
    # RFC 864: lines of 72 characters, each beginning one character further on.
    return {"same": is_chargen(got), "bytes": len(got)}


def is_chargen(data: bytes) -> bool:
    ring = bytes(range(32, 127))
    lines = data.split(b"\r\n")[:-1]
    for number, line in enumerate(lines):
        start = (ring.index(lines[0][:1]) + number) % len(ring)
        if line != (ring + ring)[start : start + 72]:
            return False
    return len(lines) > 10


def send_only(arguments) -> dict:
    """As many bytes as told into the discard port, until the engine has acknowledged them all."""
    data = pattern(1 << 20, arguments.seed)
    begin = time.monotonic()
    with connect(DISCARD, arguments.timeout) as sock:
        left = arguments.bytes
        while left:
            chunk = data[: min(left, len(data))]
            sock.sendall(chunk)
            left -= len(chunk)
        sock.shutdown(socket.SHUT_WR)
        tail = sock.recv(1)  # its FIN comes when it has read everything
    return {"same": tail == b"", "seconds": time.monotonic() - begin}


CASES = {
    case.__name__: case
    for case in (
        echo,
        many,
        half_close,
        peer_closes_first,
        reset,
        refused,
        closed_window,
        send_only,
    )
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0, help="of the closed window")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60.0, help="of each socket call, seconds")
    arguments = parser.parse_args()
    result = CASES[arguments.case](arguments)
    print(json.dumps(result))
    return 0 if result["same"] else 1


if __name__ == "__main__":
    sys.exit(main())
