# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize(("slice_width", "latency"), [(4, 2), (3, 3), (6, 3)])
def test_ram_sliced(slice_width, latency):
    prove(
        "ram_sliced_props",
        core="memory",
        depth=10,
        induction=2,
        memories=False,
        parameters={"SliceWidth": slice_width, "ReadLatency": latency},
    )
