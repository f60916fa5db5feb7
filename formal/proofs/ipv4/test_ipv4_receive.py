# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("width, depth", [(64, 10), (128, 8)])
def test_ipv4_receive(width, depth):
    """Bounded: two frames of twenty bytes of header, or one with options."""
    prove(
        "ipv4_receive_props",
        core="ipv4",
        depth=depth,
        induction=False,
        cover=14,
        memories=False,
        parameters={"DataWidth": width},
        timeout=60,
    )
