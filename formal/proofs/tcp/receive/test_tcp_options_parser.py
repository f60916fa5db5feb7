# SPDX-License-Identifier: Apache-2.0
from support.prove import prove


def test_tcp_options_parser():
    """From reset through one segment's options and into the next: all that there is to reach."""
    prove("tcp_options_parser_props", core="tcp_receive", depth=9, induction=False)
