# SPDX-License-Identifier: Apache-2.0
"""The netlist that Yosys makes of a module for ECP5, as Verilog that Verilator takes.

It is mapped as `toehold synth` maps it, flattened. The cells come from Yosys's own models; of the
block RAM Yosys has the ports alone, so that one is simulation/rtl/DP16KD.sv.
"""

import fcntl
import hashlib
import importlib.metadata
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toehold import cores, synth, yosys
from toehold.console import fail
from toehold.paths import BUILD, relative

BLOCK_RAM = "ecp5_block_ram"

# Without it Yosys's models include files of cells that a netlist does not have.
MODELS_DEFINE = "NO_INCLUDES"

# What gives registers and LUT RAM their first values in Yosys's models, as configuration does in
# the device, and what stands there instead. They start with values drawn at random (--x-initial
# unique): what has no reset must not matter, and what has one must not need more than that.
FIRST_VALUES = {
    r"^\s*initial Q = srval;$": "",
    r"^\s*mem\[i\] <= INITVAL\[.*\];$": ";",
}

# Wires and cells that have their names from Yosys. The generated C++ has them in every line.
MADE_UP = ("LUT4", "PFUMX", "L6MUX21", "CCU2C", "TRELLIS", "DP16KD")


@dataclass(frozen=True)
class Netlist:
    """What Verilator is given, and how many cells of each type the netlist has."""

    sources: tuple[Path, ...]
    cells: Counter


def map_to_ecp5(
    top: str,
    files: list[Path],
    include_dirs: list[Path],
    parameters: Mapping[str, object] | None = None,
    defines: Mapping[str, object] | None = None,
) -> Netlist:
    """The netlist of the module, mapped once for each content of the sources."""
    folder = BUILD / "netlists" / f"{top}-{_key(top, files, include_dirs, parameters, defines)}"
    folder.mkdir(parents=True, exist_ok=True)
    netlist, counts = folder / "netlist.v", folder / "stat.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _map(top, files, include_dirs, parameters, defines, folder)
            (folder / "complete").touch()
        models = _cell_models(folder)
    return Netlist((netlist, *models), synth.cells_of(counts, top))


def ingredients() -> list[Path]:
    """Files on which what is simulated depends beside those of the design."""
    return cores.sources([BLOCK_RAM])[0]


def made_by() -> str:
    """On what else it depends: the tool, what it is told, and what is changed in the models."""
    told = [*synth.mapping("synth_ecp5", "TOP", Path("LOG")), *_written(Path("FOLDER"))]
    return json.dumps([importlib.metadata.version("pyosys"), told, FIRST_VALUES])


def _key(top, files, include_dirs, parameters, defines) -> str:
    words = [top, dict(parameters or {}), dict(defines or {}), made_by()]
    digest = hashlib.sha256(json.dumps(words, default=str, sort_keys=True).encode())
    included = [path for folder in include_dirs for path in sorted(folder.glob("*.svh"))]
    for path in (*files, *included):
        digest.update(relative(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _written(folder: Path) -> list[str]:
    """Writes the mapped design as Verilog."""
    return [
        # A wire for each bit: where bits of a wide one depend on each other Verilator sees a loop.
        "splitnets",
        "opt_clean -purge",
        f"rename -hide {' '.join(f'w:*_{name}_*' for name in MADE_UP)} c:*",
        f"write_verilog -noattr -simple-lhs {folder}/netlist.v",
    ]


def _map(top, files, include_dirs, parameters, defines, folder: Path) -> None:
    try:
        yosys.run(
            [
                yosys.read_slang(top, files, include_dirs, parameters, defines),
                *synth.mapping("synth_ecp5", top, folder / "synth.log"),
                f"tee -q -o {folder}/stat.json stat -json -top {top}",
                *_written(folder),
            ]
        )
    except yosys.YosysError as error:
        (folder / "yosys.log").write_text(error.log)
        fail(f"Yosys: {error}\nThe whole log is in {relative(folder / 'yosys.log')}.")


def _cell_models(folder: Path) -> list[Path]:
    """The models as files of Verilog. Yosys's file of all cells holds an empty DP16KD too."""
    block_ram, _ = cores.sources([BLOCK_RAM])
    share = _share()
    text = (share / "common_sim.vh").read_text()
    for pattern, instead in FIRST_VALUES.items():
        text, found = re.subn(pattern, instead, text, flags=re.M)
        if not found:
            fail(f"Yosys's cell models no longer have {pattern!r}.")
    own = folder / "cells.v"
    own.write_text(text)
    return [own, share / "ccu2c_sim.vh", *block_ram]


def _share() -> Path:
    """Where Yosys keeps what belongs to ECP5."""
    import pyosys

    return Path(pyosys.__file__).parent / "share" / "ecp5"
