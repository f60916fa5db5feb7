# SPDX-License-Identifier: Apache-2.0
"""Late wires of a routed netlist are laid anew, each for its own delay.

nextpnr has two routers. `router2` gets a dense netlist through in minutes, as it lets wires cross
at first; but an end begins wherever its net is already, and may come late (docs/theory/timing.md).
`router1` begins each end at its driver, goes the way on which the signal comes first, and takes
from other nets what it needs, the cheaper the later it is itself; what was taken from is laid
elsewhere. From nothing it would take far too long. With everything in place it has little to do: it
is asked to rip up what is late until nothing is (`--tmg-ripup`).
"""

import re

# Settings of nextpnr are kept in the netlist, and those prevail over its options.
SETTINGS = {"router": "router1", "router/tmg_ripup": f"{1:032b}"}

# A netlist is asked for a clock that is faster by this share of its own, as long as it then is
# faster by LEAST of it; if not, for one that is faster by half the share, down to the smallest.
FASTER, LEAST, SMALLEST = 0.2, 0.01, 0.05
# The last of them is faster than the clock that is wanted by this share: the router ends as soon as
# nothing is late, and what comes at the very end of a clock is late or not by how it is rounded.
BEYOND = 0.004

# Of each round of its log: what is late and ripped up. It is given up when that has not become less
# by a tenth in so many rounds, as nets take the same wires from each other; few are let be, as it
# ends after fifty rounds.
STUCK_ROUNDS, STUCK_SHARE, FEW = 4, 0.9, 200

# And after so many rows, each of a thousand ends; a dense engine takes 100 to 200.
ROWS_MOST = 500


def slowest_nets(report: dict) -> set[str]:
    """Names of the nets on the slowest paths, of nextpnr's report."""
    return {
        step["net"] for path in report["critical_paths"] for step in path["path"] if "net" in step
    }


def open_up(design: dict, nets: set[str], frequency_mhz: float) -> int:
    """Take the routes of these nets out of a netlist that nextpnr has routed, tell it to lay what
    is late for that clock anew, and return how many of them had one. Without any open end it would
    not begin."""
    (module,) = design["modules"].values()
    module["settings"] |= SETTINGS | {"target_freq": f"{frequency_mhz * 1e6:.6f}"}
    opened = 0
    for name in nets & module["netnames"].keys():
        opened += module["netnames"][name]["attributes"].pop("ROUTING", None) is not None
    return opened


def is_hopeless(log: str) -> bool:
    """It comes to no end, or to a bad one, by its log."""
    rows = re.findall(r"^Info: +\d+ \| +\d+ +\d+ \|", log, re.MULTILINE)
    late = [int(n) for n in re.findall(r"^Info: +(\d+) arcs ripped up due to", log, re.MULTILINE)]
    before, lately = late[:-STUCK_ROUNDS], late[-STUCK_ROUNDS:]
    stuck = bool(before) and min(lately) > max(STUCK_SHARE * min(before), FEW)
    return stuck or len(rows) > ROWS_MOST
