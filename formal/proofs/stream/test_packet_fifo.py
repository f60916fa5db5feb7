# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("drop", [0, 1])
def test_packet_fifo(drop):
    prove(
        "packet_fifo_props",
        core="stream",
        depth=9,
        induction=2,
        cover=16,
        memories=False,
        parameters={"Depth": 4, "DropWhenFull": drop},
    )
