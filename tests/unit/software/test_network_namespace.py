# SPDX-License-Identifier: Apache-2.0
"""What a machine lacks for a network namespace is said in a sentence that tells what to do.

That it works, as root and without, is shown by tests/unit/simulation/test_run.py.
"""

import os
from pathlib import Path

import pytest

from toehold import network_namespace
from toehold.console import Failure
from toehold.network_namespace import NetworkNamespace


def sentence() -> str:
    with pytest.raises(Failure) as failure, NetworkNamespace():
        pass
    assert failure.value.status == 1
    return str(failure.value)


@pytest.fixture
def all_there(monkeypatch, tmp_path):
    """Every tool, and a /dev/net/tun, whatever this machine has."""
    tun = tmp_path / "tun"
    tun.touch()
    monkeypatch.setattr(network_namespace.shutil, "which", lambda tool, path=None: tool)
    monkeypatch.setattr(
        network_namespace, "Path", lambda path: tun if path == "/dev/net/tun" else Path(path)
    )
    return tun


@pytest.mark.parametrize(
    ("tool", "package"),
    [("ip", "iproute2"), *((tool, "util-linux") for tool in ("unshare", "nsenter", "setpriv"))],
)
def test_a_missing_tool(all_there, monkeypatch, tool, package):
    monkeypatch.setattr(
        network_namespace.shutil, "which", lambda name, path=None: None if name == tool else name
    )
    assert sentence() == f"{tool} is not installed; `apt-get install {package}` adds it."


def test_tools_of_the_administrator_are_found(monkeypatch):
    """Where `ip` is, ordinary users do not look."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert network_namespace.environment()["PATH"].split(":") == ["/nowhere", "/usr/sbin", "/sbin"]


def test_no_device(all_there):
    all_there.unlink()
    assert sentence().startswith("There is no /dev/net/tun; `modprobe tun` as root adds it")


def test_a_device_for_root_alone(all_there, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert sentence() == (
        "/dev/net/tun is not open to you; run as root, or `chmod 666 /dev/net/tun` as root."
    )


@pytest.mark.parametrize(
    ("uid", "says", "parts"),
    [
        (0, "Operation not permitted", ["does not let root create", "(Operation not permitted)"]),
        (
            1000,
            "Operation not permitted",
            ["without root (Operation not permitted); run as root", "unprivileged_userns"],
        ),
        (1000, "", ["without root (no answer); run as root"]),
    ],
)
def test_no_namespace(all_there, monkeypatch, tmp_path, uid, says, parts):
    asked = tmp_path / "asked"
    unshare = tmp_path / "unshare"
    unshare.write_text(f'#!/bin/sh\necho "$@" >{asked}\necho "{says}" >&2\nexit 1\n')
    unshare.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    said = sentence()
    assert all(part in said for part in parts), said
    assert asked.read_text().startswith("-r --net" if uid else "--net")


def test_a_set_up_that_fails(monkeypatch):
    namespace = NetworkNamespace()
    failing = ["sh", "-c", "echo it is wrong >&2; exit 3"]
    monkeypatch.setattr(namespace, "command", lambda _: failing)
    with pytest.raises(Failure) as failure:
        namespace.run("ip", "link")
    assert str(failure.value) == "`ip link` failed in the network namespace: it is wrong"
