# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize(("wide", "half"), [(0, 0), (1, 0), (0, 1)])
def test_stream_register(wide, half):
    prove(
        "stream_register_props",
        core="stream",
        depth=12,
        induction=3,
        parameters={"Wide": wide, "Half": half},
    )
