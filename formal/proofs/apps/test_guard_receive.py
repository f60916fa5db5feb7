# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("straight", [0, 1])
def test_guard_receive(straight):
    prove(
        "guard_receive_props", core="apps", depth=12, induction=3, cover=18, memories=False,
        parameters={"Straight": straight},
    )  # fmt: skip
