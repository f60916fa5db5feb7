# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_segment_merge():
    prove("segment_merge_props", core="engine", depth=5, induction=3, cover=8)


def test_write_splitter():
    prove(
        "write_splitter_props",
        core="engine",
        depth=6,
        induction=3,
        cover=8,
        memories=False,
    )
