# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import REGISTERS


def test_toe_counter_bank():
    """With five counters, bounded: five rounds, the one that clears the RAM included."""
    prove(
        "toe_counter_bank_props",
        core="memory",
        extra_sources=[
            "toe_counters_pkg.sv",
            "toehold_counters_pkg.sv",
            REGISTERS / "toe_counter_bank.sv",
        ],
        depth=26,
        induction=False,
        memories=False,
    )
