# SPDX-License-Identifier: Apache-2.0
"""What a line carries: Ethernet's own bytes, and what is left of it for payload."""

from contextlib import contextmanager

from toehold.load import LINE_OVERHEAD
from toehold.simulation import Simulation
from toehold.simulator_build import build_simulator

HEADER_BYTES = 54  # Ethernet, IPv4, TCP without options
ALL_APPLICATIONS = 15
# 10 Gbit/s at 156.25 MHz fill 64 bits; 100 Gbit/s at 250 MHz are 50 bytes of the 64 of each clock.
LINE_BYTES_PER_CLOCK = {64: 8, 128: 16, 256: 32, 512: 50}
START_CLOCKS = 4000  # memories are cleared, ports are listened to


def frame_clocks(payload: int, width: int) -> float:
    """Clocks from one frame to the next on a full line."""
    wire = max(HEADER_BYTES + payload, 60) + LINE_OVERHEAD
    return wire / LINE_BYTES_PER_CLOCK[width]


def payload_limit(payload: int, width: int) -> float:
    """Bytes of payload a clock on a full line of segments of that size."""
    return payload / frame_clocks(payload, width)


@contextmanager
def engine(preset: str, width: int):
    """Its applications listen, and frames come as they do on a line, time following the clocks."""
    with Simulation(build_simulator(preset, width)) as simulation:
        simulation.set_time_mode("cycles")
        simulation.enable_applications(ALL_APPLICATIONS)
        simulation.set_line(LINE_OVERHEAD, LINE_BYTES_PER_CLOCK[width])
        simulation.advance(START_CLOCKS)
        yield simulation
