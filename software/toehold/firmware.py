# SPDX-License-Identifier: Apache-2.0
"""Programs for the small processor of the systems in rtl/systems.

The processor's source is that of the package pythondata-cpu-picorv32, the compiler Debian's
gcc-riscv64-unknown-elf with picolibc.
"""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from toehold.console import fail
from toehold.paths import BUILD, ROOT

COMMON = ROOT / "software" / "firmware"
COMPILER = "riscv64-unknown-elf-gcc"
PICOLIBC = Path("/usr/lib/picolibc/riscv64-unknown-elf")


def missing() -> str:
    """The Debian package that firmware lacks, or nothing."""
    if shutil.which(COMPILER) is None:
        return "gcc-riscv64-unknown-elf"
    return "" if PICOLIBC.exists() else "picolibc-riscv64-unknown-elf"


def processor_source() -> Path:
    """The Verilog of PicoRV32."""
    from pythondata_cpu_picorv32 import data_location

    return Path(data_location) / "picorv32.v"


def build_firmware(
    name: str,
    sources: Iterable[Path],
    include_dirs: Iterable[Path] = (),
    defines: Iterable[str] = (),
    memory_bytes: int = 16 * 1024,
) -> Path:
    """The program as it goes into memory, from address 0 on: build/firmware/{name}.bin."""
    if missing():
        fail(f"The firmware needs a compiler: `apt-get install {missing()}` adds it.")
    folder = BUILD / "firmware"
    folder.mkdir(parents=True, exist_ok=True)
    program, image = folder / f"{name}.elf", folder / f"{name}.bin"
    commands = [
        [
            COMPILER, "-march=rv32i", "-mabi=ilp32", "--specs=picolibc.specs",
            "-nostartfiles", "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror",
            "-Wl,--no-warn-rwx-segments", "-T", str(COMMON / "system.ld"),
            f"-Wl,--defsym=memory_bytes={memory_bytes}",
            *(f"-I{path}" for path in include_dirs), *(f"-D{define}" for define in defines),
            str(COMMON / "start.S"), *map(str, sources), "-o", str(program),
        ],
        ["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", "-j", ".data", str(program),
         str(image)],
    ]  # fmt: skip
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            fail(f"The firmware does not build:\n{done.stderr}")
    return image
