# SPDX-License-Identifier: Apache-2.0
"""Random events against the connection pipeline: `toehold fuzz`.

The program is tests/unit/tcp/engine/pipeline_fuzz: it models what surrounds the pipeline, throws
events at it, and checks after each what must hold in every TCP. It is built once for each of three
configurations, and each runs in a process of its own with a seed of its own.
"""

import fcntl
import hashlib
import json
import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from toehold import cores, results
from toehold.console import console, errors, fail
from toehold.paths import BUILD, ROOT, relative, tool_environment

FOLDER = ROOT / "tests" / "unit" / "tcp" / "engine"
TOP = "pipeline_fuzz"
GROUPS = ("kinds", "states", "reached", "bytes")


@dataclass(frozen=True)
class Variant:
    """Parameters of the pipeline. With four clocks what goes straight to the application is stored,
    too; with seven windows move as CUBIC's, half of the time segments are paced, and transmit rings
    have pages. Twelve are the sequencer's, which is as the pipeline with seven otherwise."""

    decide_clocks: int

    @property
    def parameters(self) -> dict[str, int]:
        short = self.decide_clocks == 4
        return {
            "DecideClocks": self.decide_clocks,
            "StoreDirect": int(short),
            "CubicFriendly": int(not short),
            "TxPageBytes": 0 if short else 256,
        }

    @property
    def macros(self) -> dict[str, int]:
        return {"TOEHOLD_PACING": int(self.decide_clocks != 4)}


VARIANTS = (Variant(4), Variant(7), Variant(12))


def build(variant: Variant) -> Path:
    """The program, built if it is not there yet; several callers at once build it once."""
    files, _ = cores.sources(["engine", "connections"])
    files = [*files, FOLDER / f"{TOP}.sv", FOLDER / f"{TOP}.cpp"]
    flags = [f"-G{name}={value}" for name, value in variant.parameters.items()]
    flags += [f"-D{name}={value}" for name, value in variant.macros.items()]
    digest = hashlib.sha256(json.dumps(flags).encode())
    for file in files:
        digest.update(f"{relative(file)}\n".encode() + file.read_bytes())
    work = BUILD / "unit" / f"{TOP}_{variant.decide_clocks}-{digest.hexdigest()[:12]}"
    work.mkdir(parents=True, exist_ok=True)
    command = [
        "verilator", "--cc", "--exe", "--build", "--prefix", f"V{TOP}", "--top-module", TOP, *flags,
        "-Mdir", str(work), "-Wno-fatal", "-Wno-lint", "-O3", "--unroll-count", "4",
        "--x-assign", "fast", "--x-initial", "fast", "-CFLAGS", "-O1 -std=c++17",
        "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", *map(str, files),
    ]  # fmt: skip
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (work / "complete").exists():
            done = subprocess.run(command, text=True, capture_output=True, env=tool_environment())
            if done.returncode:
                fail(f"{TOP} does not build:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
            (work / "complete").touch()
    return work / f"V{TOP}"


@dataclass
class Run:
    """One process."""

    program: Path
    variant: Variant
    seed: int
    events: int
    reached: int = 0  # events, while it runs
    said: str = ""  # what it found wrong
    counts: dict = field(default_factory=dict)
    status: int | None = None
    seconds: float = 0.0

    def go(self) -> None:
        started = time.monotonic()
        command = [str(self.program), str(self.seed), str(self.events), "progress"]
        with subprocess.Popen(
            command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            for line in process.stderr:
                if line.strip().isdigit():
                    self.reached = int(line)
            lines = process.stdout.read().splitlines()
        self.status = process.returncode
        self.seconds = time.monotonic() - started
        told = [line for line in lines if line.startswith("{")]
        self.counts = json.loads(told[-1]) if told else {}
        if self.status:
            self.said = "\n".join(lines) or f"{TOP} ended by {self.status}"
        self.reached = self.events


def document(runs: list[Run]) -> dict:
    """What is stored: a row for each process, and how often each kind of event and state was."""
    rows = [
        {
            "decide_clocks": run.variant.decide_clocks,
            "seed": run.seed,
            "events": run.counts.get("events", 0),
            "clocks": run.counts.get("clocks", 0),
            "violations": int(run.status != 0),
        }
        for run in runs
    ]
    for group in GROUPS:
        sums: Counter[str] = Counter()
        for run in runs:
            sums.update(run.counts.get(group, {}))
        # One row a word, so that a document can show a group.
        rows += [{"group": group, "what": word, "count": count} for word, count in sums.items()]
    return results.document(
        "fuzz",
        config={"seeds": [run.seed for run in runs]},
        rows=rows,
        summary={
            "events": sum(row.get("events", 0) for row in rows),
            "connections": sum(run.counts.get("reached", {}).get("connections", 0) for run in runs),
            "violations": sum(row.get("violations", 0) for row in rows),
            "seconds": round(max(run.seconds for run in runs), 1),
        },
    )


def _show_progress(runs: list[Run], threads: list[threading.Thread]) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[speed]}"))
    with Progress(*columns, TimeElapsedColumn(), console=errors, transient=True) as progress:
        tasks = [progress.add_task(f"seed {run.seed}", total=run.events, speed="") for run in runs]
        started = time.monotonic()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.5)
            for run, task in zip(runs, tasks, strict=True):
                speed = run.reached / (time.monotonic() - started)
                progress.update(task, completed=run.reached, speed=f"{speed:,.0f} events/s")


def fuzz_command(events: int, seed: int, json_file: Path | None, store: bool) -> int:
    """The exit status: 1 when something that must hold did not."""
    programs = []
    for variant in VARIANTS:
        with console.status(f"Building {TOP}, {variant.decide_clocks} clocks ..."):
            programs.append(build(variant))
    share = -(-events // len(VARIANTS))
    runs = [
        Run(program, variant, seed + number, share)
        for number, (program, variant) in enumerate(zip(programs, VARIANTS, strict=True))
    ]
    threads = [threading.Thread(target=run.go) for run in runs]
    for thread in threads:
        thread.start()
    _show_progress(runs, threads)
    for thread in threads:
        thread.join()
    content = document(runs)
    for run in runs:
        if run.status:
            errors.print(
                f"{run.said}\nThe same again: {run.program} {run.seed} {run.events}", markup=False
            )
    summary = content["summary"]
    speed = summary["events"] / max(summary["seconds"], 0.001)
    console.print(
        f"{summary['events']:,} events, {summary['connections']:,} connections, "
        f"{summary['violations']} violations, {speed:,.0f} events/s; "
        f"seeds {seed} to {seed + len(runs) - 1}.",
        markup=False,
    )
    written = results.write(content, json_file, store and not summary["violations"])
    console.print(f"Written to {', '.join(written)}.", markup=False, soft_wrap=True)
    return int(bool(summary["violations"]))
