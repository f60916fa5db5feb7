# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_icmp_reply_checksum():
    prove("icmp_reply_checksum_props", core="icmp", depth=2, induction=2)
