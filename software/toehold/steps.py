# SPDX-License-Identifier: Apache-2.0
"""The steps of a decision, each by itself: `toehold synth --steps`.

A step is a function (tcp_decide_pkg), so it has no place in a tree of blocks. Here each stands
alone between ports and is mapped to ECP5. Its depth is counted in cells, those of carry chains
included: for comparing steps with each other, not for a clock rate.

`--retime` asks instead whether registers have to be placed by hand: some steps with registers
behind them, all of one clock and one enable, which ABC may move into the logic.
"""

import re
import time
from collections import Counter
from pathlib import Path

from rich.table import Table

from toehold import cores, results, synth, yosys
from toehold.console import console, fail
from toehold.paths import BUILD, ROOT

NAME = "synth_steps"
RETIMED_NAME = "synth_retimed"

# What is retimed: steps of conditions, and one of sums.
RETIMED = ("segment_arrives", "timeout", "prepare")
REGISTERS = 2

# In the order of the pipeline: what a step is called, its result's type, the call.
STEPS = (
    ("read", "tcp_words_t", "tcp_read(e)"),
    ("mark", "tcp_marks_t", "tcp_mark(c, e, r)"),
    ("compare", "tcp_differences_t", "tcp_compare(c, e, w, Limits, s)"),
    ("check", "tcp_checks_t", "tcp_check(c, e, d, Limits, s)"),
    ("sum", "tcp_sums_t", "tcp_sum(c, e, d)"),
    ("segment_arrives", "tcp_verdict_t", "tcp_segment_arrives(c, e, d, Limits)"),
    ("timeout", "tcp_verdict_t", "tcp_timeout(c, e, d)"),
    ("user_call", "tcp_verdict_t", "tcp_user_call(c, e, d, Limits)"),
    ("prepare", "tcp_preparation_t", "tcp_prepare(c, e, d, u, Limits, s, k)"),
    ("plan", "tcp_plan_t", "tcp_plan(c, e, d, v, p, Limits, s)"),
    ("update", "connection_t", "tcp_update(c, e, d, v, p, n, Limits, s)"),
    ("look_out", "tcp_outlook_t", "tcp_look_out(c, e, d, v, p, n, Limits, s)"),
    ("weigh", "tcp_weights_t", "tcp_weigh(c, e, v, o)"),
    ("portion", "portion_t", "tcp_portion(c, e, v, o)"),
    ("conclude", "tcp_decision_t", "tcp_conclude(c, e, v, o, q)"),
    ("output", "connection_t", "tcp_output(c, e, o, q, t)"),
    ("query", "tcp_answer_t", "tcp_query(c, e)"),
    ("ask", "tcp_terms_t", "tcp_ask(c, a, v, o)"),
    ("tell", "tcp_told_t", "tcp_tell(c, e, v, m, Limits)"),
    ("act", "tcp_actions_t", "tcp_act(c, '0, e, v, o, t, l, Limits)"),
)

SHELL = """
module step
  import seq_pkg::*;
  import tcp_pkg::*;
  import tcp_decide_pkg::*;
  import toe_config_pkg::tcp_settings_t;
  import tcp_compare_pkg::*;
  import tcp_segment_arrives_pkg::tcp_segment_arrives;
  import tcp_user_call_pkg::tcp_user_call;
  import tcp_timeout_pkg::tcp_timeout;
  import tcp_plan_pkg::*;
  import tcp_update_pkg::*;
  import tcp_output_pkg::*;
  import tcp_act_pkg::*;
(
  input connection_t c, input tcp_event_t e, input tcp_marks_t w, input tcp_differences_t d,
  input tcp_verdict_t v, input tcp_preparation_t p, input tcp_outlook_t o, input portion_t q,
  input tcp_decision_t t, input tcp_sums_t u, input tcp_told_t l, input tcp_settings_t s,
  input settings_classes_t k, input tcp_plan_t n, input tcp_words_t r,
  input tcp_terms_t m, input tcp_answer_t a,
  output {kind} result
);
  localparam tcp_limits_t Limits = '{{
      tx_ring_bytes: 2048, tx_page_bits: 0, rx_window: 2048, rx_page_bits: 0, rx_scale: 0,
      mss: 1460, store_direct: 0, early_bytes: 0
  }};
  assign result = {call};
endmodule
"""


BEHIND = """
  {kind} behind[{registers} + 1];
  assign behind[0] = {call};
  for (genvar i = 0; i < {registers}; i++) begin : gen_behind
    always_ff @(posedge clk) if (enable) behind[i+1] <= behind[i];
  end
  assign result = behind[{registers}];
"""


def retimed_mapping(log: Path, carries: bool) -> list[str]:
    """As a step is mapped, but ABC has logic and registers together before it maps the logic.

    All registers must be of one kind for that: a synchronous reset which Yosys has found would
    divide the logic, too, and no register moves across.
    """
    coarse = synth.ecp5_coarse("step", log)
    own = "synth_ecp5 -top step" + ("" if carries else " -noccu2")
    fine = (
        f"{own} -run map_ram:map_ffs",
        "dffunmap -srst-only",
        "opt_clean",
        "abc -dff -D 1",
        f"{own} -run map_ffs:",
    )
    return [*coarse, *(f"tee -q -a {log} {line}" for line in fine)]


def _map(text: str, mapping: list[str], folder: Path) -> tuple[Counter, int]:
    """The cells of a module `step`, and how many of them are on its longest path between
    registers and ports."""
    source = folder / "step.sv"
    source.write_text(text)
    files, include_dirs = cores.sources([cores.core_of_module("connection_pipeline").name])
    yosys.run(
        [
            yosys.read_slang("step", [*files, source], include_dirs),
            *mapping,
            f"tee -q -o {folder}/stat.json stat -json -top step",
            "delete t:TRELLIS_FF",  # which ends a path
            f"tee -q -o {folder}/ltp.log ltp -noff",
        ]
    )
    levels = re.search(r"length=(\d+)", (folder / "ltp.log").read_text())
    return synth.cells_of(folder / "stat.json", "step"), int(levels[1]) if levels else 0


def measure(name: str, kind: str, call: str, folder: Path) -> dict:
    """Area and depth of one step."""
    folder.mkdir(parents=True, exist_ok=True)
    text = SHELL.format(kind=kind, call=call)
    cells, depth = _map(text, synth.mapping("synth_ecp5", "step", folder / "synth.log"), folder)
    return {
        "step": name,
        "lut4": synth.figures(synth.DEVICES["ecp5"], cells)["lut4"],
        "cells on the longest path": depth,
    }


def measure_retimed(
    name: str, kind: str, call: str, registers: int, carries: bool, folder: Path
) -> dict:
    """The same of a step with registers behind it, after retiming."""
    folder.mkdir(parents=True, exist_ok=True)
    text = SHELL.format(kind=kind, call=call)
    behind = BEHIND.format(kind=kind, call=call, registers=registers)
    text = text.replace(f"  assign result = {call};\n", behind)
    text = text.replace("\n(\n", "\n(\n  input logic clk, input logic enable,\n", 1)
    cells, depth = _map(text, retimed_mapping(folder / "synth.log", carries), folder)
    values = synth.figures(synth.DEVICES["ecp5"], cells)
    return {
        "step": name,
        "registers behind": registers,
        "carry cells": carries,
        "lut4": values["lut4"],
        "ff": values["ff"],
        "cells on the longest path": depth,
    }


def steps_command(json_file: Path | None, store: bool, retime: bool = False) -> None:
    jobs = []
    for step in STEPS:
        if not retime:
            jobs.append((step[0], measure, step))
        elif step[0] in RETIMED:
            for carries in (True, False):
                for registers in (0, REGISTERS):
                    name = f"{step[0]}_{registers}_{'carries' if carries else 'luts'}"
                    jobs.append((name, measure_retimed, (*step, registers, carries)))
    rows = []
    for name, function, arguments in jobs:
        started = time.monotonic()
        folder = BUILD / "synth" / "steps" / name
        with console.status(f"{name}: mapping to ECP5"):
            try:
                rows.append(function(*arguments, folder))
            except yosys.YosysError as error:
                log = folder / "yosys.log"
                log.write_text(error.log)
                fail(f"Yosys: {error}\nThe whole log is in {log.relative_to(ROOT)}.")
        console.print(f"{name}: {time.monotonic() - started:.0f} s", style="dim")
    table = Table(*(key.upper() if len(key) < 5 else key for key in rows[0]), show_edge=False)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console.print(table)
    document = results.document(
        RETIMED_NAME if retime else NAME,
        config={"tools": synth.tools(), "date": results.date()},
        rows=rows,
        summary={} if retime else {f"lut_{row['step']}": row["lut4"] for row in rows},
    )
    written = results.write(document, json_file, store)
    console.print(f"Written to {', '.join(written)}.", soft_wrap=True)
