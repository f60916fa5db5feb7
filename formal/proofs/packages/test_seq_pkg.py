# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_seq_pkg():
    # No state: what a clock edge samples is judged in the step behind it.
    prove("seq_pkg_props", core="packages", depth=3, induction=2)
