# SPDX-License-Identifier: Apache-2.0
"""Yosys in a process of its own: a crash or a fatal error there is an exception here."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# The commands come on standard input, one a line. `tee` keeps what a command says off the screen
# of the caller, who asks for files instead.
_PROGRAM = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for line in sys.stdin:
    ys.run_pass(line.strip(), design)
"""


class YosysError(Exception):
    """What Yosys said before it gave up."""

    def __init__(self, reason: str, log: str) -> None:
        super().__init__(reason)
        self.log = log


def run(commands: list[str], cwd: Path | None = None) -> str:
    """Run the commands on one design and return the log."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input="\n".join(commands) + "\n",
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
    )
    if done.returncode:
        reasons = [
            line
            for line in done.stdout.splitlines()
            if "error:" in line.lower() or line.startswith("ERROR")
        ]
        raise YosysError("\n".join(reasons) or f"yosys ended by {done.returncode}", done.stdout)
    return done.stdout


def read_slang(
    top: str,
    files: list[Path],
    include_dirs: list[Path] = (),
    parameters: Mapping[str, object] | None = None,
    defines: Mapping[str, object] | None = None,
    extern_modules: bool = False,
) -> str:
    """The command that reads SystemVerilog and elaborates the top; with `extern_modules` modules
    that the design has already are known to it."""
    words = ["read_slang", "--top", top]
    words += ["--extern-modules"] if extern_modules else []
    words += [f"-I{folder}" for folder in include_dirs]
    words += [f"-G{name}={value}" for name, value in (parameters or {}).items()]
    words += [f"-D{name}={value}" for name, value in (defines or {}).items()]
    words += [str(file) for file in files]
    return " ".join(words)
