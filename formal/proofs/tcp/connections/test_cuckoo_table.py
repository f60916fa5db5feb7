# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_cuckoo_table():
    """By induction: the invariants hold after any two clocks in which they hold."""
    prove(
        "cuckoo_table_props", core="connections", depth=4, induction=2, cover=False,
        memories=False, parameters={"KeyWidth": 2, "ValueWidth": 2},
    )  # fmt: skip


def test_cuckoo_table_reaches_its_cases():
    """From reset, with keys enough for the stash."""
    prove(
        "cuckoo_table_props", core="connections", depth=6, induction=False, cover=45,
        memories=False, parameters={"Directed": 1},
    )  # fmt: skip
