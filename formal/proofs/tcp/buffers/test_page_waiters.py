# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL


def test_page_waiters():
    """Four connections; a stand-in for their queue in far memory takes and gives at any time."""
    prove(
        "page_waiters_props",
        core=["packages", "stream", "memory"],
        extra_sources=["abstract/spill_queue.sv", RTL / "tcp" / "buffers" / "page_waiters.sv"],
        depth=16,
        induction=3,
        cover=24,
        memories=False,
    )
