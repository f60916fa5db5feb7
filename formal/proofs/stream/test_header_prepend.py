# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize(("longest", "field_at", "depth"), [(3, 0, 10), (7, 2, 10)])
def test_header_prepend(longest, field_at, depth):
    # Bounded: some frames of some beats with every pause, with both kinds of header queue.
    prove(
        "header_prepend_props",
        core="stream",
        depth=depth,
        induction=False,
        cover=14,
        memories=False,
        parameters={"DataWidth": 16, "MaxHeaderBytes": longest, "FieldAt": field_at},
    )
