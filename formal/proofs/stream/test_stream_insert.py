# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_stream_insert():
    prove("stream_insert_props", core="stream", depth=10, induction=3)
