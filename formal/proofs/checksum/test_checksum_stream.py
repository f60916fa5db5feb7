# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_checksum_stream():
    """Bounded: packets of up to three beats, several of them behind each other."""
    prove("checksum_stream_props", core="checksum", depth=9, induction=False, cover=12)
