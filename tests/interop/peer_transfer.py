# SPDX-License-Identifier: Apache-2.0
"""One transfer between the engine and another TCP/IP stack, in virtual time.

    peer_transfer.py gvisor client --bytes 1000000 --loss 1% --pcap out.pcap
    peer_transfer.py toehold server --preset datacenter --width 512 --delay 50ms

The role is the other stack's. As client it connects to the engine's echo server; as server it
echoes, and the engine connects to it. The client sends all bytes and closes, and compares what
comes back. Prints what happened as JSON; the exit status is 1 when anything was wrong.

A process of its own for each transfer: stacks keep state between hosts, and a crash in one is
nobody else's.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "software")]

from support.link import LinkSettings  # noqa: E402
from support.peers import FAILED, STACKS, Peer  # noqa: E402
from support.virtual_network import (  # noqa: E402
    ECHO_PORT,
    ENGINE_IP,
    OTHER_IP,
    OTHER_MAC,
    Echo,
    EngineHost,
    Network,
    PeerHost,
    Sender,
)
from toehold import units  # noqa: E402
from toehold.simulation import Simulation  # noqa: E402
from toehold.simulator_build import build_simulator  # noqa: E402

TOEHOLD = "toehold"
SERVER_PORT = 9000
# After both applications are done, the last acknowledgements may still be lost and sent again.
QUIET_US = 100_000


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("peer", choices=[*STACKS, TOEHOLD])
    parser.add_argument("role", choices=["client", "server"])
    parser.add_argument("--preset", default="datacenter")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    LinkSettings.add_arguments(parser, delay=10e-6)
    parser.add_argument("--limit", type=units.seconds, default=600.0, help="in virtual time")
    parser.add_argument("--pcap", type=Path)
    return parser.parse_args()


def run(arguments: argparse.Namespace) -> dict:
    data = random.Random(arguments.seed).randbytes(arguments.bytes)
    simulator = build_simulator(arguments.preset, arguments.width)
    engine = EngineHost(Simulation(simulator))
    # As seen by the engine: it is the server when the other is the client.
    if arguments.peer == TOEHOLD:
        other = EngineHost(Simulation(simulator))
        other.set_address(OTHER_IP, OTHER_MAC)
        client, server = (other, engine) if arguments.role == "client" else (engine, other)
        server.serve_echo()
        ip = ENGINE_IP if arguments.role == "client" else OTHER_IP
        sender = client.application = Sender(client.connect(ip, ECHO_PORT), data)
    else:
        peer = Peer(arguments.peer, OTHER_MAC, OTHER_IP, seed=arguments.seed)
        other = PeerHost(peer)
        if arguments.role == "client":
            engine.serve_echo()
            peer.connect(ENGINE_IP, ECHO_PORT)
            sender = other.application = Sender(peer, data)
        else:
            peer.listen(SERVER_PORT)
            other.application = Echo(peer)
            sender = engine.application = Sender(engine.connect(OTHER_IP, SERVER_PORT), data)

    settings = LinkSettings.of(arguments)
    network = Network(engine, other, settings, settings, arguments.seed, arguments.pcap)
    limit_us = round(arguments.limit * 1e6)

    def done() -> bool:
        echo = other.application if isinstance(other.application, Echo) else None
        return sender.done and (echo is None or echo.done)

    began = time.monotonic()
    network.run(lambda: done() or sender.socket.state == FAILED, limit_us)
    finished = done()
    virtual_s = network.now_us / 1e6
    while network.now_us < limit_us and not engine.simulation.read("counters_tcp_closed"):
        network.run(lambda: False, network.now_us + QUIET_US)
    network.run(lambda: False, network.now_us + QUIET_US)
    network.close()
    return {
        "finished": finished,
        "failed": sender.socket.state == FAILED,
        "same": sender.same,
        "received": sender.received,
        "virtual_s": virtual_s,
        "wall_s": time.monotonic() - began,
        "clocks": engine.simulation.clocks,
        "registers": {
            name: engine.simulation.read(name)
            for name in engine.simulation.register_names()
            if name.startswith("counters_")
        },
        "to_peer": network.links[0].counters(),
        "to_engine": network.links[1].counters(),
    }


def main() -> None:
    outcome = run(parse())
    print(json.dumps(outcome))
    sys.exit(not (outcome["finished"] and outcome["same"]))


if __name__ == "__main__":
    main()
