# SPDX-License-Identifier: Apache-2.0
"""How long received payload takes, as a model: clocks from the first beat of a frame in to the
first beat of its payload at the application.

    T  = parse + save + read                     (1)

Straight to the application, when all of X bytes fit into its room Y:

    parse  the headers arrive, to their last byte (2)
    save   nothing is stored: 0                   (3)
    read   the peek, the application's answer after N clocks, the way to it   (5)
    T1 = headers + N + C1                         (7)

By way of the ring, when X > Y or bytes wait:

    parse  the frame arrives: a segment counts when its last byte has been summed
    save   the payload is written to the ring, a beat a clock, and beside that the pipeline
           decides; what takes longer counts      (4)
    read   the question, the answer after N clocks, the way from the ring   (6)
    T2 = frame + N + max(payload + C2, C3)        (8)

    R  = (T2 - T1) / T2                           (9)
    X  = bytes that wait                          (10)
    Y  = B + floor(t / ts) Bs - bytes taken       (11)

C1, C2 and C3 are all that a segment passes whatever its length, by width. Measured at the shortest
and the longest, they say what to expect between them.
"""

from dataclasses import dataclass

from _line import HEADER_BYTES

LEAST_FRAME_BYTES = 60  # shorter ones are filled up


@dataclass(frozen=True)
class Delay:
    """Of one data path. `direct`, `ring` and `least` are C1, C2 and C3."""

    width: int
    direct: int
    ring: int
    least: int

    @property
    def lanes(self) -> int:
        return self.width // 8

    def headers(self) -> int:
        return (HEADER_BYTES - 1) // self.lanes

    def frame(self, payload: int) -> int:
        return (max(HEADER_BYTES + payload, LEAST_FRAME_BYTES) - 1) // self.lanes

    def written(self, payload: int) -> int:
        return -(-payload // self.lanes)

    def straight(self, answer: int = 1) -> int:
        return self.headers() + answer + self.direct

    def stored(self, payload: int, answer: int = 1) -> int:
        beside = max(self.written(payload) + self.ring, self.least)
        return self.frame(payload) + answer + beside

    def gain(self, payload: int) -> float:
        return 1 - self.straight() / self.stored(payload)


def room(initial: int, released: int, interval: float, time: float, taken: int) -> int:
    """What an application has room for that frees `released` bytes at intervals."""
    return initial + int(time / interval) * released - taken


def fit(width: int, straight: int, stored: dict[int, int], answer: int = 1) -> Delay:
    """The model in which these segments take what was measured: one of any length that went
    straight, and the shortest and the longest of `stored`, clocks by length."""
    bare = Delay(width, 0, 0, 0)
    shortest, longest = min(stored), max(stored)
    return Delay(
        width,
        direct=straight - bare.straight(answer),
        ring=stored[longest] - bare.frame(longest) - answer - bare.written(longest),
        least=stored[shortest] - bare.frame(shortest) - answer,
    )
