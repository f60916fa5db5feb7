# SPDX-License-Identifier: Apache-2.0
"""state_mover: what comes back from DRAM is what left for it."""

from support.prove import prove


def test_state_mover():
    prove(
        "state_mover_props",
        core="connections",
        extra_sources=["abstract/state_codec_pkg.sv"],
        memories=False,
        bits=True,
        depth=8,
        induction=2,
        cover="28:30",
    )
