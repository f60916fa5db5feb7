# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_direct_way():
    """Bounded: covers reach a packet straight, one by way of the ring, and one straight again."""
    prove(
        "direct_way_props",
        core="tcp_receive",
        depth=16,
        induction=False,
        cover=18,
        memories=False,
    )
