# SPDX-License-Identifier: Apache-2.0
import pytest

from support.extent import some
from support.prove import prove


@pytest.mark.parametrize(("width", "depth"), some([(16, 10), (32, 9)], 1))
def test_stream_realign(width, depth):
    # Bounded: some packets of some beats with every pause, skip and lead.
    prove(
        "stream_realign_props",
        core="stream",
        depth=depth,
        quick=depth - 1,
        induction=False,
        cover=False if width == 16 else 14,
        parameters={"DataWidth": width},
    )
