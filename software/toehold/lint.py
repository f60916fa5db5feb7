# SPDX-License-Identifier: Apache-2.0
"""All checks of the sources that need no simulation: `toehold lint`."""

import re
import subprocess
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from toehold import cores, elaborate, features, yosys
from toehold.console import console, fail
from toehold.options import Preset
from toehold.paths import BUILD, ROOT, VENV_BIN, relative, tool_environment
from toehold.processes import PROCESSES

WAIVERS = ROOT / "rtl" / "lint_waivers.vlt"
WIDE = "512"
# Presets that differ in more than sizes, by their numbers: what cuts through, and what has all
# the rest.
CUT_THROUGH = str(list(Preset).index(Preset.low_latency))
MILLION = str(list(Preset).index(Preset.million))
MACROS = features.macros()  # what else a top is given is a parameter

# Presets beside the default one, for Yosys: what makes many words of memory is set to less. That
# takes seconds instead of minutes and leaves out no block.
FEW = {"Connections": "64"}
FEW_ON_CHIP = {"StateCacheEntries": "16", "TupleCacheEntries": "8"}
SHORT = {"TxRingBytes": "4096", "RxRingBytes": "4096"}
LESS = {
    Preset.datacenter.value: FEW | SHORT,
    # A window that is scaled.
    Preset.bulk.value: {"Connections": "4", "TxRingBytes": "16384", "RxRingBytes": "131072"},
    Preset.cached.value: {},
    Preset.low_latency.value: FEW,
    Preset.scale.value: FEW | FEW_ON_CHIP,
    Preset.million.value: FEW | FEW_ON_CHIP | {"TxPages": "256", "RxPages": "256"},
    Preset.tiny.value: {},
}

# Suffixes, and names of files without one, that must carry an SPDX line.
SPDX_SUFFIXES = (
    ".sv .svh .v .vlt .py .c .cc .cpp .h .hpp .core .rdl .toml .sh .lpf .xdc .sdc .mk .tcl"
).split()
SPDX_NAMES = ("Makefile", "run", "requirements.txt", ".rules.verible_lint")
SPDX_LINE = "SPDX-License-Identifier: Apache-2.0"

# Verible and ruff do not judge what others generate.
GENERATED = ("registers/generated/",)


@dataclass(frozen=True)
class Outcome:
    checked: str
    problems: list[str]


def tracked(*suffixes: str, root: Path = ROOT) -> list[Path]:
    """Files of the repository, also those that are not committed yet, with one of the suffixes."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        # No repository: an unpacked archive.
        names = [
            str(path.relative_to(root))
            for path in root.rglob("*")
            if path.is_file() and not {".venv", "build", ".git"} & set(path.parts)
        ]
    else:
        names = [name for name in done.stdout.split("\0") if name]
    return [
        root / name
        for name in sorted(set(names))
        if (not suffixes or Path(name).suffix in suffixes) and (root / name).is_file()
    ]


def _hand_written(paths: Iterable[Path], root: Path = ROOT) -> list[Path]:
    return [p for p in paths if not str(p.relative_to(root)).startswith(GENERATED)]


def _is_synthesised(path: Path) -> bool:
    return any(
        path.is_relative_to(ROOT / folder) for folder in ("rtl", "examples", "boards/common")
    )


def _tops() -> list[tuple[str, dict[str, str], list[Path], list[Path]]]:
    """Every module as a top, by itself and, where there is a data width, also at the widest; where
    there is a preset, also that which cuts through and, where there is memory, the largest."""
    found = []
    for core in sorted(
        {c.name: c for c in cores.all_cores().values()}.values(), key=lambda c: c.name
    ):
        if not _is_synthesised(core.path) and core.short != "registers":
            continue
        files, include_dirs = cores.sources([core.name])
        for module in cores.modules(core):
            if "/generated/" in str(next(f for f in core.files if f.stem == module)):
                continue
            found.append((module, {}, files, include_dirs))
            text = next(f for f in core.files if f.stem == module).read_text()
            if re.search(r"^\s*parameter\s+int\s+(unsigned\s+)?DataWidth\b", text, re.M):
                found.append((module, {"DataWidth": WIDE}, files, include_dirs))
            if re.search(r"^\s*parameter\s+int\s+Preset\b", text, re.M):
                found.append((module, {"Preset": CUT_THROUGH}, files, include_dirs))
                if "has no memory" not in text:
                    found.append((module, {"Preset": MILLION}, files, include_dirs))
    return found


def _roots(tops: list) -> list:
    """The tops that no other module instantiates: flattened, they hold all the others."""
    modules = {top[0]: next(f for f in top[2] if f.stem == top[0]) for top in tops}
    bodies = {name: re.sub(r"//.*", "", file.read_text()) for name, file in modules.items()}
    used = {
        name
        for name in modules
        for other, body in bodies.items()
        if other != name and re.search(rf"^\s*{name}\s*(#\s*\(|\w+\s*\()", body, re.M)
    }
    return [top for top in tops if top[0] not in used]


def _named(module: str, parameters: dict[str, str]) -> str:
    return " ".join([module, *(f"{name}={value}" for name, value in parameters.items())])


def verilator_problems(
    top: str, parameters: dict[str, str], files: list[Path], include_dirs: list[Path]
) -> list[str]:
    """What `verilator --lint-only -Wall` says of the top."""
    environment = tool_environment()
    done = subprocess.run(
        [
            str(Path(environment["VERILATOR_ROOT"]) / "bin" / "verilator"),
            *("--lint-only", "-Wall", "--top-module", top),
            *(
                f"-{'D' if name in MACROS else 'G'}{name}={value}"
                for name, value in parameters.items()
            ),
            *(f"-I{folder}" for folder in include_dirs),
            *([str(WAIVERS)] if WAIVERS.exists() else []),
            *map(str, files),
        ],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
    )
    if not done.returncode:
        return []
    said = [line for line in done.stderr.splitlines() if re.match(r"%(Warning|Error)", line)]
    return [
        f"{_named(top, parameters)}: {line.replace(f'{ROOT}/', '')}"
        for line in said
        if "Exiting due to" not in line
    ] or [f"{_named(top, parameters)}: verilator ended by {done.returncode}"]


def yosys_problems(
    top: str, parameters: dict[str, str], files: list[Path], include_dirs: list[Path]
) -> list[str]:
    """Latches, combinational loops and several drivers, by Yosys."""
    name = _named(top, parameters)
    try:
        yosys.run(
            [
                yosys.read_slang(
                    top,
                    files,
                    include_dirs,
                    {name: value for name, value in parameters.items() if name not in MACROS},
                    {name: value for name, value in parameters.items() if name in MACROS},
                ),
                "hierarchy -check",
                "proc",
                "flatten",
                "opt_expr",
                "opt_clean",
                "check -assert",
                "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr",
            ]
        )
    except yosys.YosysError as error:
        said = [
            line.replace(f"{ROOT}/", "")
            for line in error.log.splitlines()
            if line.startswith("Warning:")
            or "error:" in line.lower()
            or "assertion" in line.lower()
        ]
        return [f"{name}: {line}" for line in said] or [f"{name}: {error}"]
    return []


def _each(tops: list, judge: Callable[..., list[str]], what: str) -> Outcome:
    with ThreadPoolExecutor(PROCESSES) as pool:
        found = [line for lines in pool.map(lambda t: judge(*t), tops) for line in lines]
    # The same line of a source is judged under several tops: say it once.
    problems = {line.partition(": ")[2]: line for line in reversed(found)}
    return Outcome(f"{len(tops)} {what}", list(reversed(problems.values())))


def _of_widths(tops: list, wide: bool) -> list:
    """All, or without those that are there at 512 bits as well. The engine of 512 bits is in
    toe_100g in any case."""
    return [top for top in tops if wide or top[1].get("DataWidth") != WIDE]


def feature_tops() -> list[tuple[str, dict[str, str], list[Path], list[Path]]]:
    """The engine with other numbers of gaps than four, without what it can do without, and with
    what it has only when asked."""
    files, include_dirs = cores.sources([cores.core_of_module("toe").name])
    chosen = (
        {"TOEHOLD_GAPS": "2"}, {"TOEHOLD_GAPS": "8"}, {features.ALL: "0"}, {"TOEHOLD_PACING": "1"},
    )  # fmt: skip
    return [("toe", macros, files, include_dirs) for macros in chosen]


def check_verilator(wide: bool = True) -> Outcome:
    """verilator --lint-only -Wall: every module that no other one uses"""
    tops = _of_widths(_roots(_tops()), wide)
    return _each([*tops, *feature_tops()], verilator_problems, "elaborations")


def preset_tops() -> list[tuple[str, dict[str, str], list[Path], list[Path]]]:
    """The engine of every preset but the default one, each in a wrapper of its name."""
    files, include_dirs = cores.sources([cores.core_of_module("toe").name])
    found = []
    for preset, settings in LESS.items():
        macros = features.OF_PRESET.get(preset, {})
        block = elaborate.elaborate(
            "toe", files, include_dirs, preset, settings=settings, defines=macros
        )
        name = f"toe_{preset.replace('-', '_')}"
        wrapper = BUILD / "lint" / f"{name}.sv"
        wrapper.parent.mkdir(parents=True, exist_ok=True)
        wrapper.write_text(elaborate.shell(block, name))
        found.append((name, macros, [*files, wrapper], include_dirs))
    return found


def check_yosys(wide: bool = True) -> Outcome:
    """latches, combinational loops, several drivers: modules that no other one uses, presets"""
    tops = [top for top in _of_widths(_roots(_tops()), wide) if "Preset" not in top[1]]
    return _each([*tops, *preset_tops()], yosys_problems, "elaborations")


def check_cores() -> Outcome:
    """every RTL file is in exactly one .core, and every .core resolves"""
    listed: dict[Path, list[str]] = {}
    problems = []
    unique = {c.name: c for c in cores.all_cores().values()}
    for core in unique.values():
        cores.sources([core.name])
        for file in core.files:
            listed.setdefault(file.resolve(), []).append(relative(core.path))
    files = [p for p in tracked(".sv", ".v") if _is_synthesised(p)]
    for file in files:
        owners = listed.get(file.resolve(), [])
        if len(owners) != 1:
            problems.append(f"{relative(file)} is in {', '.join(owners) or 'no .core'}")
    return Outcome(f"{len(unique)} cores", problems)


def _verible(program: str, arguments: list[str], files: list[Path]) -> list[str]:
    problems = []
    for file in files:
        done = subprocess.run(
            [str(VENV_BIN / program), *arguments, str(file)],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        if done.returncode:
            lines = (done.stdout + done.stderr).strip().splitlines()
            problems += [line.replace(f"{ROOT}/", "") for line in lines]
    return problems


def _verilog_files() -> list[Path]:
    return _hand_written(tracked(".sv", ".svh"))


def check_format() -> Outcome:
    """SystemVerilog is as verible-verilog-format writes it"""
    files = _verilog_files()
    arguments = ["--flagfile=.verible-format", "--verify"]
    wrong = [
        f"{relative(file)} is not formatted: `make format` rewrites it"
        for file in files
        if _verible("verible-verilog-format", arguments, [file])
    ]
    return Outcome(f"{len(files)} files", wrong)


def check_style() -> Outcome:
    """verible-verilog-lint with .rules.verible_lint"""
    files = _verilog_files()
    arguments = [f"--rules_config={ROOT / '.rules.verible_lint'}"]
    return Outcome(f"{len(files)} files", _verible("verible-verilog-lint", arguments, files))


def spdx_problems(paths: Iterable[Path], root: Path = ROOT) -> list[str]:
    """Files that do not say their licence in the first line, or in the second after `#!`."""
    problems = []
    for path in paths:
        if path.suffix not in SPDX_SUFFIXES and path.name not in SPDX_NAMES:
            continue
        lines = path.read_text(errors="replace").splitlines()[:2]
        # FuseSoC wants its own mark first.
        if lines and (lines[0].startswith(("#!", "CAPI=2"))):
            lines = lines[1:]
        if not lines or SPDX_LINE not in lines[0]:
            problems.append(f"{path.relative_to(root)} has no SPDX line at its beginning")
    return problems


def check_licence() -> Outcome:
    """an SPDX line first in every source file"""
    files = tracked()
    return Outcome(f"{len(files)} files", spdx_problems(files))


def check_registers() -> Outcome:
    """what is generated from registers/*.rdl is up to date"""
    from toehold import register_generator

    problems = [
        f"{relative(p)} is out of date: `make registers`" for p in register_generator.stale()
    ]
    return Outcome("generated files", problems)


def check_documents() -> Outcome:
    """figures and diagrams in the documents are those of the stored results"""
    from toehold import docs

    problems = [f"{relative(path)} is out of date: `make docs`" for path in docs.stale()]
    return Outcome("documents", problems)


def check_python() -> Outcome:
    """ruff check and ruff format"""
    problems = []
    for arguments in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [str(VENV_BIN / "ruff"), *arguments, "--quiet", "--output-format=concise", "."],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        if done.returncode:
            problems += (done.stdout + done.stderr).strip().splitlines()
    return Outcome(f"{len(tracked('.py'))} files", problems)


CHECKS: dict[str, Callable[[], Outcome]] = {
    "licence": check_licence,
    "cores": check_cores,
    "style": check_style,
    "format": check_format,
    "verilator": check_verilator,
    "yosys": check_yosys,
    "registers": check_registers,
    "documents": check_documents,
    "python": check_python,
}


def lint_command(names: list[str]) -> int:
    for name in names:
        if name not in CHECKS:
            fail(f"There is no check {name!r}; choose from {', '.join(CHECKS)}.", status=2)
    failed = []
    for name in names or CHECKS:
        started = time.monotonic()
        with console.status(f"{name}: {CHECKS[name].__doc__}"):
            outcome = CHECKS[name]()
        verdict = f"[red]{len(outcome.problems)} problems[/red]" if outcome.problems else "ok"
        console.print(
            f"{name:<11}{verdict}, {outcome.checked} in {time.monotonic() - started:.1f} s"
        )
        for line in outcome.problems:
            console.print(f"  {escape(line)}", soft_wrap=True)
        if outcome.problems:
            failed.append(name)
    if failed:
        console.print(f"[red]lint failed: {', '.join(failed)}[/red]")
    return 1 if failed else 0


def format_command(paths: list[Path]) -> None:
    if paths:
        chosen = []
        for path in paths:
            if not path.exists():
                fail(f"There is no {path}.")
            chosen += [path] if path.is_file() else sorted(path.rglob("*"))
    else:
        chosen = _hand_written(tracked(".sv", ".svh", ".py"))
    verilog = [p for p in chosen if p.suffix in (".sv", ".svh")]
    python = [p for p in chosen if p.suffix == ".py"]
    problems = _verible(
        "verible-verilog-format", [f"--flagfile={ROOT / '.verible-format'}", "--inplace"], verilog
    )
    for line in problems:
        console.print(escape(line), soft_wrap=True)
    if python:
        ruff = str(VENV_BIN / "ruff")
        quiet = ["--quiet", "--force-exclude", *map(str, python)]
        subprocess.run([ruff, "check", "--fix", *quiet], cwd=ROOT)
        subprocess.run([ruff, "format", *quiet], cwd=ROOT)
    console.print(f"Formatted {len(verilog)} SystemVerilog and {len(python)} Python files.")
