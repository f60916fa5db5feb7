# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL


def test_transmit_admission():
    """Bounded: three requests from the first to the last of what they cause."""
    prove(
        "transmit_admission_props",
        core=["packages"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_admission.sv"],
        depth=14,
        quick=11,
        induction=False,
        cover=16,
        memories=False,
    )


def test_transmit_pages():
    """Bounded: two requests and what becomes of their pages, and a third."""
    prove(
        "transmit_pages_props",
        core=["packages"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_admission.sv"],
        depth=12,
        induction=False,
        cover=16,
        memories=False,
    )
