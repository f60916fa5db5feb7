# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("depth", [4, 5])
@pytest.mark.parametrize(
    ("block_ram", "straight", "half"),
    [(0, 1, 0), (0, 0, 0), (1, 0, 0), (2, 1, 0), (0, 0, 1), (0, 1, 1), (1, 0, 1)],
)
def test_stream_fifo(depth, block_ram, straight, half):
    prove(
        "stream_fifo_props",
        core="stream",
        depth=16,
        induction=4,
        memories=False,
        parameters={"Depth": depth, "BlockRam": block_ram, "Straight": straight, "Half": half},
    )
