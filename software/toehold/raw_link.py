# SPDX-License-Identifier: Apache-2.0
"""The raw link in software (software/raw_link): builds its library and programs, and the pong in
firmware, which it gives to the simulated processor."""

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from toehold.console import fail
from toehold.firmware import build_firmware
from toehold.paths import BUILD, ROOT
from toehold.simulation import Simulation

SOURCE = ROOT / "software" / "raw_link"
HEADER = SOURCE / "include" / "toehold_raw_link.h"
DESCRIPTION_TEMPLATE = SOURCE / "toehold-raw-link.pc.in"
PROGRAMS = ("rlping", "rlperf", "rlpong")

# Where the pong in hardware is, as simulation/rtl/raw_pong_server.sv has it.
HARDWARE_MAC = "02:54:4f:45:00:01"

# Its registers for firmware: words of the program, and its start.
LOAD, RUN = 0x800, 0x804

# Of an interface that takes the largest frames: 16,383 bytes of data and the control header.
MTU = 16388


@dataclass(frozen=True)
class Software:
    """A finished build."""

    folder: Path

    @property
    def library(self) -> Path:
        """With its number, as programs look for it."""
        (found,) = self.folder.glob("libtoehold_raw_link.so.*")
        return found

    def program(self, name: str) -> Path:
        return self.folder / name


def build_raw_link() -> Software:
    """Library and programs, built if they are not up to date."""
    for tool in ("cc", "make"):
        if shutil.which(tool) is None:
            fail(f"{tool} is not installed; it is needed to build the raw link's library.")
    folder = BUILD / "raw_link"
    folder.mkdir(parents=True, exist_ok=True)
    # Make's own variables must not leak in when we run under `make`.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-j2", "-C", str(SOURCE), f"BUILD={folder}"]
        made = subprocess.run(command, capture_output=True, text=True, env=environment)
    if made.returncode:
        fail(f"The raw link's library does not build:\n{made.stdout}{made.stderr}")
    return Software(folder)


def start_pong_firmware(engine: Simulation) -> None:
    """Loads the pong into the processor of RAW_PONG_FIRMWARE, and starts it."""
    folder = SOURCE / "firmware"
    load_firmware(engine, build_firmware("raw_pong", [folder / "pong.c"], include_dirs=[folder]))


def load_firmware(engine: Simulation, image: Path) -> None:
    """Loads a program into a processor, and starts it."""
    program = image.read_bytes()
    for i in range(0, len(program), 4):
        engine.write_register(LOAD, int.from_bytes(program[i : i + 4], "little"))
    engine.write_register(RUN, 1)
