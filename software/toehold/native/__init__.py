# SPDX-License-Identifier: Apache-2.0
"""Programs in C++ beside the Python that needs them, for what Python is too slow for."""

import hashlib
import os
import subprocess
from pathlib import Path

from toehold.console import fail
from toehold.paths import BUILD

FLAGS = ("-O3", "-std=c++17", "-Wall", "-Wextra")


def build(name: str) -> Path:
    """The program of native/NAME.cpp, compiled if it was not, or if it has changed."""
    source = Path(__file__).with_name(f"{name}.cpp")
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for file in (source, *sorted(source.parent.glob("*.hpp"))):
        digest.update(file.read_bytes())
    program = BUILD / "native" / f"{name}-{digest.hexdigest()[:12]}"
    if program.exists():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    begun = program.with_suffix(f".{os.getpid()}")
    try:
        subprocess.run(["g++", *FLAGS, "-o", begun, source], check=True, capture_output=True)
    except FileNotFoundError:
        fail("There is no g++, which compiles what moves cells: `toehold doctor` says more.")
    except subprocess.CalledProcessError as error:
        fail(f"{source.name} did not compile:\n{error.stderr.decode()}")
    begun.replace(program)
    return program
