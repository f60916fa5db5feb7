# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize("hash_bits", [1, 2])
def test_chain_table(hash_bits):
    """By induction: the invariants hold after any two clocks in which they hold."""
    prove(
        "chain_table_props", core="connections", depth=6, induction=2, cover=45,
        memories=False, parameters={"HashBits": hash_bits},
    )  # fmt: skip
