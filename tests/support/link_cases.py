# SPDX-License-Identifier: Apache-2.0
"""The links over which peers are tested, how much goes over each, and how long that may take.

With TOEHOLD_FULL=1, as in `toehold soak`, every transfer is of a megabyte.
"""

from dataclasses import dataclass
from math import ceil

from toehold.register_map import REGISTERS

FULL_BYTES = 1_000_000
SEGMENT = 1460
RINGS = {
    "small": 2048,
    "datacenter": 16384,
    "bulk": 262144,
    "cached": 2048,
    "low-latency": 4096,
    "scale": 65536,
}


@dataclass(frozen=True)
class LinkCase:
    """A link, the same both ways, and how much goes over it when time is short."""

    bytes: int
    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    delay_s: float = 10e-6

    @property
    def troubled(self) -> float:
        """The share of frames after which a segment may have to be sent again."""
        return self.loss + self.reorder + self.corrupt

    @property
    def shares(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in ("loss", "reorder", "duplicate", "corrupt")}

    @property
    def options(self) -> dict[str, float | str]:
        """For the command line, as support.link.LinkSettings has it."""
        return {**self.shares, "delay": f"{self.delay_s * 1e6:g}us"}


LINKS = {
    "clean": LinkCase(1_000_000),
    "loss_1": LinkCase(1_000_000, loss=0.01),
    "loss_10": LinkCase(100_000, loss=0.10),
    "reorder_5": LinkCase(200_000, reorder=0.05),
    "duplicate_5": LinkCase(300_000, duplicate=0.05),
    "corrupt_1": LinkCase(300_000, corrupt=0.01),
    "delay_50ms": LinkCase(300_000, delay_s=50e-3),
    "mild": LinkCase(
        200_000, loss=0.01, reorder=0.01, duplicate=0.01, corrupt=0.01, delay_s=200e-6
    ),
}


@dataclass(frozen=True)
class RetransmissionTimes:
    """Of a stack: the least time-out, and the one before a round trip was measured."""

    least_s: float
    first_s: float


# The least time-out of most presets; one has less.
ENGINE = RetransmissionTimes(0.2, REGISTERS["tcp_rto_initial_us"][3] * 1e-6)


def limit_s(
    peer: RetransmissionTimes, link: LinkCase, size: int, preset: str, turn_s: float = 100e-6
) -> float:
    """The time that a correct recovery needs at most, even one by time-outs alone.

    Without trouble, each ring of bytes takes two round trips: there, and back as an echo. `turn_s`
    is what a round trip takes beside the link's delay.

    A segment is held up when it is in trouble itself or its acknowledgement is, with probability
    q = 1 - (1 - p)^2 (the latter only with one segment under way). It then takes the sender's RTO;
    if what is sent again meets the same, twice that, and so on (RFC 6298, 5.5): together
    RTO / (1 - 2q) on average. Both sides send each segment once. Fast retransmission makes it
    shorter and is not counted on. Trouble in opening and closing takes the time before the first
    measurement, and the first SYN may wait for ARP.

    Twice the average, since luck differs.
    """
    round_trip_s = 2 * link.delay_s + turn_s
    flow_s = 2 * (ceil(size / RINGS[preset]) + 10) * round_trip_s
    held_up = 1 - (1 - link.troubled) ** 2
    each_s = held_up / (1 - 2 * held_up) * (ENGINE.least_s + peer.least_s + 2 * round_trip_s)
    edges_s = ENGINE.first_s + peer.first_s
    return 2 * (flow_s + ceil(size / SEGMENT) * each_s + edges_s)
