# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_stream_register():
    prove("stream_register_props", core="stream", depth=12, induction=3)
