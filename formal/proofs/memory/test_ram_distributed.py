# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_ram_distributed():
    prove("ram_distributed_props", core="memory", depth=8, induction=2, memories=False)
