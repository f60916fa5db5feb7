# SPDX-License-Identifier: Apache-2.0
"""`toehold board`: what it says of a routed board, and the files that need no routing."""

import csv

import pytest

from toehold import board
from toehold.console import Failure
from toehold.register_map import REGISTERS


def report(achieved: float) -> dict:
    return {
        "fmax": {
            "$glbnet$clk": {"achieved": 71.0, "constraint": 40.0},
            "$glbnet$eth_rx_clk_i$TRELLIS_IO_IN": {"achieved": achieved, "constraint": 125.0},
        },
        "utilization": {cell: {"used": 3, "available": 9} for cell in board.SHOWN},
    }


@pytest.mark.parametrize(
    "achieved, late", [(115.67, ["eth_rx_clk_i"]), (125.0, []), (124.99, ["eth_rx_clk_i"])]
)
def test_a_clock_that_is_too_slow_is_named(achieved, late):
    rows, found = board.measured(report(achieved))
    assert found == late
    assert rows[0] == {"clock": "clk", "achieved_mhz": 71.0, "needed_mhz": 40.0}
    assert {"cells": "DP16KD", "used": 3, "available": 9} in rows


def test_an_unknown_board():
    with pytest.raises(Failure, match="no board 'abacus'; there are: ecpix5"):
        board.board_command("abacus", 1, None, False)


def test_registers_for_the_tools_of_litex(tmp_path):
    rows = list(csv.reader(board.write_register_list(tmp_path).open()))
    assert {len(row) for row in rows} == {5}
    registers = {row[1]: row for row in rows if row[0] == "csr_register"}
    assert registers.keys() == REGISTERS.keys()
    assert registers["network_ip_address"][2:] == ["0x4c", "1", "rw"]
    assert registers["identity_magic"][4] == "ro"


@pytest.mark.parametrize("name", board.BOARDS)
def test_every_pin_has_a_place(name):
    """Each port of the board's top is located, and nothing else is."""
    top = (board.FOLDER / name / f"{name}.sv").read_text()
    pins = (board.FOLDER / name / f"{name}.lpf").read_text()
    header = top[top.index(") (") : top.index(");")]
    ports = set()
    for line in header.splitlines():
        words = line.split("//")[0].replace(",", " ").split()
        if words and words[0] in ("input", "output"):
            wide = words[2].startswith("[")
            high = int(words[2].strip("[]").split(":")[0]) if wide else 0
            ports |= {f"{words[-1]}[{n}]" for n in range(high + 1)} if wide else {words[-1]}
    located = {line.split('"')[1] for line in pins.splitlines() if line.startswith("LOCATE")}
    driven = {line.split('"')[1] for line in pins.splitlines() if line.startswith("IOBUF")}
    assert len(ports) == 20
    assert located == driven == ports
