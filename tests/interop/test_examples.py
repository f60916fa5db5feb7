# SPDX-License-Identifier: Apache-2.0
"""The projects of examples/, used as their READMEs say."""

import subprocess
import sys

import pytest

from toehold.console import Failure
from toehold.network_namespace import NetworkNamespace
from toehold.paths import ROOT, VENV_BIN, tool_environment

GREETER = ROOT / "examples" / "greeter"
SECONDS = 600  # the first run builds the simulator

VISITS = """
import socket
for _ in range(3):
    visit = socket.create_connection(("10.77.0.2", 7777), timeout=20)
    visit.sendall(b"good morning")
    print(visit.makefile().read(), end="")
"""


def toehold(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "toehold", *arguments],
        cwd=GREETER,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@pytest.mark.serial
@pytest.mark.xdist_group("network")
def test_linux_is_greeted():
    try:
        with NetworkNamespace():
            pass
    except Failure as failure:
        pytest.skip(str(failure))
    command = ["--", sys.executable, "-c", VISITS]
    done = toehold("run", "--system", "greeter.core", "--seed", "3", *command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"Hello, you are visitor 0x{number:04x}." for number in (1, 2, 3)
    ]


def test_fusesoc_finds_all_it_depends_on(tmp_path):
    command = [str(VENV_BIN / "fusesoc"), "run", "--target", "lint"]
    command += ["--build-root", str(tmp_path), "greeter"]
    done = subprocess.run(
        command,
        cwd=GREETER,
        env=tool_environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.rglob("*.vc")), "there was nothing to check"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("--system", "nothing.core"), "is not a file"),
        (("--system", "../../rtl/apps/apps.core"), "has no toplevel"),
        (("--system", "greeter.core", "--app", "echo"), "exclude each other"),
    ],
)
def test_what_cannot_be_run_is_said(arguments, sentence):
    done = toehold("run", *arguments)
    assert done.returncode != 0
    assert sentence in done.stderr
