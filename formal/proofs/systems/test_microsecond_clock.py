# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize(("hz", "cover"), [(1_000_000, 7), (3_333_333, 14), (322_265_625, False)])
def test_microsecond_clock(hz, cover):
    """The last frequency is a real one: microseconds too long for covers, not for the induction."""
    prove("microsecond_clock_props", core="systems", depth=8, induction=2, cover=cover,
          parameters={"ClockHz": hz})  # fmt: skip
