# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL

ENGINE = RTL / "tcp" / "engine"


def test_page_ledger():
    """Bounded: messages of two connections, from their grant to when their pages are free again."""
    prove(
        "page_ledger_props",
        core=["packages", "stream"],
        extra_sources=[
            ENGINE / "tcp_pieces_pkg.sv",
            ENGINE / "tcp_decide_pkg.sv",
            ENGINE / "tcp_pages_pkg.sv",
            RTL / "tcp" / "buffers" / "page_ledger.sv",
        ],
        depth=14,
        induction=False,
        cover=20,
        memories=False,
    )
