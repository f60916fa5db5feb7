# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL


def test_transmit_window():
    """Bounded: a few messages, among them any one that is watched."""
    prove(
        "transmit_window_props",
        core=["packages", "stream", "memory"],
        extra_sources=[RTL / "tcp" / "transmit" / "transmit_window.sv"],
        depth=13,
        induction=False,
        cover=13,
        memories=False,
    )
