# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove

pytestmark = pytest.mark.long


def test_key_value_table():
    """Bounded: three keys, stored and asked for again."""
    prove(
        "key_value_table_props", core="apps", depth=48, quick=40, induction=False,
        memories=False, extra_sources=["abstract/byte_hash.sv"], cover="46:52",
    )  # fmt: skip
