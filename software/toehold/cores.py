# SPDX-License-Identifier: Apache-2.0
"""File lists from the FuseSoC .core files, which are the only lists of files there are.

A core is named by its full name ("toehold:rtl:stream:0.1.0"), without the version, or by its
last part ("stream").
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from toehold.console import fail
from toehold.paths import ROOT, relative

# The folders that hold cores: named, so that neither build results nor environments are searched.
FOLDERS = ("rtl", "registers", "boards", "simulation", "examples", "formal", "tests")


@dataclass(frozen=True)
class Core:
    name: str
    path: Path
    files: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    depend: tuple[str, ...]

    @property
    def short(self) -> str:
        return self.name.split(":")[2]


def _read(path: Path) -> Core:
    content = yaml.safe_load(path.read_text())
    if not isinstance(content, dict) or "name" not in content:
        fail(f"{relative(path)} is not a CAPI2 core: it has no name.")
    name = str(content["name"])
    if name.count(":") != 3:
        fail(f"{relative(path)}: {name!r} is not vendor:library:name:version.")
    files, include_dirs, depend = [], [], []
    filesets = content.get("filesets") or {}
    default = ((content.get("targets") or {}).get("default") or {}).get("filesets", list(filesets))
    for fileset_name in default:
        if fileset_name not in filesets:
            fail(f"{relative(path)}: the default target names no fileset {fileset_name!r}.")
        fileset = filesets[fileset_name]
        depend += [re.sub(r"^[<>=~^!]+", "", d) for d in fileset.get("depend") or []]
        for entry in fileset.get("files") or []:
            file, attributes = entry, {}
            if isinstance(entry, dict):
                ((file, attributes),) = entry.items()
            location = path.parent / file
            if attributes.get("is_include_file"):
                include_dirs.append(location.parent)
            else:
                files.append(location)
    return Core(name, path, tuple(files), tuple(include_dirs), tuple(depend))


# Folders with cores of other projects.
_libraries: list[Path] = []


@dataclass(frozen=True)
class System:
    """A module to be run or synthesised, of a project outside of Toehold."""

    core: str
    top: str


def add_system(path: Path) -> System:
    """The system that a .core file of another project describes; the cores beside it and in the
    folders below are known from now on."""
    if not path.is_file():
        fail(f"{path} is not a file; a system is named by its .core file.", 2)
    content = yaml.safe_load(path.read_text())
    found = _read(path)
    top = (((content.get("targets") or {}).get("default")) or {}).get("toplevel")
    if not isinstance(top, str):
        fail(f"{relative(path)}: the default target has no toplevel, so nothing says what to run.")
    folder = path.parent.resolve()
    if folder not in _libraries:
        _libraries.append(folder)
        all_cores.cache_clear()
    return System(found.name, top)


@cache
def all_cores(root: Path = ROOT) -> dict[str, Core]:
    """Every core of the repository, and of added libraries, by each name that it goes by."""
    found: dict[str, Core] = {}
    for folder in (*(root / name for name in FOLDERS), *_libraries):
        for path in sorted(folder.rglob("*.core")):
            if "build" in path.relative_to(folder).parts:  # where FuseSoC works
                continue
            core = _read(path)
            for key in (core.name, core.name.rpartition(":")[0], core.short):
                if key in found and not found[key].path.samefile(path):
                    fail(f"{relative(found[key].path)} and {relative(path)} both define {key}.")
                found[key] = core
    return found


def core(name: str, root: Path = ROOT) -> Core:
    cores = all_cores(root)
    if name not in cores:
        known = ", ".join(sorted({c.short for c in cores.values()})) or "none"
        fail(f"There is no core {name!r}; the cores are: {known}.")
    return cores[name]


def closure(core_names: Iterable[str], root: Path = ROOT) -> list[Core]:
    """The cores and all that they depend on, each after what it needs."""
    ordered: list[Core] = []
    state: dict[str, str] = {}

    def visit(name: str, chain: tuple[str, ...]) -> None:
        found = core(name, root)
        if state.get(found.name) == "done":
            return
        if state.get(found.name) == "open":
            fail(f"The cores depend on each other in a circle: {' -> '.join([*chain, name])}.")
        state[found.name] = "open"
        for file in found.files:
            if not file.exists():
                fail(f"{relative(found.path)} lists {file.name}, which does not exist.")
        for needed in found.depend:
            visit(needed, (*chain, name))
        state[found.name] = "done"
        ordered.append(found)

    for name in core_names:
        visit(name, ())
    return ordered


def sources(core_names: Iterable[str], root: Path = ROOT) -> tuple[list[Path], list[Path]]:
    """Source files in the order of compilation, and the folders of include files."""
    if isinstance(core_names, str):
        core_names = [core_names]
    files: dict[Path, None] = {}
    include_dirs: dict[Path, None] = {}
    for found in closure(core_names, root):
        files.update(dict.fromkeys(found.files))
        include_dirs.update(dict.fromkeys(found.include_dirs))
    return list(files), list(include_dirs)


def modules(found: Core) -> list[str]:
    """The modules of a core: one per file, and the file has its name."""
    names = []
    for file in found.files:
        if file.suffix != ".sv" or not file.exists():
            continue
        if re.search(rf"^module\s+{file.stem}\b", file.read_text(), re.M):
            names.append(file.stem)
    return names


def core_of_module(module: str, root: Path = ROOT) -> Core:
    """The core whose files define the module."""
    unique = {found.name: found for found in all_cores(root).values()}
    for found in unique.values():
        if module in modules(found):
            return found
    fail(f"There is no module {module!r} in any core; `toehold synth --list` names them all.")
