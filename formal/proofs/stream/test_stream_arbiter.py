# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("round_robin", [0, 1])
def test_stream_arbiter(round_robin):
    prove(
        "stream_arbiter_props",
        core="stream",
        depth=12,
        induction=3,
        parameters={"N": 3, "RoundRobin": round_robin},
    )
