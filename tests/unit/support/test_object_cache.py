# SPDX-License-Identifier: Apache-2.0
"""What is compiled once, and what makes it be compiled again."""

import subprocess
import sys
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[2] / "support" / "object_cache.py"
# Notes that it was called, and with what in the object.
COMPILER = """#!/bin/sh
echo call >> {folder}/calls
for last; do object=$last; done
case "$*" in *broken*) exit 3;; esac
echo "$*" > "$object"
"""


class Workshop:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compiler = folder / "c++"
        self.compiler.write_text(COMPILER.format(folder=folder))
        self.compiler.chmod(0o755)
        self.write("tap.cpp", "verilated.cpp", "program/tap.h")

    def write(self, *names: str, text: str = "first") -> None:
        for name in names:
            path = self.folder / "sources" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def compile(self, source: str, *options: str, to: str = "a.o", headers: bool = True) -> int:
        """How often the compiler was called for it."""
        before = self.calls
        command = [sys.executable, str(CACHE), str(self.folder / "kept")]
        command += ["--headers", str(self.folder / "sources")] if headers else []
        command += [str(self.compiler), *options, str(self.folder / "sources" / source)]
        self.status = subprocess.run([*command, "-o", str(self.folder / to)]).returncode
        return self.calls - before

    @property
    def calls(self) -> int:
        path = self.folder / "calls"
        return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


@pytest.mark.parametrize(("source", "headers"), [("tap.cpp", True), ("verilated.cpp", False)])
def test_compiled_once_wherever_it_goes(workshop, source, headers):
    assert workshop.compile(source, "-O2", headers=headers) == 1
    assert workshop.compile(source, "-O2", to="b.o", headers=headers) == 0
    assert (workshop.folder / "a.o").read_text() == (workshop.folder / "b.o").read_text()


def test_what_changes_it(workshop):
    assert workshop.compile("tap.cpp", "-O2") == 1
    assert workshop.compile("tap.cpp", "-O1") == 1
    workshop.write("program/tap.h", text="second")
    assert workshop.compile("tap.cpp", "-O2") == 1
    workshop.write("tap.cpp", text="second")
    assert workshop.compile("tap.cpp", "-O2") == 1
    workshop.write("program/more.h")
    assert workshop.compile("tap.cpp", "-O2") == 1
    workshop.compiler.write_text(workshop.compiler.read_text() + "# newer\n")
    assert workshop.compile("tap.cpp", "-O2") == 1
    assert workshop.compile("tap.cpp", "-O2") == 0


def test_the_runtime_reads_what_is_its_own(workshop):
    """-DVM_..., -DVERILATOR: not what a program around the model is told."""
    assert workshop.compile("verilated.cpp", "-DVM_TRACE=0", "-DWIDTH=64", headers=False) == 1
    assert workshop.compile("verilated.cpp", "-DVM_TRACE=0", "-DWIDTH=512", headers=False) == 0
    assert workshop.compile("verilated.cpp", "-DVM_TRACE=1", "-DWIDTH=64", headers=False) == 1
    assert workshop.compile("tap.cpp", "-DWIDTH=64") == workshop.compile("tap.cpp") == 1


def test_a_model_is_not_kept(workshop):
    """Its headers are elsewhere."""
    assert [workshop.compile("tap.cpp", headers=False) for _ in range(2)] == [1, 1]


def test_models_read_headers_that_are_precompiled(workshop):
    """A call more for the first with those options; g++ takes no second precompiled header."""
    model = ["-c", "-DVERILATOR=1", "-DVM_TRACE=0", "-Og"]
    wide = [*model, "-DWIDTH=512"]
    calls = [workshop.compile("tap.cpp", *options, headers=False) for options in (model, wide)]
    assert calls == [2, 1]
    given = (workshop.folder / "a.o").read_text().split()
    header = Path(given[given.index("-include") + 1])
    assert header.read_text() and header.with_suffix(".h.gch").exists()
    assert workshop.compile("tap.cpp", *model, "-O1", headers=False) == 2
    assert workshop.compile("tap.cpp", *model, "-include", "own.h", headers=False) == 1


def test_what_fails_is_not_kept(workshop):
    assert [workshop.compile("tap.cpp", "-Dbroken") for _ in range(2)] == [1, 1]
    assert workshop.status == 3
