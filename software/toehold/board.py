# SPDX-License-Identifier: Apache-2.0
"""A bitstream for a board: `toehold board`.

boards/NAME has the board's top, its pins (NAME.lpf) and NAME_io.py, which writes the module with
what LiteX and LiteEth bring: clock, MAC and PHY, register access. Yosys maps both together,
nextpnr places and routes, ecppack packs.
"""

import importlib.util
import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from rich.table import Table

from toehold import cores, features, results, synth, yosys
from toehold.console import console, errors, fail
from toehold.options import Preset
from toehold.paths import BUILD, ROOT, relative
from toehold.register_map import REGISTERS

FOLDER = ROOT / "boards"

# Cells of nextpnr's report whose use is shown.
SHOWN = ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "TRELLIS_IO", "EHXPLLL")


@dataclass(frozen=True)
class Board:
    """A board that the flow knows."""

    title: str
    # What nextpnr calls its device.
    part: tuple[str, ...]
    preset: str
    # Of the engine; its own io module makes it.
    clock_hz: int


BOARDS = {
    "ecpix5": Board(
        "LambdaConcept ECPIX-5 (LFE5UM5G-85F)",
        ("--um5g-85k", "--package", "CABGA554", "--speed", "8"),
        Preset.tiny.value,
        40_000_000,
    ),
}


def io_module(name: str) -> ModuleType:
    """boards/NAME/NAME_io.py."""
    path = FOLDER / name / f"{name}_io.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_io(name: str, folder: Path) -> Path:
    """The Verilog of the board's io module, in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}_io.v"
    io_module(name).make_verilog(path, BOARDS[name].clock_hz)
    return path


def write_register_list(folder: Path) -> Path:
    """The registers as LiteX's tools want to know them: csr.csv."""
    path = folder / "csr.csv"
    lines = ["constant,config_csr_data_width,32,,", "constant,config_bus_address_width,32,,"]
    for name, (address, _, writable, *_) in REGISTERS.items():
        # All of them can be read, if only as 0: litex_cli ends at the first that cannot.
        lines.append(f"csr_register,{name},{address:#x},1,{'rw' if writable else 'ro'}")
    path.write_text("\n".join(lines) + "\n")
    return path


def map_board(name: str, folder: Path) -> Path:
    """The netlist of the board's top, for place and route."""
    files, include_dirs = cores.sources([cores.core(name).name])
    read = yosys.read_slang(
        name,
        files,
        include_dirs,
        parameters={"ClockHz": BOARDS[name].clock_hz},
        defines=features.of(BOARDS[name].preset),
        extern_modules=True,
    )
    netlist = folder / f"{name}.json"
    yosys.run(
        [
            "read_verilog -lib -specify +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
            f"read_verilog {write_io(name, folder)}",
            read,
            *synth.mapping("synth_ecp5", name, folder / "synth.log", further=f"-json {netlist}"),
        ]
    )
    return synth.add_settings(netlist, name)


def route(name: str, netlist: Path, seed: int) -> dict:
    """Place and route; nextpnr's report. Its configuration of the device is NAME.config."""
    folder = netlist.parent
    shutil.copy(FOLDER / name / f"{name}.lpf", folder)
    synth.yowasp(
        "nextpnr-ecp5",
        [
            *BOARDS[name].part,
            *("--json", netlist.name, "--lpf", f"{name}.lpf", "--textcfg", f"{name}.config"),
            *("--report", "route.json", "--log", "route.log", "--quiet"),
            *("--seed", str(seed), "--timing-allow-fail", *synth.NEXTPNR),
        ],
        folder,
    )
    return json.loads((folder / "route.json").read_text())


def pack(name: str, folder: Path) -> list[Path]:
    """The bitstream, and the same as SVF for JTAG."""
    made = [folder / f"{name}.bit", folder / f"{name}.svf"]
    synth.yowasp(
        "ecppack",
        ["--compress", "--svf", made[1].name, "--input", f"{name}.config", "--bit", made[0].name],
        folder,
    )
    return made


def clock_name(net: str) -> str:
    """What a person calls the clock of a net."""
    return net.removeprefix("$glbnet$").split(".")[-1].removesuffix("$TRELLIS_IO_IN")


def measured(report: dict) -> tuple[list[dict], list[str]]:
    """Clocks and cells as rows, and which clocks do not reach what they have to."""
    rows, late = [], []
    for net, clock in sorted(report["fmax"].items()):
        row = {
            "clock": clock_name(net),
            "achieved_mhz": round(clock["achieved"], 2),
            "needed_mhz": round(clock["constraint"], 2),
        }
        rows.append(row)
        if clock["achieved"] < clock["constraint"]:
            late.append(row["clock"])
    for cell in SHOWN:
        use = report["utilization"][cell]
        rows.append({"cells": cell, "used": use["used"], "available": use["available"]})
    return rows, late


def _print(title: str, columns: tuple[str, ...], rows: list[dict]) -> None:
    table = Table(title=title, title_justify="left", show_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column.replace("_mhz", " (MHz)"), justify="right" if number else "left")
    for row in rows:
        if columns[0] in row:
            table.add_row(*(f"{row[c]:,}" if c != columns[0] else row[c] for c in columns))
    console.print(table)
    console.print()


def board_command(name: str, seed: int, json_file: Path | None, store: bool) -> int:
    if name not in BOARDS:
        fail(f"There is no board {name!r}; there are: {', '.join(BOARDS)}.", status=2)
    board = BOARDS[name]
    folder = BUILD / "boards" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_register_list(folder)
    started = time.monotonic()
    try:
        with console.status("") as status:

            def tell(what: str) -> None:
                minutes = (time.monotonic() - started) / 60
                status.update(f"{board.title}: {what} (begun after {minutes:.0f} min)")

            tell("mapping, some minutes")
            netlist = map_board(name, folder)
            tell("placing and routing, most of an hour")
            report = route(name, netlist, seed)
            tell("packing")
            made = pack(name, folder)
    except yosys.YosysError as error:
        log = folder / "yosys.log"
        log.write_text(error.log)
        fail(f"Yosys: {error}\nThe whole log is in {relative(log)}.")
    rows, late = measured(report)
    _print(board.title, ("clock", "achieved_mhz", "needed_mhz"), rows)
    _print("", ("cells", "used", "available"), rows)
    document = results.document(
        f"board_{name}",
        config={
            "board": board.title,
            "preset": board.preset,
            "seed": seed,
            "tools": synth.tools(),
            "date": results.date(),
        },
        rows=rows,
        summary={f"{r['clock']}_achieved_mhz": r["achieved_mhz"] for r in rows if "clock" in r},
    )
    written = results.write(document, json_file, store)
    console.print(f"Written to {', '.join(written)}.", soft_wrap=True)
    shown = ", ".join(f"{relative(path)} ({path.stat().st_size:,} bytes)" for path in made)
    if late:
        errors.print(
            f"{', '.join(late)}: slower than the board needs, so do not load {shown}; try another "
            f"--seed.",
            soft_wrap=True,
        )
        return 1
    console.print(f"Not run on hardware yet: {shown}.", soft_wrap=True)
    console.print(f"How to load it: {relative(FOLDER / name / 'README.md')}.", soft_wrap=True)
    return 0
