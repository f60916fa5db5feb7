# SPDX-License-Identifier: Apache-2.0
"""Estimates of long paths, on netlists small enough to add up by hand."""

import json
import subprocess
import sys

import pytest

from toehold import long_paths
from toehold.long_paths import Netlist, block_of, table_of


def cell(kind: str, **pins) -> dict:
    outputs = {"Z", "Q", "S0", "S1", "COUT", "DO"}
    return {
        "type": kind,
        "connections": {pin: [net] for pin, net in pins.items()},
        "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
    }


def netlist(cells: dict, names: dict) -> Netlist:
    nets = {name: {"bits": [bit]} for name, bit in names.items()}
    return Netlist({"cells": cells, "netnames": nets})


WIRE = long_paths.WIRE


def test_levels_and_delays_add_up():
    """From a register through two LUTs, the second shared by two registers."""
    found = netlist(
        {
            "dut.block.a.q_TRELLIS_FF_Q": cell("TRELLIS_FF", CLK=1, DI=9, Q=2),
            "x": cell("LUT4", A=2, B="0", Z=3),
            "y": cell("LUT4", A=3, B=2, Z=4),
            "dut.block.b.q_TRELLIS_FF_Q": cell("TRELLIS_FF", CLK=1, DI=4, Q=5),
            "dut.block.c.q_TRELLIS_FF_Q": cell("TRELLIS_FF", CLK=1, CE=4, DI=2, Q=6),
        },
        {"dut.block.a.q": 2},
    ).paths()
    twice = long_paths.WIRE_FOR_TWICE_THE_ENDS
    of_2 = WIRE + twice * 1.584962500721156  # three ends
    longest = long_paths.CLOCK_TO_Q + of_2 + long_paths.LUT + WIRE + long_paths.LUT + WIRE + twice
    assert [(path.end, path.pin, path.levels, path.start) for path in found[:2]] == [
        ("c.q", "CE", 2, "a.q"),
        ("b.q", "DI", 2, "a.q"),
    ]
    assert found[0].ns == pytest.approx(longest + long_paths.SETUP)
    assert found[1].ns == pytest.approx(longest)


def test_carries_cost_no_wire():
    found = netlist(
        {
            "q_TRELLIS_FF_Q": cell("TRELLIS_FF", CLK=1, DI=9, Q=2),
            "low": cell("CCU2C", A0=2, CIN="0", S0=3, COUT=4),
            "high": cell("CCU2C", A0="0", CIN=4, S0=5),
            "sum_TRELLIS_FF_Q": cell("TRELLIS_FF", CLK=1, DI=5, Q=6),
        },
        {"q": 2},
    ).paths()
    assert (found[0].end, found[0].levels) == ("sum", 1)
    assert found[0].ns == pytest.approx(
        long_paths.CLOCK_TO_Q + WIRE + long_paths.CARRY_IN + long_paths.CARRY_OUT + WIRE
    )


def test_what_nothing_drives_is_no_path():
    """Nor is a loop, which ends the walk."""
    found = netlist(
        {
            "one": cell("LUT4", A=3, B=7, Z=2),
            "two": cell("LUT4", A=2, Z=3),
            "q_TRELLIS_FF_Q": cell("TRELLIS_FF", CLK=1, DI=3, Q=4),
        },
        {},
    ).paths()
    assert len(found) == 1
    assert found[0].ns < 3


def test_blocks_are_counted_where_paths_end():
    path = long_paths.Path_
    paths = [
        path(12.0, 9, "a.x", "b.c.q", "DI"),
        path(11.0, 8, "a.y", "b.d.e.q", "CE"),
        path(9.0, 7, "a.y", "q", "DI"),
        path(5.0, 3, "a.y", "b.q", "DI"),
    ]
    assert block_of("b.d.e.q", 2) == "b.d"
    assert table_of(paths, 8.0, 1) == [
        {"block": "b", "ends": 2, "ns": 12.0, "levels": 9, "from": "a.x", "to": "b.c.q.DI"},
        {"block": "-", "ends": 1, "ns": 9.0, "levels": 7, "from": "a.y", "to": "q.DI"},
    ]


def test_paths_of_a_block(tmp_path):
    """What the command says of a FIFO: its registers begin and end its paths."""
    report = tmp_path / "paths.json"
    done = subprocess.run(
        [sys.executable, "-m", "toehold", "synth", "--paths", "--top", "stream_fifo"]
        + ["--frequency", "500", "--json", str(report)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    content = json.loads(report.read_text())
    assert content["summary"]["ends"] > 2 * 32
    assert 2 <= content["summary"]["levels"] <= 6
    assert 1 < content["summary"]["longest_ns"] < 6
    assert sum(row["ends"] for row in content["rows"]) == content["summary"]["ends_beyond_goal"]
    ends = {row["to"].split(".")[-2].split("[")[0] for row in content["rows"]}
    assert ends & {"m_data", "count_q", "full_q", "m_valid", "read_q", "write_q"}
    assert "of" in done.stdout and "levels at most" in " ".join(done.stdout.split())
