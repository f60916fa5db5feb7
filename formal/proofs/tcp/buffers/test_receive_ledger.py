# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL

ENGINE = RTL / "tcp" / "engine"


def test_receive_ledger():
    """Bounded: segments of two connections, from the decision to when their pages are free."""
    prove(
        "receive_ledger_props",
        core=["packages", "stream"],
        extra_sources=[
            ENGINE / "tcp_pieces_pkg.sv",
            ENGINE / "tcp_decide_pkg.sv",
            ENGINE / "tcp_receive_pages_pkg.sv",
            RTL / "tcp" / "buffers" / "page_ledger.sv",
        ],
        depth=10,
        induction=False,
        cover=20,
        memories=False,
    )
