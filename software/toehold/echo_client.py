# SPDX-License-Identifier: Apache-2.0
"""Sends random bytes to an echo server and compares what comes back by hash.

Runs inside the network namespace, so it needs the standard library alone:
    python3 echo_client.py ADDRESS PORT BYTES
"""

import hashlib
import os
import socket
import sys
import threading
import time

TIMEOUT_SECONDS = 60
PIECE = 65536


def echo(address: str, port: int, count: int) -> tuple[str, str, float]:
    """Hash of what was sent, hash of what came back, seconds."""
    payload = os.urandom(count)
    started = time.monotonic()
    returned = hashlib.sha256()
    with socket.create_connection((address, port), timeout=TIMEOUT_SECONDS) as connection:

        def send() -> None:
            connection.sendall(payload)
            connection.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        while piece := connection.recv(PIECE):
            returned.update(piece)
        sender.join(TIMEOUT_SECONDS)
    took = time.monotonic() - started
    return hashlib.sha256(payload).hexdigest(), returned.hexdigest(), took


def main() -> int:
    address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    try:
        sent, returned, took = echo(address, port, count)
    except OSError as error:
        print(f"echo: {error}")
        return 1
    print(f"sent     {count} bytes, SHA-256 {sent}")
    print(f"returned {'the same' if sent == returned else 'OTHERS'}, SHA-256 {returned}")
    print(f"in {took:.2f} s, {count / took / 1e6:.2f} MB/s each way")
    return 0 if sent == returned else 1


if __name__ == "__main__":
    sys.exit(main())
