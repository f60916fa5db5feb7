# SPDX-License-Identifier: Apache-2.0
"""Builds a module with Verilator and runs the cocotb tests of a Python module on it.

    def test_stream_fifo():
        simulate(top="stream_fifo", core="stream", test_module=__file__, parameters={"Depth": 5})

Builds are kept in build/unit/ and used again while sources and options stay the same. Registers
without reset and memories start with values drawn from the seed, so that nothing can rely on them.
The seed is the same in each run, so that a run tells of the code alone; TOEHOLD_SEED=n takes
another, as every round of `toehold soak` does. A failure names it.
"""

import fcntl
import hashlib
import inspect
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cocotb_tools.runner import get_runner

from toehold import cores, netlist
from toehold.lint import WAIVERS
from toehold.paths import BUILD, relative, tool_environment

# Warnings are errors, with the waivers of `toehold lint`; whatever else a source needs it carries
# itself. One C++ file for all builds faster than several that include the same headers.
BUILD_ARGS = [
    str(WAIVERS),
    "-Wall",
    "--output-split", "0", "--output-split-cfuncs", "1000",
    "--x-assign", "unique",
    "--x-initial", "unique",
    "-O3",
    "-CFLAGS", "-Og",
]  # fmt: skip

# A netlist is not ours to lint, and takes longer to optimise than to simulate.
NETLIST_ARGS = [
    "-Wno-fatal", "-Wno-lint",
    "--x-assign", "unique",
    "--x-initial", "unique",
    "-O3",
    "-CFLAGS", "-O0",
]  # fmt: skip


def run_seed() -> int:
    """What tests draw from: TOEHOLD_SEED, or 1."""
    return int(os.environ.get("TOEHOLD_SEED") or 1)


def simulate(
    top: str,
    test_module: str,
    parameters: Mapping[str, object] | None = None,
    core: str | Iterable[str] | None = None,
    defines: Mapping[str, object] | None = None,
    extra_sources: Iterable[Path | str] = (),
    build_args: Iterable[str] = (),
    waves: bool = False,
    seed: int | None = None,
    testcase: str | Iterable[str] | None = None,
    environment: Mapping[str, str] | None = None,
    as_netlist: bool = False,
) -> None:
    """Run the cocotb tests of `test_module` on `top`; the first that fails fails the caller.

    test_module  a path (usually __file__), or the name of a module beside the caller
    core         the .core, or several, with the sources; by default the one that has `top`
    waves        write dump.vcd; also with TOEHOLD_WAVES=1
    as_netlist   what Yosys makes of the module for ECP5, in place of its RTL; its ports alone have
                 their names
    """
    __tracebackhide__ = True
    folder, module = _locate(test_module, Path(inspect.stack()[1].filename).parent)
    parameters, defines = dict(parameters or {}), dict(defines or {})
    waves = waves or os.environ.get("TOEHOLD_WAVES", "0") not in ("", "0")
    if seed is None:
        seed = run_seed()

    names = [cores.core_of_module(top).name] if core is None else core
    files, include_dirs = cores.sources(names)
    files += [folder / source for source in extra_sources]
    own_parameters, base_args = parameters, BUILD_ARGS
    if as_netlist:
        mapped = netlist.map_to_ecp5(top, files, include_dirs, parameters, defines)
        files, include_dirs = list(mapped.sources), []
        own_parameters, defines, base_args = {}, {netlist.MODELS_DEFINE: 1}, NETLIST_ARGS
    arguments = [*base_args, *build_args, *(["--trace-structs"] if waves else [])]

    signature = json.dumps(
        [parameters, defines, arguments, waves, as_netlist], default=str, sort_keys=True
    )
    name = f"{top}-{hashlib.sha256(signature.encode()).hexdigest()[:10]}"
    build_dir = BUILD / "unit" / name
    build_dir.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(signature.encode())
    for file in (*files, WAIVERS):
        digest.update(f"{file}\n".encode() + file.read_bytes())

    os.environ.update(tool_environment())
    cache = Path(__file__).with_name("object_cache.py")
    os.environ["OBJCACHE"] = f"{sys.executable} {cache} {BUILD / 'unit' / '.runtime'}"
    # The wheel's makefile names the precompiled header without the option that includes it.
    # And that a model has several files is no reason to compile them one by one.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include VM_PARALLEL_BUILDS=0"
    runner = get_runner("verilator")
    runner.log.setLevel(logging.WARNING)
    build_log = build_dir / "build.log"
    stamp = build_dir / "stamp"
    with (build_dir / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != digest.hexdigest():
            stamp.unlink(missing_ok=True)
            try:
                runner.build(
                    sources=files, includes=include_dirs, hdl_toplevel=top,
                    parameters=own_parameters, defines=defines, build_args=arguments,
                    build_dir=build_dir, waves=waves,
                    timescale=("1ns", "1ps"), log_file=build_log, always=True,
                )  # fmt: skip
            except (subprocess.CalledProcessError, RuntimeError, SystemExit) as error:
                log = build_log.read_text() if build_log.exists() else str(error)
                pytest.fail(f"{top} does not build:\n{_essence(log)}", pytrace=False)
            stamp.write_text(digest.hexdigest())
        else:
            # The runner's test() wants to know what build() would have told it.
            runner.build_dir, runner.waves = build_dir, waves
            runner._sources = runner._vhdl_sources = runner._verilog_sources = []

    run_dir = build_dir / f"{module}-{os.getpid()}"
    shutil.rmtree(run_dir, ignore_errors=True)
    run_dir.mkdir()
    log_file = run_dir / "test.log"
    results = run_dir / "results.xml"
    failure = ""
    sys.path.insert(0, str(folder))  # the runner hands sys.path on to the simulation
    try:
        runner.test(
            hdl_toplevel=top, hdl_toplevel_lang="verilog", test_module=module,
            testcase=list(testcase) if testcase and not isinstance(testcase, str) else testcase,
            build_dir=build_dir, test_dir=run_dir, results_xml=str(results), seed=seed, waves=waves,
            parameters=own_parameters, log_file=log_file,
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{seed}"],
            extra_env={
                "COCOTB_ANSI_OUTPUT": "0",
                "TOEHOLD_PARAMETERS": json.dumps(parameters),
                **(environment or {}),
            },
        )  # fmt: skip
    except (subprocess.CalledProcessError, RuntimeError, SystemExit) as error:
        failure = str(error)
    finally:
        sys.path.remove(str(folder))
    _judge(top, parameters, seed, results, log_file, failure)
    if not waves:
        shutil.rmtree(run_dir)


def parameter(name: str, default: int | None = None) -> int:
    """In a cocotb test: the parameter that simulate() was given."""
    given = json.loads(os.environ.get("TOEHOLD_PARAMETERS", "{}"))
    if name not in given and default is None:
        raise KeyError(f"simulate() was given no parameter {name}")
    return int(given.get(name, default))


def _locate(test_module: str | Path, caller: Path) -> tuple[Path, str]:
    path = Path(test_module)
    if path.suffix == ".py":
        return path.resolve().parent, path.stem
    return caller.resolve(), str(test_module)


def _judge(top, parameters, seed, results: Path, log_file: Path, failure: str) -> None:
    """pytest.fail with the messages of the tests that failed, or of the run that did not end."""
    __tracebackhide__ = True
    setting = ", ".join(f"{key}={value}" for key, value in parameters.items())
    subject = f"{top}({setting}), TOEHOLD_SEED={seed}, log {relative(log_file)}"
    log = log_file.read_text(errors="replace") if log_file.exists() else ""
    if not results.exists():
        pytest.fail(f"{subject}: the simulation ended early. {failure}\n{_essence(log)}", False)
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    messages = []
    for case in cases:
        for kind in ("failure", "error"):
            for element in case.findall(kind):
                text = element.get("error_msg") or element.get("message") or element.text or ""
                messages.append(f"{case.get('name')}: {text.strip()}")
    if messages:
        listing = "\n".join(messages)
        pytest.fail(f"{subject}\n{listing}\n{_essence(log)}", pytrace=False)
    if failure:
        pytest.fail(f"{subject}: {failure}\n{_essence(log)}", pytrace=False)
    if not cases:
        pytest.fail(f"{subject}: there is no cocotb test in the module.", pytrace=False)


def _essence(log: str, lines: int = 40) -> str:
    """Where a log gets interesting: from the first error on, or its end."""
    content = log.splitlines()
    marks = ("%Error", "%Warning", "Traceback", "error:", "AssertionError")
    first = next((i for i, line in enumerate(content) if any(m in line for m in marks)), None)
    return "\n".join(content[-lines:] if first is None else content[first : first + lines])
