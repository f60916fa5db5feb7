# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_tcp_options_parser():
    """From reset through one segment's options and into the next: all that there is to reach.

    Conformance: RFC9293:MUST-4, RFC9293:MUST-6, RFC9293:MUST-7, RFC9293:MUST-64
    """
    prove("tcp_options_parser_props", core="tcp_receive", depth=8, induction=False)
