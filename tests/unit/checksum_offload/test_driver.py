# SPDX-License-Identifier: Apache-2.0
"""The C driver of checksum_offload: against the RTL, and as other compilers see it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.simulate import run_seed
from toehold.paths import REGISTERS, ROOT
from toehold.verilated import build_program

FOLDER = Path(__file__).parent
DRIVER = ROOT / "software" / "checksum_offload"
INCLUDES = [DRIVER, REGISTERS / "generated"]
LWIP = [Path("/usr/include/lwip"), Path("/usr/include")]


def test_driver():
    """Also the hook for lwIP, where that is installed (liblwip-dev)."""
    lwip = Path("/usr/include/lwip/lwip/init.h").exists()
    program = build_program(
        "checksum_offload",
        [FOLDER / "driver.cpp"],
        parameters={"DataWidth": 64},
        defines={
            "DATA_WIDTH": 64,
            "CHECKSUM_OFFLOAD_PLATFORM": '\'"platform.h"\'',
            **({"WITH_LWIP": 1} if lwip else {}),
        },
        headers=[
            FOLDER / "peripheral.h", FOLDER / "platform.h",
            *DRIVER.rglob("*.[ch]"), REGISTERS / "generated" / "checksum_offload_registers.h",
        ],
        include_dirs=[FOLDER, DRIVER / "examples", *INCLUDES, *(LWIP if lwip else [])],
        libraries=["lwip"] if lwip else [],
    )  # fmt: skip
    seed = run_seed()
    done = subprocess.run([str(program), str(seed)], text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, f"TOEHOLD_SEED={seed}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize(
    ("compiler", "options"),
    [("gcc", []), ("riscv64-unknown-elf-gcc", ["-march=rv32i", "-mabi=ilp32"])],
)
def test_driver_compiles_freestanding(compiler, options, tmp_path):
    """Without a warning, and without a need of any library."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    picolibc = ["--specs=picolibc.specs"] if "riscv" in compiler else []
    done = subprocess.run(
        [compiler, *options, *picolibc, "-std=c11", "-Os", "-ffreestanding", "-Wall", "-Wextra"]
        + ["-Wconversion", "-Werror", *(f"-I{folder}" for folder in INCLUDES)]
        + ["-c", str(DRIVER / "checksum_offload.c"), "-o", str(tmp_path / "driver.o")],
        text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = subprocess.run(
        ["nm", "-u", str(tmp_path / "driver.o")], text=True, capture_output=True, check=True
    ).stdout
    assert not names.replace("_GLOBAL_OFFSET_TABLE_", "").replace("U", "").strip(), names
