# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("width", [32, 64])
def test_checksum_tree(width):
    # A pipeline without feedback: as many clocks as its latency are all there is.
    prove("checksum_tree_props", core="checksum", depth=4, induction=3,
          parameters={"DataWidth": width})  # fmt: skip
