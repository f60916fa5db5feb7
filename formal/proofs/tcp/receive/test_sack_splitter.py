# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_sack_splitter():
    """Bounded: some segments of four blocks each, and what lies between them."""
    prove("sack_splitter_props", core="tcp_receive", depth=10, induction=False)
