# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_stream_async_fifo():
    prove(
        "stream_async_fifo_props",
        core="clocks",
        depth=14,
        induction=4,
        cover=60,
        memories=False,
        clocks=True,
    )
