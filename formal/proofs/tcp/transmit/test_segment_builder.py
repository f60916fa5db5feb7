# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_segment_builder():
    """Bounded: two segments and the markers behind them."""
    prove("segment_builder_props", core="tcp_transmit", depth=16, induction=False, cover=18)
