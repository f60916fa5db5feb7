# SPDX-License-Identifier: Apache-2.0
"""Lengths and alignments of checksum_offload, faults and the ring, by a program (sweep.cpp).

All pairs are 4 million checksums of 32 KiB on average. A run of `make test` takes every length up
to 512 at every alignment, and a tenth of all lengths at an alignment drawn for each;
TOEHOLD_FULL=1 takes every length; TOEHOLD_ALL_PAIRS=1 takes all pairs, which is hours of work.
"""

import os
import subprocess
from pathlib import Path

import pytest

from support.extent import FULL
from support.simulate import run_seed
from toehold.verilated import build_program

FOLDER = Path(__file__).parent
WIDTHS = (64, 128, 256, 512)


@pytest.fixture(scope="module", params=WIDTHS)
def program(request) -> Path:
    return build_program(
        "checksum_offload",
        [FOLDER / "sweep.cpp"],
        parameters={"DataWidth": request.param},
        defines={"DATA_WIDTH": request.param},
        headers=[FOLDER / "peripheral.h"],
    )


def run(program: Path, *words: object, timeout: int = 800) -> None:
    seed = run_seed()
    mode, *further = words
    done = subprocess.run(
        [str(program), mode, str(seed), *map(str, further)],
        text=True, capture_output=True, timeout=timeout,
    )  # fmt: skip
    assert done.returncode == 0, f"TOEHOLD_SEED={seed}\n{done.stdout}{done.stderr}"
    print(done.stdout)


def test_every_short_length_at_every_alignment(program):
    run(program, "short")


def test_lengths(program):
    run(program, "long", 1 if FULL else 10)


def test_faults_and_lengths_of_zero(program):
    run(program, "faults", 3000)


def test_ring(program):
    run(program, "ring", 20_000)


if os.environ.get("TOEHOLD_ALL_PAIRS"):

    @pytest.mark.timeout(0)
    def test_all_pairs(program):
        run(program, "all", 1, 65535, timeout=24 * 3600)
