# SPDX-License-Identifier: Apache-2.0
"""PicoRV32 with the checksum offload peripheral: firmware, simulation, and what it reports.

for report in run(width=64):       # builds what is missing
    ...                            # ("length", {"bytes": 64, ...})
"""

import subprocess
from pathlib import Path

from toehold import verilated
from toehold.console import fail
from toehold.firmware import build_firmware, processor_source
from toehold.paths import REGISTERS, ROOT

DRIVER = ROOT / "software" / "checksum_offload"
FIRMWARE = DRIVER / "firmware"
TOP = "picorv32_checksum"

# Reports of firmware/bench.c by their number, and their words; the last is added by the simulation.
REPORTS = {
    1: ("access", ("access", "clocks", "busy")),
    2: ("length", ("bytes", "straight", "optimised", "peripheral", "busy")),
    3: ("batch", ("bytes", "jobs", "clocks", "standing_clocks", "busy")),
    4: ("interrupt", ("bytes", "clocks", "busy")),
    5: ("wrong", ("bytes", "expected", "got", "busy")),
}


def build_program(quick: bool = False) -> Path:
    """The firmware as it goes into memory, from address 0 on."""
    return build_firmware(
        "checksum-quick" if quick else "checksum",
        [*sorted(FIRMWARE.glob("*.[cS]")), DRIVER / "checksum_offload.c"],
        include_dirs=[DRIVER, REGISTERS / "generated"],
        defines=["QUICK"] if quick else [],
    )


def build_simulation(width: int) -> Path:
    """The program that runs firmware."""
    return verilated.build_program(
        TOP,
        [ROOT / "simulation" / "checksum" / "main.cpp"],
        parameters={"DataWidth": width},
        extra_sources=[processor_source()],
        core=TOP,
    )


def run(width: int, quick: bool = False) -> list[tuple[str, dict[str, int]]]:
    """Each report by its name and the names of its words; fails if a checksum was wrong."""
    command = [str(build_simulation(width)), str(build_program(quick))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        fail(f"The system with {width} bits: {done.stderr.strip()}.")
    reports = []
    for line in done.stdout.splitlines():
        kind, *words = map(int, line.split())
        name, names = REPORTS[kind]
        reports.append((name, dict(zip(names, words, strict=True))))
    for name, words in reports:
        if name == "wrong":
            fail(f"A checksum was wrong at {width} bits: {words}.")
    return reports
