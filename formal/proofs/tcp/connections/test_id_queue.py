# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("full", [0, 1], ids=["empty", "full"])
def test_id_queue(full):
    prove(
        "id_queue_props", core="connections", depth=14, induction=2, memories=False,
        parameters={"FullAtReset": full},
    )  # fmt: skip
