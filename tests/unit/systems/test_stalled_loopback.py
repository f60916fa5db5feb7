# SPDX-License-Identifier: Apache-2.0
"""Two engines in a loop whose every channel stops now and then, at random (stalled_loopback.cpp):
nothing is wrong, nothing breaks, and nothing stands still for good."""

import subprocess
from pathlib import Path

import pytest

from support.extent import FULL
from support.simulate import run_seed
from toehold.registers import REGISTERS
from toehold.simulator_build import PRESETS
from toehold.verilated import build_program

HERE = Path(__file__).parent
MODULES = ("stall_gate", "slow_memory", "stalled_engine", "stalled_loopback")
PROGRAMS = [*(HERE / f"{name}.sv" for name in MODULES), HERE / "stalled_loopback.cpp"]


def build(preset: str, width: int) -> Path:
    connections = {"small": 40, "bulk": 10, "cached": 40, "datacenter": 150}.get(preset, 400)
    names = [name for name in REGISTERS if name.startswith(("network_", "tcp_"))]
    return build_program(
        "stalled_loopback",
        PROGRAMS,
        parameters={"Preset": PRESETS[preset], "DataWidth": width},
        defines={
            "CONNECTIONS": connections,
            "START": 1_000_000 if preset == "scale" else 20_000,
            **{name.upper(): REGISTERS[name][0] for name in names},
        },
        core="systems",
    )


# Cut through and messages sent while they come: whatever can wait for something else is there.
CASES = [("low-latency", 64, 0)]
if FULL:
    CASES += [("low-latency", 64, 100), ("low-latency", 512, 0)]


@pytest.mark.parametrize(("preset", "width", "damage"), CASES)
def test_nothing_stands(preset, width, damage):
    """`damage` frames of 10,000 are bad."""
    seed = run_seed()
    clocks = 2_000_000 if FULL else 200_000
    done = subprocess.run(
        [str(build(preset, width)), str(seed), str(clocks), str(damage)],
        text=True, capture_output=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, f"TOEHOLD_SEED={seed}\n{done.stdout}{done.stderr}"
