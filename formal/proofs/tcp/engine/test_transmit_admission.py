# SPDX-License-Identifier: Apache-2.0
from support.prove import prove
from toehold.paths import RTL


def test_transmit_admission():
    prove(
        "transmit_admission_props",
        core=["packages"],
        extra_sources=[RTL / "tcp" / "engine" / "transmit_admission.sv"],
        depth=14,
        induction=4,
        cover=20,
        memories=False,
    )
