# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_receive_buffer():
    """Bounded: long enough for two offers with their writes."""
    prove("receive_buffer_props", core="tcp_receive", depth=18, induction=False, cover=26)
