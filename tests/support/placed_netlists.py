# SPDX-License-Identifier: Apache-2.0
"""Netlists placed and routed by nextpnr for an ECP5, and rules that a placement has to keep."""

import json
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
    design = folder / "moved.json"
    design.write_text(json.dumps(base))
    options = ["--no-pack", "--no-place", "--router", "router2", "--report", "report.json"]
    synth.yowasp(
        "nextpnr-ecp5",
        [*synth.PART, "--json", design.name, *options, "--timing-allow-fail", "--log", "moved.log"]
        + ["--lpf-allow-unconstrained"],
        folder,
    )
    report = json.loads((folder / "report.json").read_text())
    return 1000 / min(clock["achieved"] for clock in report["fmax"].values())
