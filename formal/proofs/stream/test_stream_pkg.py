# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_stream_pkg():
    # No state: what a clock edge samples is judged in the step behind it.
    prove("stream_pkg_props", core="stream", depth=3, induction=2)
