# SPDX-License-Identifier: Apache-2.0
"""What comes last to a look-up table goes to the input that wires reach first.

On an ECP5 wires reach input D of a look-up table about 300 ps sooner than A or B, and C is between
(docs/theory/timing.md). nextpnr's routers may take another input than the netlist has, but seldom
do; its estimate counts all alike, and Yosys has chosen before anything had a place. So in a placed
netlist the inputs of each look-up table are put in the order in which they come, and its contents
with them.

In a carry chain A and B also say what is carried where nothing is passed on, and nextpnr leaves
their inputs alone. One of the two can say that by itself, and the later one goes to D. Pin swapping
is what the field calls it.
"""

from toehold.placement import LUT_INPUTS, Placement, wire

SIZE = 1 << len(LUT_INPUTS)
WEIGHTS = {port: 1 << n for n, port in enumerate(LUT_INPUTS)}  # in a row of the table
OPEN = SIZE - 1  # the row of inputs that lead nowhere: each is 1

# In a carry chain: what is passed on is found in rows with C and D, and what is carried where
# nothing is passed on in those without.
PASSED = WEIGHTS["C"] | WEIGHTS["D"]
EARLY, LATE = "A", "D"  # inputs that one of two operands, and the other, go to


def order_inputs(design: dict) -> int:
    """Put the inputs of all look-up tables of a placed netlist in the order in which they come by
    estimate, and return of how many tables that has changed."""
    places, changed = Placement(design), 0
    places.analyse(0)
    change = {"LOGIC": _order_logic, "CCU2": _order_carry}
    for i, kind in enumerate(places.kinds):
        cell = places.cells[i]
        if kind not in change or "INITVAL" not in cell["parameters"]:
            continue
        comes = {}
        for port, net in places.ports[i].items():
            if port in LUT_INPUTS:
                driver, _ = places.driver.get(net, (None, None))
                way = 0 if driver is None else wire(places.at[driver], places.at[i])
                comes[port] = places.arrival.get(net, 0) + way
        if any(net in places.constants for net in places.ports[i].values()):
            continue
        moved = change[kind](table_of(cell), sorted(comes, key=lambda port: (comes[port], port)))
        if moved and any(port != new for port, new in moved[1].items()):
            _change(cell, *moved)
            changed += 1
    return changed


def table_of(cell: dict) -> list[int]:
    """The contents of a look-up table: of each row, a bit."""
    return [int(bit) for bit in reversed(cell["parameters"]["INITVAL"])]


def _order_logic(table: list[int], ports: list[str]) -> tuple[list[int], dict[str, str]]:
    """A table's new contents, and where each input goes; `ports` are those that lead somewhere, the
    earliest first."""
    moved = dict(zip(ports, LUT_INPUTS[len(LUT_INPUTS) - len(ports) :], strict=True))
    return [table[_row(row, moved)] for row in range(SIZE)], moved


def _order_carry(table: list[int], ports: list[str]) -> tuple[list[int], dict[str, str]] | None:
    """The same of a carry chain; None if its carry needs both operands, or there are none."""
    if not ports or not set(ports) <= {"A", "B"}:
        return None
    early, late = ports[:-1], ports[-1]
    moved = {late: LATE} | {port: EARLY for port in early}
    # By the operand that stays: what is carried, where nothing is passed on.
    carried: dict[int, int] = {}
    for row in range(SIZE):
        old = _row(row, moved)
        if not table[PASSED | old]:
            stays = row & WEIGHTS[EARLY] if early else 0
            if carried.setdefault(stays, table[old & ~PASSED]) != table[old & ~PASSED]:
                return None
    new = []
    for row in range(SIZE):
        stays = row & WEIGHTS[EARLY] if early else 0
        new.append(table[PASSED | _row(row, moved)] if row & PASSED else carried.get(stays, 0))
    return new, moved


def _row(row: int, moved: dict[str, str]) -> int:
    """A row of the table before, by one of the table in which inputs have moved."""
    old = OPEN
    for port, new in moved.items():
        if not row & WEIGHTS[new]:
            old &= ~WEIGHTS[port]
    return old


def _change(cell: dict, table: list[int], moved: dict[str, str]) -> None:
    connections = cell["connections"]
    bits = {new: connections[port] for port, new in moved.items()}
    for port in LUT_INPUTS:
        connections[port] = bits.get(port, [])
        cell["port_directions"][port] = "input"
    cell["parameters"]["INITVAL"] = "".join(map(str, reversed(table)))
