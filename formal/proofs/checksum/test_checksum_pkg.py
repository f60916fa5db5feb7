# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_checksum_pkg():
    # No state: what a clock edge samples is judged in the step behind it.
    prove("checksum_pkg_props", core="checksum", depth=3, induction=2)
