# SPDX-License-Identifier: Apache-2.0
"""Builds of the stand-in for the engine, see stand_in/stand_in_server.sv."""

from toehold.simulator_build import Design, Simulator, build_simulator

STAND_IN = Design(core="stand_in", top="stand_in_server")


def stand_in(width: int = 64, waves: bool = False, preset: str = "small") -> Simulator:
    return build_simulator(preset, width, waves=waves, design=STAND_IN)
