# SPDX-License-Identifier: Apache-2.0
"""PicoRV32 with the checksum offload peripheral: firmware, simulation, and what it reports.

    for report in run(width=64):       # builds what is missing
        ...                            # ("length", {"bytes": 64, ...})

The processor's source is that of the package pythondata-cpu-picorv32, the compiler Debian's
gcc-riscv64-unknown-elf with picolibc.
"""

import shutil
import subprocess
from pathlib import Path

from toehold import verilated
from toehold.console import fail
from toehold.paths import BUILD, REGISTERS, ROOT

DRIVER = ROOT / "software" / "checksum_offload"
FIRMWARE = DRIVER / "firmware"
COMPILER = "riscv64-unknown-elf-gcc"
PICOLIBC = Path("/usr/lib/picolibc/riscv64-unknown-elf")
TOP = "picorv32_checksum"

# Reports of firmware/bench.c by their number, and their words; the last is added by the simulation.
REPORTS = {
    1: ("access", ("access", "clocks", "busy")),
    2: ("length", ("bytes", "straight", "optimised", "peripheral", "busy")),
    3: ("batch", ("bytes", "jobs", "clocks", "standing_clocks", "busy")),
    4: ("interrupt", ("bytes", "clocks", "busy")),
    5: ("wrong", ("bytes", "expected", "got", "busy")),
}


def missing() -> str:
    """The Debian package that the firmware lacks, or nothing."""
    if shutil.which(COMPILER) is None:
        return "gcc-riscv64-unknown-elf"
    return "" if PICOLIBC.exists() else "picolibc-riscv64-unknown-elf"


def build_firmware(quick: bool = False) -> Path:
    """The program as it goes into memory, from address 0 on."""
    if missing():
        fail(f"The firmware needs a compiler: `apt-get install {missing()}` adds it.")
    folder = BUILD / "checksum_system"
    folder.mkdir(parents=True, exist_ok=True)
    name = "bench-quick" if quick else "bench"
    program, image = folder / f"{name}.elf", folder / f"{name}.bin"
    sources = [FIRMWARE / "start.S", *sorted(FIRMWARE.glob("*.c")), DRIVER / "checksum_offload.c"]
    commands = [
        [
            COMPILER, "-march=rv32i", "-mabi=ilp32", "--specs=picolibc.specs",
            "-nostartfiles", "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror",
            "-Wl,--no-warn-rwx-segments", "-T", str(FIRMWARE / "system.ld"),
            f"-I{DRIVER}", f"-I{REGISTERS / 'generated'}", *(["-DQUICK"] if quick else []),
            *map(str, sources), "-o", str(program),
        ],
        ["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", "-j", ".data", str(program),
         str(image)],
    ]  # fmt: skip
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            fail(f"The firmware does not build:\n{done.stderr}")
    return image


def build_simulation(width: int) -> Path:
    """The program that runs firmware."""
    from pythondata_cpu_picorv32 import data_location

    return verilated.build_program(
        TOP,
        [ROOT / "simulation" / "checksum" / "main.cpp"],
        parameters={"DataWidth": width},
        extra_sources=[Path(data_location) / "picorv32.v"],
        core=TOP,
    )


def run(width: int, quick: bool = False) -> list[tuple[str, dict[str, int]]]:
    """Each report by its name and the names of its words; fails if a checksum was wrong."""
    command = [str(build_simulation(width)), str(build_firmware(quick))]
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
