# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_arp_request_limiter():
    prove("arp_request_limiter_props", core="arp", depth=8, induction=3, cover=12)
