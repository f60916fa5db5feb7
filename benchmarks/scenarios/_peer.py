# SPDX-License-Identifier: Apache-2.0
"""A TCP peer that never loses anything, for measurements: one connection to the engine's external
application, in simulated time."""

import struct
from dataclasses import dataclass

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import ARP, Ether

from toehold.simulation import Received, Simulation
from toehold.simulator_build import build_simulator

ENGINE_MAC, ENGINE_IP = "02:54:4f:45:00:01", "10.77.0.2"
PEER_MAC, PEER_IP = "02:00:00:00:00:99", "10.77.0.1"
LISTEN = 0  # app_command_e
ACCEPTED, ACKNOWLEDGED = 1, 2  # app_event_e
HEADER_BYTES = 54  # Ethernet, IPv4 and TCP without options


def simulation(
    preset: str, width: int, applications: int = 0, threads: int = 1, profiled: bool = False
) -> Simulation:
    """An engine whose time follows its clock, 6.4 ns each."""
    engine = Simulation(build_simulator(preset, width, threads=threads, profiled=profiled))
    engine.reset()
    engine.set_time_mode("cycles")
    engine.set_clock_period(6400)
    engine.enable_applications(applications)
    engine.advance(2000)
    return engine


@dataclass
class Segment:
    """A received TCP segment and when its frame left the engine."""

    flags: int
    seq: int
    ack: int
    window: int
    payload: bytes
    first_clock: int
    last_clock: int


class Peer:
    """Opens a connection from `port` to the engine's `engine_port`.

    clocks_for_frame: in which the other end takes a frame without an answer, or answers one."""

    def __init__(
        self,
        engine: Simulation,
        engine_port: int,
        port: int = 40000,
        mss: int = 1460,
        clocks_for_frame: int = 500,
    ) -> None:
        self.engine = engine
        self.ports = port, engine_port
        self.seq, self.ack = 1000, 0
        self.engine.put_frame(
            bytes(
                Ether(src=PEER_MAC, dst="ff:ff:ff:ff:ff:ff")
                / ARP(op=1, hwsrc=PEER_MAC, psrc=PEER_IP, pdst=ENGINE_IP)
            ).ljust(60, b"\0")
        )
        self.engine.advance(clocks_for_frame)
        self.segments()
        self.put(0x02, options=[("MSS", mss)])
        answer = self.wait()
        self.seq += 1
        self.ack = answer.seq + 1
        self.window = answer.window  # that the engine offers at first
        self.put(0x10)
        self.engine.advance(clocks_for_frame)

    def frame(self, flags: int, payload: bytes = b"", options=()) -> bytes:
        packet = (
            Ether(src=PEER_MAC, dst=ENGINE_MAC)
            / IP(src=PEER_IP, dst=ENGINE_IP)
            / TCP(
                sport=self.ports[0], dport=self.ports[1], seq=self.seq, ack=self.ack,
                flags=flags, window=65535, options=list(options),
            )
            / payload
        )  # fmt: skip
        return bytes(packet).ljust(60, b"\0")

    def put(self, flags: int, payload: bytes = b"", options=()) -> None:
        self.engine.put_frame(self.frame(flags, payload, options))
        self.seq += len(payload)

    def segments(self) -> list[Segment]:
        """TCP segments that have come since the last call."""
        found = []
        for out in self.engine.take_frames():
            if out.data[12:14] != b"\x08\x00" or out.data[23] != 6:
                continue
            end = 14 + struct.unpack(">H", out.data[16:18])[0]
            seq, ack, offset, flags, window = struct.unpack(">IIBBH", out.data[38:50])
            payload = out.data[34 + 4 * (offset >> 4) : end]
            found.append(Segment(flags, seq, ack, window, payload, out.first_clock, out.last_clock))
        return found

    def wait(self, most_clocks: int = 20000) -> Segment:
        """The next segment; an error when none comes."""
        for _ in range(most_clocks // 100):
            self.engine.advance(100)
            if segments := self.segments():
                return segments[-1]
        raise RuntimeError(f"The engine sent nothing in {most_clocks} clocks.")


def listen(engine: Simulation, port: int) -> None:
    engine.put_command(LISTEN, 1, local_port=port)
    engine.advance(500)
    engine.take_events()


def accepted_session(engine: Simulation) -> int:
    for event in engine.take_events():
        if event.kind == ACCEPTED:
            return event.session
    raise RuntimeError("The engine accepted no connection.")


def receive(engine: Simulation, most_clocks: int = 20000, step_clocks: int = 100) -> Received:
    for _ in range(most_clocks // step_clocks):
        if got := engine.receive():
            return got
        engine.advance(step_clocks)
    raise RuntimeError("No payload reached the application.")
