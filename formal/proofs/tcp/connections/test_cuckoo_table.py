# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("registers", [0, 1])
def test_cuckoo_table(registers):
    """By induction: the invariants hold after any two clocks in which they hold."""
    prove(
        "cuckoo_table_props", core="connections", depth=4, induction=2, cover=False,
        memories=False, parameters={"KeyWidth": 2, "ValueWidth": 2, "Registers": registers},
    )  # fmt: skip


@pytest.mark.parametrize("registers", [0, 1])
def test_cuckoo_table_reaches_its_cases(registers):
    """From reset, with keys enough for the stash."""
    prove(
        "cuckoo_table_props", core="connections", depth=6, induction=False, cover=55,
        memories=False, parameters={"Directed": 1, "Registers": registers},
    )  # fmt: skip
