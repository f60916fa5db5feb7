# SPDX-License-Identifier: Apache-2.0
"""What optional features cost: `toehold synth --features`.

A block, the whole engine if none is named, is mapped with each of them left out, one at a time, and
with all; a feature costs what is less then.
"""

import time

from rich.table import Table

from toehold import cores, elaborate, features, results, synth, yosys
from toehold.console import console, fail
from toehold.paths import BUILD, ROOT

NAME = "synth_features"
GAPS = ("2", "8")  # beside none, and as many as there are unless said otherwise


def variants() -> list[dict[str, str]]:
    """The macros of each engine; the first has all features, the second none. What has to be asked
    for is added, and not left out."""
    single = [{name: str(int(name in features.ASKED_FOR))} for name in features.macros()]
    return [{}, *single, *({"TOEHOLD_GAPS": count} for count in GAPS)]


def _document(top, preset, width, parameters, device, rows) -> dict:
    return results.document(
        NAME,
        config={
            "block": top,
            "preset": preset,
            "parameters": parameters,
            "width_bits": width,
            "device": device,
            "tools": synth.tools(),
            "date": results.date(),
        },
        rows=rows,
        summary={},
    )


def features_command(top, preset, width, parameters, device, json_file, store) -> None:
    device = "ecp5" if device == "all" else device
    if device not in synth.DEVICES:
        fail(f"There is no device {device!r}; choose from {', '.join(synth.DEVICES)}.", status=2)
    top = top or synth.ENGINE
    files, include_dirs = cores.sources([cores.core_of_module(top).name])
    rows = []
    for macros in variants():
        started = time.monotonic()
        shown = " ".join(f"{name}={value}" for name, value in macros.items()) or "all features"
        block = elaborate.elaborate(
            top, files, include_dirs, preset, width, parameters, defines=macros
        )
        folder = BUILD / "synth" / "features" / top / (features.label(macros) or "all")
        with console.status(f"{shown}: mapping to {synth.DEVICES[device].title}"):
            try:
                cells = synth.map_flat(block, synth.DEVICES[device], folder)
            except yosys.YosysError as error:
                log = folder / "yosys.log"
                log.write_text(error.log)
                fail(f"Yosys: {error}\nThe whole log is in {log.relative_to(ROOT)}.")
        figures = synth.figures(synth.DEVICES[device], cells)
        rows.append({"macros": shown, **figures})
        console.print(f"{rows[-1]}, {time.monotonic() - started:.0f} s", style="dim")
        # Each time, so that a run that is stopped has not been for nothing.
        written = results.write(
            _document(top, preset, width, parameters, device, rows), json_file, store
        )
    table = Table(*rows[0], show_edge=False)
    for row in rows:
        table.add_row(*(f"{v:,}" if isinstance(v, int) else v for v in row.values()))
    console.print(table)
    console.print(f"Written to {', '.join(written)}.", soft_wrap=True)
