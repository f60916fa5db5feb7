# SPDX-License-Identifier: Apache-2.0
"""Room for wires: look-up tables that do nothing while a netlist is placed.

nextpnr's electrostatic placer fills ground to seven tenths, wherever cells belong together, and
leaves the rest of the part empty. In dense logic that is more than its wires can be routed in. So
beside look-up tables stand others, each with one input at its neighbour's output, which takes it
along; when all have their place, those are taken out, and what they kept free is room for wires
(docs/theory/timing.md). Cell padding is what the field calls it.
"""

PREFIX = "toehold_padding_"

# How many stand beside a look-up table, if as much of the part stays free as the placer needs.
PER_LUT = 0.4
FILLED_MOST = 0.7
PART_LUTS = 83_640  # of an LFE5U-85F


def share(luts: int, paddable: int) -> float:
    """How many to add for each of `paddable` LUT4 in a netlist that takes `luts` of the part."""
    free = FILLED_MOST * PART_LUTS - luts
    return min(PER_LUT, max(free, 0) / paddable) if paddable else 0.0


def add(design: dict, top: str, luts: int) -> int:
    """Put padding into a netlist of Yosys, and return how many cells that is. `luts` is what all
    its cells take, with carries and RAM."""
    module = design["modules"][top]
    cells, names = module["cells"], module["netnames"]
    outputs = [c["connections"]["Z"][0] for c in cells.values() if c["type"] == "LUT4"]
    per_lut, owed, count = share(luts, len(outputs)), 0.0, 0
    net = 1 + max(bit for n in names.values() for bit in n["bits"] if isinstance(bit, int))
    for output in outputs:
        owed += per_lut
        if owed < 1:
            continue
        owed -= 1
        name = f"{PREFIX}{count}"
        cells[name] = {
            "hide_name": 0,
            "type": "LUT4",
            "parameters": {"INIT": f"{0xAAAA:016b}"},
            "attributes": {},
            "port_directions": {**dict.fromkeys("ABCD", "input"), "Z": "output"},
            "connections": {"A": [output], "B": ["0"], "C": ["0"], "D": ["0"], "Z": [net + count]},
        }
        names[name] = {"hide_name": 0, "bits": [net + count], "attributes": {}}
        count += 1
    return count


def remove(design: dict) -> int:
    """Take the padding out of what nextpnr placed, and return how many cells that was."""
    (module,) = design["modules"].values()
    padding = [name for name in module["cells"] if name.startswith(PREFIX)]
    for name in padding:
        del module["cells"][name]
    for name in [name for name in module["netnames"] if name.startswith(PREFIX)]:
        del module["netnames"][name]
    return len(padding)
