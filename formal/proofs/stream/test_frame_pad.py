# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize(("width", "minimum"), [(32, 7), (32, 4)])
def test_frame_pad(width, minimum):
    # Bounded: some packets of some beats with every pause.
    prove(
        "frame_pad_props",
        core="stream",
        depth=10,
        induction=False,
        parameters={"DataWidth": width, "MinBytes": minimum},
    )
