# SPDX-License-Identifier: Apache-2.0
"""state_codec_pkg: what went through DRAM is what it was."""

from support.prove import prove


def test_state_codec_pkg():
    prove("state_codec_pkg_props", core="connections", depth=2, induction=False)
