# SPDX-License-Identifier: Apache-2.0
"""state_cache: to the pipeline it is one memory."""

import pytest

from support.prove import prove


@pytest.mark.parametrize(
    "parameters",
    [
        {"Policy": 0, "DecideClocks": 4},
        {"Policy": 1, "DecideClocks": 7},
        # connection_sequencer: it writes as late as a pipeline of nine would.
        {"Policy": 1, "DecideClocks": 9},
    ],
    ids=["heat", "recent", "sequencer"],
)
def test_state_cache(parameters):
    prove(
        "state_cache_props",
        core="connections",
        extra_sources=[
            "abstract/state_codec_pkg.sv",
            "abstract/state_mover.sv",
            "abstract/id_queue.sv",
        ],
        parameters=parameters,
        memories=False,
        bits=True,
        depth=8,
        induction=2,
        cover=22 + 2 * parameters["DecideClocks"],
    )
