# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_header_beats():
    """Bounded: four headers of the greatest length, with stalls."""
    prove("header_beats_props", core="stream", depth=14, induction=False)
