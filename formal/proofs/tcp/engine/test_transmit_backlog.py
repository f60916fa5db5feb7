# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL


def test_transmit_backlog():
    """Bounded: two segments between, and two more behind them."""
    prove(
        "transmit_backlog_props",
        core=["packages", "memory", "stream"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_backlog.sv"],
        depth=11,
        quick=9,
        induction=False,
        cover=16,
        memories=False,
    )
