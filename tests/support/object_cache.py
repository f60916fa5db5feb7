# SPDX-License-Identifier: Apache-2.0
"""A compiler cache for what is compiled again and again: OBJCACHE in makefiles.

Verilator's runtime takes longer to compile than most of the modules do, and is the same for all of
them; so is most of what the simulated engines have around their models.
    object_cache.py FOLDER c++ ... -c -o verilated.o .../include/verilated.cpp
    object_cache.py FOLDER --headers SOURCES c++ ... -c -o tap.o .../program/tap.cpp

Without --headers nothing but Verilator's runtime is kept. With it, whatever else the source
includes is a header in that folder. What is compiled for a model alone reads the headers of the
runtime as they are precompiled there.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path


def main(store: Path, command: list[str]) -> int:
    headers = None
    if command[0] == "--headers":
        headers, command = Path(command[1]), command[2:]
    source = next((Path(item) for item in command if item.endswith(".cpp")), None)
    known = source is not None and (headers or source.name.startswith("verilated"))
    if not known or "-o" not in command:
        return subprocess.run(_with_headers(store, command)).returncode
    output = Path(command[command.index("-o") + 1])
    kept = store / f"{source.stem}-{_key(source, headers, command)}.o"
    if not kept.exists():
        status = subprocess.run(command).returncode
        if status:
            return status
        partial = kept.with_suffix(f".{os.getpid()}")
        store.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(output, partial)
        partial.replace(kept)
    else:
        shutil.copyfile(kept, output)
    return 0


def _with_headers(store: Path, command: list[str]) -> list[str]:
    """The command with the headers of the runtime precompiled, if it compiles a model.

    g++ takes what was precompiled with the same options, and reads the headers themselves if not.
    """
    if not {"-c", "-DVERILATOR=1"} <= set(command) or "-include" in command:
        return command
    options = [word for word in command if word[:2] in ("-f", "-g", "-m", "-s", "-O")]
    options += [word for word in command if word.startswith("-DV")]
    includes = [word for word in command if word.startswith("-I")]
    compiler = Path(shutil.which(command[0]) or command[0])
    key = "\0".join([*options, *includes, str(compiler), str(compiler.stat().st_mtime_ns)])
    header = store / f"runtime-{hashlib.sha256(key.encode()).hexdigest()[:16]}.h"
    compiled = header.with_suffix(".h.gch")
    if not compiled.exists():
        store.mkdir(parents=True, exist_ok=True)
        header.write_text('#include "verilated.h"\n#include "verilated_vpi.h"\n')
        partial = header.with_suffix(f".{os.getpid()}")
        made = [
            command[0],
            *options,
            *includes,
            "-x",
            "c++-header",
            str(header),
            "-o",
            str(partial),
        ]
        if subprocess.run(made).returncode:
            return command
        partial.replace(compiled)
    return [command[0], "-include", str(header), *command[1:]]


def _key(source: Path, headers: Path | None, command: list[str]) -> str:
    """Of all that the object depends on: not where it goes, nor what the runtime does not read."""
    place = command.index("-o") + 1
    words = command[:place] + command[place + 1 :]
    if headers is None:
        words = [word for word in words if not word.startswith("-D") or word.startswith("-DV")]
    digest = hashlib.sha256("\0".join(words).encode())
    if headers is None:
        digest.update(str(source.stat().st_mtime_ns).encode())
    else:
        compiler = Path(shutil.which(command[0]) or command[0])
        digest.update(str(compiler.stat().st_mtime_ns).encode())
        for path in (source, *sorted(headers.rglob("*.h"))):
            digest.update(f"\0{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
