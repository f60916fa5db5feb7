# SPDX-License-Identifier: Apache-2.0
"""A simulator is built once for each content of its sources; what is shown meanwhile."""

import io
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from toehold import simulator_build
from toehold.console import Failure
from toehold.netlist import Netlist
from toehold.simulator_build import Design, build_simulator

DESIGN = Design(core="some", top="some_top")


class Tree:
    """A small source tree in place of ours, and a make that only notes what it is to do."""

    def __init__(self, folder, monkeypatch):
        self.simulation = folder / "simulation"
        self.simulation.mkdir()
        self.rtl = folder / "some_top.sv"
        self.header = folder / "some.svh"
        self.host = self.simulation / "host.cpp"
        self.with_model = self.simulation / "verilated" / "with_model.h"
        self.with_model.parent.mkdir()
        sources = (self.rtl, self.header, self.host, self.with_model)
        for path in (*sources, self.simulation / "Makefile"):
            path.write_text("first")
        self.made: list[dict] = []
        self.fails = False
        monkeypatch.setattr(simulator_build, "BUILD", folder / "build")
        monkeypatch.setattr(simulator_build, "SIMULATION", self.simulation)
        monkeypatch.setattr(simulator_build, "_sources", lambda _: ([self.rtl], [folder]))
        monkeypatch.setattr(simulator_build, "_make", self._make)

    def _make(self, variables, name):
        self.made.append(variables)
        if self.fails:
            simulator_build.fail("It does not build.")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    return Tree(tmp_path, monkeypatch)


def test_a_second_call_makes_nothing(tree, monkeypatch):
    first = build_simulator(design=DESIGN)
    assert len(tree.made) == 1
    # It does not even wait for another build to end.
    monkeypatch.setattr(simulator_build.fcntl, "flock", None)
    assert build_simulator(design=DESIGN) == first
    assert len(tree.made) == 1
    assert first.program.parent == tree.made[0]["BUILD"]


@pytest.mark.parametrize(
    ("source", "model_too"),
    [("rtl", True), ("header", True), ("with_model", True), ("host", False)],
)
def test_what_has_changed_is_built_elsewhere(tree, source, model_too):
    """What Verilator has made stays if only the program around it has changed."""
    first = build_simulator(design=DESIGN)
    getattr(tree, source).write_text("second")
    second = build_simulator(design=DESIGN)
    assert len(tree.made) == 2
    assert second.program.parent != first.program.parent
    assert (tree.made[0]["MODEL"] != tree.made[1]["MODEL"]) == model_too
    # Back again, and there is nothing to do.
    getattr(tree, source).write_text("first")
    assert build_simulator(design=DESIGN) == first
    assert len(tree.made) == 2


def test_configurations_do_not_disturb_each_other(tree):
    folders = {
        build_simulator(design=DESIGN, **options).program.parent
        for options in ({}, {"preset": "bulk"}, {"width": 512}, {"waves": True}, {"threads": 2})
    }
    assert len(folders) == len(tree.made) == 5


def test_the_processor_compiled_for_counts(tree, monkeypatch):
    first = build_simulator(design=DESIGN)
    monkeypatch.setattr(simulator_build, "NATIVE", [])
    assert build_simulator(design=DESIGN).program != first.program


def test_a_quick_build_is_another_one(tree, monkeypatch):
    """Less optimised, and so never in the place of one that runs long."""
    monkeypatch.setattr(simulator_build, "_train", lambda simulator: None)
    monkeypatch.setenv("TOEHOLD_QUICK_BUILD", "1")
    soon = build_simulator(design=DESIGN)
    profiled = build_simulator(design=DESIGN, profiled=True)
    monkeypatch.delenv("TOEHOLD_QUICK_BUILD")
    fast = build_simulator(design=DESIGN)
    assert fast.program != soon.program
    assert build_simulator(design=DESIGN, profiled=True) == profiled
    optimised = [variables.get("OPTIMIZE") for variables in tree.made]
    assert optimised == ["-Og", None, None, None]


def test_a_profiled_build_learns_between_two_passes(tree, monkeypatch):
    """Nothing compiled before counts, what the training has counted stays for the second pass."""
    plain = build_simulator(design=DESIGN)
    there: list[set[str]] = []

    def make(variables, name):
        for folder in (variables["BUILD"], variables["MODEL"]):
            there.append({path.name for path in folder.iterdir() if path.suffix != ".f"})
        tree.made.append(variables)
        (variables["MODEL"] / "model.o").touch()
        (variables["BUILD"] / "libtoehold_sim.so").touch()

    def train(simulator):
        assert simulator.library.exists()
        (tree.made[-1]["MODEL"] / "model.gcda").touch()

    monkeypatch.setattr(simulator_build, "_make", make)
    monkeypatch.setattr(simulator_build, "_train", train)
    profiled = build_simulator(design=DESIGN, profiled=True)
    assert profiled.library != plain.library
    assert [variables.get("PROFILE") for variables in tree.made] == [None, "generate", "use"]
    kept = {"register_map_table.cpp", "lock"}
    assert [names - kept for names in there] == [set(), set(), set(), {"model.gcda"}]
    # Interrupted after the first pass, it begins again with nothing.
    (profiled.library.parent / "complete").unlink()
    there.clear()
    assert build_simulator(design=DESIGN, profiled=True) == profiled
    assert [names - kept for names in there] == [set(), set(), set(), {"model.gcda"}]


def test_a_training_that_fails_is_told(tree, monkeypatch):
    """Here there is no library."""
    with pytest.raises(Failure, match="traffic for the profile"):
        build_simulator(design=DESIGN, profiled=True)
    build = tree.made[-1]["BUILD"]
    assert not (build / "complete").exists()


def test_what_did_not_build_is_built_again(tree):
    tree.fails = True
    with pytest.raises(Failure):
        build_simulator(design=DESIGN)
    tree.fails = False
    build_simulator(design=DESIGN)
    build_simulator(design=DESIGN)
    assert len(tree.made) == 2


def test_a_netlist_takes_the_place_of_the_rtl(tree, monkeypatch, tmp_path):
    cells = tmp_path / "cells.v"
    cells.write_text("cells")
    asked = []

    def map_to_ecp5(top, files, include_dirs, parameters, defines):
        asked.append((top, parameters))
        return Netlist((tmp_path / "netlist.v", cells), Counter())

    monkeypatch.setattr(simulator_build.netlist, "map_to_ecp5", map_to_ecp5)
    monkeypatch.setattr(simulator_build.netlist, "ingredients", lambda: [cells])
    monkeypatch.setattr(simulator_build.cores, "sources", lambda _: ([tree.rtl], []))
    first = build_simulator(design=DESIGN)
    gates = replace(DESIGN, netlist=True)
    second = build_simulator(width=128, design=gates)
    assert asked == [("some_top", {"Preset": 0, "DataWidth": 128})]
    assert second.program.parent != first.program.parent
    variables = tree.made[1]
    listed = variables["RTL_LIST"].read_text().split()
    assert listed == [str(tmp_path / "netlist.v"), str(cells)]
    # The netlist has no parameters, and nothing in it tells of timers.
    assert variables["TOP_PARAMETERS"] == "" and variables["TIMER_WATCH"] == 0
    assert "TOP_PARAMETERS" not in tree.made[0]
    # A model of a cell counts like RTL.
    cells.write_text("other cells")
    assert build_simulator(width=128, design=gates).program != second.program


def test_a_processor_has_no_netlist(tree, monkeypatch):
    monkeypatch.setattr(simulator_build.netlist, "ingredients", lambda: [])
    with pytest.raises(Failure, match="processor has no netlist"):
        build_simulator(design=replace(DESIGN, firmware=1, netlist=True))


@pytest.mark.parametrize("tool", ["g++", "make", "perl"])
def test_a_missing_tool_is_named(tree, monkeypatch, tool):
    monkeypatch.setattr(
        simulator_build.shutil, "which", lambda name: None if name == tool else name
    )
    with pytest.raises(Failure, match=re.escape(f"{tool} is not installed")):
        build_simulator(design=DESIGN)
    assert not tree.made


def shown(monkeypatch, folders, script: str, terminal: bool) -> str:
    """What _show_progress prints while the script runs in place of make."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100)
    monkeypatch.setattr(simulator_build, "errors", console)
    process = subprocess.Popen([sys.executable, "-c", script])
    try:
        simulator_build._show_progress(process, folders, "small, 64 bits")
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()
    return screen.getvalue()


# Verilator for a while, then two of three files, then the third.
FAKE_MAKE = """
import time
from pathlib import Path
folder, simulation = Path({folder!r}), Path({simulation!r})
(simulation / "host.cpp").touch()
time.sleep(0.6)
for name in ("Vengine.mk", "Vengine.cpp", "Vengine__1.cpp", "Vengine.o", "Vengine__1.o"):
    (folder / name).touch()
time.sleep(0.8)
(folder / "host.o").touch()
time.sleep(0.8)
"""


def test_progress_on_a_terminal(monkeypatch, tmp_path):
    folders = [tmp_path / "build", tmp_path / "model"]
    simulation = tmp_path / "simulation"
    for folder in (*folders, simulation):
        folder.mkdir()
    monkeypatch.setattr(simulator_build, "SIMULATION", simulation)
    script = FAKE_MAKE.format(folder=str(folders[1]), simulation=str(simulation))
    text = shown(monkeypatch, folders, script, terminal=True)
    steps = ["(small, 64 bits): Verilator", "(small, 64 bits): compiling", "2/3 files", "3/3 files"]
    places = [text.find(step) for step in steps]
    assert -1 not in places and places == sorted(places), text


def test_progress_elsewhere_is_one_line(monkeypatch, tmp_path):
    text = shown(monkeypatch, [tmp_path], "", terminal=False)
    assert text.count("\n") == 1 and "small, 64 bits" in text and "minute" in text


def test_inputs_are_evaluated_once_a_clock():
    """What the Makefile changes in Verilator's output is still found there."""
    build_simulator("small", 64)
    models = (simulator_build.BUILD / "simulation" / "models").glob("toe_server-small-64*")
    newest = max(models, key=lambda model: (model / "Vengine.mk").stat().st_mtime)
    text = "".join(path.read_text() for path in newest.glob("Vengine___024root__*[0-9].cpp"))
    assert text.count("__VicoFirstIteration = (0U == vlSelfRef.clk);") == 1
    assert "__VicoFirstIteration = 1U;" not in text


def test_fields_of_a_preset_can_be_given(tree, monkeypatch):
    """They go to the package that is compiled, in that preset alone; the build is another one."""
    package = simulator_build.CONFIG_PACKAGE
    monkeypatch.setattr(simulator_build, "_sources", lambda _: ([package, tree.rtl], []))
    build_simulator("cached", design=DESIGN)
    build_simulator("cached", design=DESIGN, settings={"Connections": 256, "Mtu": 9000})
    plain, given = tree.made
    assert given["BUILD"] != plain["BUILD"] and given["MODEL"] != plain["MODEL"]
    assert (plain["MTU"], given["MTU"]) == (1500, 9000)
    (path,) = re.findall(r"^.*toe_config_pkg.sv$", given["RTL_LIST"].read_text(), re.MULTILINE)
    changed = [
        (line, before)
        for line, before in zip(
            Path(path).read_text().splitlines(), package.read_text().splitlines(), strict=True
        )
        if line != before
    ]
    assert [line.strip() for line, _ in changed] == ["Connections: 256,", "Mtu: 9000,"]
    named = package.read_text().split("CachedConfig = '{")[1].split("}")[0]
    assert all(before in named for _, before in changed)


def test_a_field_that_is_none(tree):
    with pytest.raises(Failure, match="The configuration has no 'Conections'"):
        build_simulator(design=DESIGN, settings={"Conections": 256})


def test_a_netlist_takes_no_fields(tree):
    """It is mapped from the preset, so they would be ignored."""
    with pytest.raises(Failure, match="A netlist is of the preset as it is"):
        build_simulator(design=replace(DESIGN, netlist=True), settings={"Connections": 256})
    assert not tree.made
