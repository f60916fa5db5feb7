# SPDX-License-Identifier: Apache-2.0
"""Every check finds the fault that it is there for, and passes what has none."""

from functools import partial

import pytest

from support.extent import FULL
from toehold import lint
from toehold.console import Failure
from toehold.options import Preset

pytestmark = pytest.mark.long

CLEAN = """
module m (input logic clk, input logic [3:0] a, output logic [3:0] y);
  always_ff @(posedge clk) y <= a;
endmodule
"""
LATCH = """
module m (input logic e, input logic [3:0] a, output logic [3:0] y);
  always @* if (e) y = a;
endmodule
"""
LOOP = """
module m (input logic [3:0] a, output logic [3:0] y);
  logic [3:0] x;
  assign x = y ^ a;
  assign y = x + 4'd1;
endmodule
"""
LOOP_ACROSS = """
module half (input logic a, output logic y);
  assign y = !a;
endmodule
module m (input logic a, output logic y);
  logic x;
  half one (.a(x), .y(y));
  half two (.a(y ^ a), .y(x));
endmodule
"""
TWO_DRIVERS = """
module m (input logic clk, input logic a, input logic b, output wire y);
  assign y = a;
  assign y = b;
endmodule
"""
NO_DRIVER = """
module m (input logic a, output logic y);
  logic x;
  assign y = x ^ a;
endmodule
"""
UNUSED = """
module m (input logic a, input logic b, output logic y);
  assign y = a;
endmodule
"""


@pytest.fixture
def source(tmp_path):
    def write(text, name="m.sv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LATCH, "latch"),
        (LOOP, "loop"),
        (LOOP_ACROSS, "loop"),
        (TWO_DRIVERS, "driver"),
    ],
    ids=["latch", "loop", "loop across modules", "two drivers"],
)
def test_yosys_finds(source, text, said):
    problems = lint.yosys_problems("m", {}, [source(text)], [])
    assert problems and any(said in line.lower() for line in problems), problems


def test_every_preset_is_elaborated():
    """The default one is among the modules, the others have wrappers."""
    tops = lint.preset_tops()
    assert {top[0] for top in tops} == {
        f"toe_{preset.value.replace('-', '_')}" for preset in Preset if preset != Preset.small
    }
    assert all(f"module {top[0]} (" in top[2][-1].read_text() for top in tops)


def test_yosys_passes_what_is_clean(source):
    assert lint.yosys_problems("m", {}, [source(CLEAN)], []) == []


def test_verilator_finds_and_passes(source):
    assert lint.verilator_problems("m", {}, [source(CLEAN)], []) == []
    (problem,) = lint.verilator_problems("m", {}, [source(NO_DRIVER)], [])
    assert "UNDRIVEN" in problem and "'x'" in problem
    (problem,) = lint.verilator_problems("m", {}, [source(UNUSED)], [])
    assert "UNUSEDSIGNAL" in problem and "'b'" in problem


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("a.sv", "// SPDX-License-Identifier: Apache-2.0\nmodule a;\n", False),
        ("a.sv", "module a;\n// SPDX-License-Identifier: Apache-2.0\n", True),
        ("a.py", "#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n", False),
        ("a.core", "CAPI=2:\n# SPDX-License-Identifier: Apache-2.0\n", False),
        ("a.c", "", True),
        ("a.c", "// SPDX-License-Identifier: MIT\n", True),
        ("a.json", "{}", False),
    ],
)
def test_licence(source, tmp_path, name, text, wrong):
    path = source(text, name)
    found = lint.spdx_problems([path], tmp_path)
    assert found == ([f"{name} has no SPDX line at its beginning"] if wrong else [])


def test_format_and_style(source):
    well = "// SPDX\nmodule m (\n  input logic a\n);\n\nendmodule\n"
    arguments = ["--flagfile=.verible-format", "--verify"]
    assert lint._verible("verible-verilog-format", arguments, [source(well)]) == []
    assert lint._verible("verible-verilog-format", arguments, [source("module m ( );endmodule\n")])
    arguments = [f"--rules_config={lint.ROOT / '.rules.verible_lint'}"]
    assert lint._verible("verible-verilog-lint", arguments, [source(well)]) == []
    (problem,) = lint._verible("verible-verilog-lint", arguments, [source(well, "other.sv")])
    assert "module-filename" in problem


def test_unknown_check_is_one_sentence():
    with pytest.raises(Failure, match="There is no check 'speling'; choose from licence, cores"):
        lint.lint_command(["speling"])


# The repository itself, but for what comes from measurements.
@pytest.mark.parametrize("name", [name for name in lint.CHECKS if name != "documents"])
def test_the_repository(name):
    check = lint.CHECKS[name]
    if name in ("verilator", "yosys") and not FULL:
        check = partial(check, wide=False)
    assert check().problems == []
