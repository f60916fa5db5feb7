# SPDX-License-Identifier: Apache-2.0
"""The raw link in software (software/raw_link): builds its library and programs."""

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from toehold.console import fail
from toehold.paths import BUILD, ROOT

SOURCE = ROOT / "software" / "raw_link"
HEADER = SOURCE / "include" / "toehold_raw_link.h"
DESCRIPTION_TEMPLATE = SOURCE / "toehold-raw-link.pc.in"
PROGRAMS = ("rlping", "rlperf", "rlpong")

# Where the pong in hardware is, as simulation/rtl/raw_pong_server.sv has it.
HARDWARE_MAC = "02:54:4f:45:00:01"

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
