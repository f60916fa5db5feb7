# SPDX-License-Identifier: Apache-2.0
"""Transfers with other TCP/IP stacks, a megabyte each way over every link, in virtual time.

What tests/interop/test_peers.py does with TOEHOLD_FULL=1, as a table: each stack as client and as
server, and the engine with itself. The tests compare what comes back, the engine's counters and the
capture; a transfer takes less than the limit that a correct recovery meets, or fails.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from toehold.console import fail
from toehold.paths import ROOT

PRESETS = ("datacenter",)
COLUMNS = (
    *("link", "peer", "role", "bytes", "virtual_seconds", "limit_seconds"),
    *("retransmitted_segments", "timeouts", "result"),
)

TESTS = ROOT / "tests" / "interop" / "test_peers.py"
ALL, QUICK = "test_transfer or test_toehold_to_toehold", "test_transfer and clean"


def measure(request):
    request.tell("all links" if not request.quick else "the link without trouble")
    rows = _transfers(QUICK if request.quick else ALL, full=not request.quick)
    if not rows:
        fail("No transfer was made: see `toehold test tests/interop/test_peers.py`.")
    results = [row["result"] for row in rows]
    return rows, {
        "transfers_passed": results.count("passed"),
        "transfers_failed": results.count("failed"),
        "transfers_skipped": results.count("skipped"),
    }


def _transfers(selection: str, full: bool) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n1", str(TESTS), "-k", selection]
        done = subprocess.run(
            [*command, f"--junitxml={report}"],
            cwd=ROOT,
            env=os.environ | {"TOEHOLD_FULL": "1" if full else "0"},
            capture_output=True,
            text=True,
        )
        if not report.exists():
            fail(f"The tests did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = ElementTree.parse(report).iter("testcase")
        return [_row(case) for case in cases]


def _row(case: ElementTree.Element) -> dict:
    properties = {p.get("name"): p.get("value") for p in case.iter("property")}
    row = json.loads(properties.get("transfer", "null")) or {"link": case.get("name")}
    kinds = {child.tag for child in case}
    failed = kinds & {"failure", "error"}
    row["result"] = "failed" if failed else "skipped" if "skipped" in kinds else "passed"
    return row
