# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("lanes", [4, 16])
def test_lane_rotate(lanes):
    # No state: what a clock edge samples is judged in the step behind it.
    prove("lane_rotate_props", core="stream", depth=3, induction=2, parameters={"Lanes": lanes})
