# SPDX-License-Identifier: Apache-2.0
"""The peripherals are no larger and no slower than their stored results say, 5 % allowed.

Whoever makes one larger on purpose stores the new result (`toehold synth --store`, `make docs`).
"""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "options",
    [
        # Seed 1 is the stored one.
        "--top checksum_offload --seeds 1",
        "--top raw_link -G DataWidth=32 --no-route",
    ],
    ids=["checksum_offload", "raw_link"],
)
def test_not_worse_than_stored(options, tmp_path):
    arguments = ["synth", *options.split(), "--device", "ecp5", "--depth", "0", "--check"]
    done = subprocess.run(
        [sys.executable, "-m", "toehold", *arguments, "--json", str(tmp_path / "now.json")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
