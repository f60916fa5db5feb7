# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_cuckoo_table():
    prove("cuckoo_table_props", core="connections", depth=12, induction=2, cover=45, memories=False)
