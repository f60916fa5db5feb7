# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_session_queue():
    """Bounded: both sessions go around several times."""
    prove("session_queue_props", core="apps", depth=26, induction=False, memories=False)
