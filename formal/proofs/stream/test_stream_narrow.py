# SPDX-License-Identifier: Apache-2.0
import pytest

from support.prove import prove


@pytest.mark.parametrize(("wide", "narrow"), [(32, 16), (64, 16), (32, 32)])
def test_stream_narrow(wide, narrow):
    """Bounded: three packets of a beat, or one of three."""
    prove("stream_narrow_props", core="stream", depth=12, induction=False, cover=14,
          parameters={"WideWidth": wide, "NarrowWidth": narrow})  # fmt: skip
