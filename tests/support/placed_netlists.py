# SPDX-License-Identifier: Apache-2.0
"""Netlists placed and routed by nextpnr for an ECP5, and rules that a placement has to keep."""

import json
import random
from pathlib import Path

from toehold import placement, synth, yosys


def place_by_nextpnr(source: str, folder: Path) -> None:
    """`placed.json` in the folder: a module `harness` as nextpnr places it."""
    file, netlist = folder / "harness.sv", folder / "harness.json"
    file.write_text(source)
    yosys.run([yosys.read_slang("harness", [file]), f"synth_ecp5 -top harness -json {netlist}"])
    command = [*synth.PART, "--json", netlist.name, "--seed", "1", "--no-route", "--write"]
    synth.yowasp(
        "nextpnr-ecp5",
        [*command, "placed.json", "--lpf-allow-unconstrained", "--timing-allow-fail"],
        folder,
    )


def scatter(places: placement.Placement, tiles: list[tuple[int, int]]) -> None:
    """Put each group that needs no more than a slice into a tile of its own, the last one first."""
    for shape, cells in places.groups:
        if shape in (placement.Shape.HALF, placement.Shape.SLICE):
            tile = tiles.pop()
            for i in cells:
                places.at[i] = tile


def place_far_apart(source: str, folder: Path, width: int, height: int) -> dict:
    """As nextpnr places it, but each flip-flop and look-up table that stands by itself in a tile of
    its own, anywhere in the corner of the part that is so many tiles wide and high."""
    place_by_nextpnr(source, folder)
    design = json.loads((folder / "placed.json").read_text())
    places = placement.Placement(design)
    # Rows of an ECP5-85F that have slices, and no block RAM beside them.
    rows = [y for y in range(2, height) if (y - 10) % 12 not in (0, 1, 11)]
    tiles = sorted({(x, y) for x in range(4, width) for y in rows} - set(places.at))
    random.Random(3).shuffle(tiles)
    scatter(places, tiles)
    places.write()
    (folder / "placed.json").write_text(json.dumps(design))
    return design


def legal(places: placement.Placement) -> bool:
    """By rules that are written down apart from `free`."""
    slices = {}
    for i, tile in enumerate(places.at):
        if tile and places.bel[i].startswith("SLICE"):
            name, bel = places.bel[i].split(".")
            inside = slices.setdefault((*tile, name), {})
            if bel in inside:
                return False
            inside[bel] = i
    resets = {}
    for (x, y, _), inside in slices.items():
        ffs = [inside[bel] for bel in ("FF0", "FF1") if bel in inside]
        resets.setdefault((x, y), set()).update(places.ports[i].get("LSR") for i in ffs)
        if len({(places.ports[i].get("CE"), places.ports[i].get("LSR")) for i in ffs}) > 1:
            return False
        for half in "01":
            lut, ff = inside.get(f"K{half}"), inside.get(f"FF{half}")
            if ff is None:
                continue
            if "DI" in places.ports[ff]:
                source, output = places.driver[places.ports[ff]["DI"]]
                if source != lut or output not in ("F", "OFX"):
                    return False
            if "M" in places.ports[ff] and lut is not None and "M" in places.ports[lut]:
                return False
        wide = [i for i in (inside.get("K0"),) if i is not None and "F1" in places.ports[i]]
        if any(places.driver[places.ports[i]["F1"]][0] != inside.get("K1") for i in wide):
            return False
    return all(len(found) <= 2 for found in resets.values())


def routed_by_nextpnr(places: placement.Placement, folder) -> float:
    """The longest path after routing, in ns; it fails where a place is not there or is taken."""
    places.write()
    base = json.loads((folder / "placed.json").read_text())
    (module,) = base["modules"].values()
    for name, cell in zip(places.names, places.cells, strict=True):
        module["cells"][name] = cell
    return design_routed_by_nextpnr(base, folder)


def design_routed_by_nextpnr(base: dict, folder: Path) -> float:
    """The same of a netlist with places."""
    return 1000 / synth.rate(report_of_nextpnr(base, folder))


def report_of_nextpnr(base: dict, folder: Path) -> dict:
    """What it says of a netlist with places, routed by its fast router; `routed.json` is that."""
    (folder / "moved.json").write_text(json.dumps(base))
    options = ["--no-pack", "--no-place", "--router", "router2", "--report", "report.json"]
    options += ["--write", "routed.json", "--timing-allow-fail", "--lpf-allow-unconstrained"]
    synth.yowasp(
        "nextpnr-ecp5",
        [*synth.PART, "--json", "moved.json", *options, "--log", "moved.log"],
        folder,
    )
    return json.loads((folder / "report.json").read_text())
