# SPDX-License-Identifier: Apache-2.0
"""Linux's end of connections to the engine, inside the network namespace: takes from the source
port or sends to the discard port for a time, and prints what went through as one line of JSON."""

import argparse
import fcntl
import json
import socket
import struct
import termios
import time

ENGINE = "10.77.0.2"
DISCARD, SOURCE = 9, 19
CHUNK = 65536


def acknowledged(sock: socket.socket, sent: int) -> int:
    """Of the bytes given to the socket, those that the peer has acknowledged."""
    waiting = fcntl.ioctl(sock, termios.TIOCOUTQ, struct.pack("i", 0))
    return sent - struct.unpack("i", waiting)[0]


def take(sock: socket.socket, seconds: float) -> int:
    total, end = 0, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            data = sock.recv(CHUNK)
        except TimeoutError:
            break
        if not data:
            raise ConnectionError("the engine closed the connection")
        total += len(data)
    return total


def give(sock: socket.socket, seconds: float) -> int:
    data, total, end = bytes(CHUNK), 0, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            total += sock.send(data)
        except TimeoutError:
            break
    return acknowledged(sock, total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sender", choices=("engine", "linux"))
    parser.add_argument("seconds", type=float)
    parser.add_argument("--control", help="Linux's congestion control; its default without")
    parser.add_argument("--timeout", type=float, default=30.0, help="to connect, seconds")
    arguments = parser.parse_args()
    with socket.socket() as sock:
        sock.settimeout(arguments.timeout)
        if arguments.control:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, arguments.control.encode())
        sock.connect((ENGINE, SOURCE if arguments.sender == "engine" else DISCARD))
        begin = time.monotonic()
        total = (take if arguments.sender == "engine" else give)(sock, arguments.seconds)
        seconds = time.monotonic() - begin
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        # Ends at once: what is still under way is of no interest.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    (retransmitted,) = struct.unpack_from("I", info, 100)  # tcpi_total_retrans
    print(
        json.dumps(
            {
                "bytes": total,
                "seconds": seconds,
                "retransmitted": retransmitted,
            }
        )
    )


if __name__ == "__main__":
    main()
