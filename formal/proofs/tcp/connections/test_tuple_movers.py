# SPDX-License-Identifier: Apache-2.0
"""tuple_movers: no tuple is lost where several look for places at once."""

from support.prove import prove


def test_tuple_movers():
    prove(
        "tuple_movers_props",
        core="connections",
        memories=False,
        depth=6,
        induction=2,
        cover="8:24",
        bits=True,
    )
