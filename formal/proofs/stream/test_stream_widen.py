# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_stream_widen():
    prove(
        "stream_widen_props",
        core="stream",
        depth=9,
        induction=False,
        cover=14,
        parameters={"WideWidth": 16},
    )
