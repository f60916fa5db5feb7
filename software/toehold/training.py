# SPDX-License-Identifier: Apache-2.0
"""Traffic of every kind for an instrumented simulator, from which the compiler learns what is
seldom run through. A process of its own: what was counted is written when it ends.

    python -m toehold.training LIBRARY PRESET WIDTH
"""

import sys
from pathlib import Path

from toehold.load import CLOSE, ECHO, EXCHANGE, OPEN, RECEIVE, SEND, UNIFORM, Load, Task
from toehold.simulation import Simulation
from toehold.simulator_build import Simulator

CLIENTS = 16
APPLICATIONS = 7  # echo, discard, source
IDLE_CLOCKS = 50_000


def train(simulator: Simulator) -> None:
    """Connections are opened, send, receive and close; then nothing happens for a while."""
    with Simulation(simulator) as engine:
        engine.set_time_mode("cycles")
        engine.enable_applications(APPLICATIONS)
        # The tables of the largest engines are cleared first.
        engine.advance(2000 + engine.read("identity_connections") * 9 // 8)
        for kind in (ECHO, SEND, RECEIVE):
            with Load(engine, clients=CLIENTS) as load:
                load.run(Task(OPEN, kind=kind, at_once=8))
                for size in (64, 1460):
                    load.run(
                        Task(EXCHANGE, kind=kind, turns=100, bytes=size, at_once=8, choice=UNIFORM)
                    )
                load.run(Task(CLOSE, kind=kind, at_once=8))
        engine.advance(IDLE_CLOCKS)


if __name__ == "__main__":
    library, preset, width = sys.argv[1:]
    train(Simulator(Path(), Path(library), preset, int(width), False))
