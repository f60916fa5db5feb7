# SPDX-License-Identifier: Apache-2.0
"""Programs around a Verilated module: for what cocotb would be too slow for, and for benchmarks."""

import fcntl
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from toehold import cores
from toehold.console import fail
from toehold.paths import BUILD, ROOT, quick_build, tool_environment

OBJECT_CACHE = ROOT / "tests" / "support" / "object_cache.py"
# For tests, as in simulator_build.
QUICK = [
    "--output-split", "0", "--output-split-cfuncs", "1000", "-MAKEFLAGS", "VM_PARALLEL_BUILDS=0",
]  # fmt: skip


def build_program(
    top: str,
    programs: Iterable[Path],
    parameters: Mapping[str, object] | None = None,
    defines: Mapping[str, object] | None = None,
    headers: Iterable[Path] = (),
    include_dirs: Iterable[Path] = (),
    extra_sources: Iterable[Path] = (),
    libraries: Iterable[str] = (),
    core: str | None = None,
) -> Path:
    """The C++ files `programs` with the model V{top} as a program, built if it is not there.

    defines        of the preprocessor, for the programs
    headers        what else the result depends on
    extra_sources  Verilog beside that of the core, read before it
    core           by default the one that has `top`
    """
    parameters, defines = dict(parameters or {}), dict(defines or {})
    files, _ = cores.sources([core or cores.core_of_module(top).name])
    files = [*extra_sources, *files]
    programs, include_dirs = list(programs), list(include_dirs)
    quick = quick_build()
    words = json.dumps([top, parameters, defines, list(map(str, programs)), quick], default=str)
    digest = hashlib.sha256(words.encode())
    for file in (*files, *programs, *headers, Path(__file__)):
        digest.update(f"{file}\n".encode() + file.read_bytes())
    work = BUILD / "unit" / f"{top}-program-{digest.hexdigest()[:12]}"
    work.mkdir(parents=True, exist_ok=True)
    flags = [
        "-Og" if quick else "-O2",
        "-std=c++17",
        *(f"-D{name}={value}" for name, value in defines.items()),
    ]
    flags += [f"-I{folder}" for folder in include_dirs]
    linked = " ".join(f"-l{name}" for name in libraries)
    command = [
        "verilator", "--cc", "--exe", "--build", "--prefix", f"V{top}", "--top-module", top,
        *(f"-G{name}={value}" for name, value in parameters.items()),
        "-Mdir", str(work), "-Wno-fatal", "-Wno-lint", "-O3",
        "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", " ".join(flags),
        *(["-LDFLAGS", linked] if linked else []), *(QUICK if quick else []),
        "-j", "2", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
        *map(str, files), *map(str, programs),
    ]  # fmt: skip
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (work / "complete").exists():
            # Verilator's own runtime is compiled once for all builds with the same flags.
            cache = f"{sys.executable} {OBJECT_CACHE} {BUILD / 'unit' / '.runtime'}"
            environment = tool_environment() | {"OBJCACHE": cache}
            done = subprocess.run(command, text=True, capture_output=True, env=environment)
            if done.returncode:
                fail(f"{top} does not build:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
            (work / "complete").touch()
    return work / f"V{top}"
