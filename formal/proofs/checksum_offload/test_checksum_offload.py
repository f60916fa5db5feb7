# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_no_start_is_lost():
    # Bounded: two starts and the end of both fit.
    prove(
        "checksum_offload_props",
        core="checksum_offload",
        depth=20,
        cover=24,
        induction=False,
        memories=False,
    )
