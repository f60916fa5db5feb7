# SPDX-License-Identifier: Apache-2.0
"""The set-up behind `make setup`: done once, and plain about what it cannot do."""

import importlib.util
import re
import subprocess

import pytest

from toehold.paths import ROOT


@pytest.fixture
def bootstrap(tmp_path, monkeypatch):
    """The set-up of a repository of its own, in which nothing is really installed."""
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "software" / "bootstrap.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in module.INPUTS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one==1\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "setup-stamp")
    monkeypatch.setattr(module, "DEBIAN_PACKAGES", ())
    (tmp_path / ".venv").mkdir()
    module.calls = []
    module.really_create_venv = module.create_venv
    monkeypatch.setattr(module, "create_venv", lambda: module.calls.append("venv"))
    monkeypatch.setattr(module, "pip", lambda arguments, task: module.calls.append(task))
    return module


def test_once_for_each_content(bootstrap, tmp_path):
    bootstrap.main()
    assert bootstrap.calls[0] == "venv" and len(bootstrap.calls) == 3
    assert "1 pinned Python packages" in bootstrap.calls[1]
    bootstrap.main()
    assert len(bootstrap.calls) == 3
    (tmp_path / "requirements.txt").write_text("one==2\n")
    bootstrap.main()
    assert len(bootstrap.calls) == 6


def test_a_link_to_another_environment_is_left_alone(bootstrap, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "kept").touch()
    (tmp_path / ".venv").rmdir()
    (tmp_path / ".venv").symlink_to(tmp_path / "other")
    with pytest.raises(SystemExit, match="symbolic link; remove it"):
        bootstrap.really_create_venv()
    assert (tmp_path / "other" / "kept").exists()


def test_a_failure_leaves_no_stamp(bootstrap, monkeypatch):
    def no_network(arguments, task):
        raise SystemExit("setup: pip could not finish")

    monkeypatch.setattr(bootstrap, "pip", no_network)
    with pytest.raises(SystemExit):
        bootstrap.main()
    assert not bootstrap.STAMP.exists()


def test_without_privilege_it_names_what_is_skipped(bootstrap, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap, "privilege", lambda: None)
    monkeypatch.setattr(
        bootstrap,
        "DEBIAN_PACKAGES",
        (("no-such", "no-such-program", "testing this"), ("coreutils", "ls", "nothing")),
    )
    bootstrap.install_debian_packages(try_install=True)
    assert capsys.readouterr().out == (
        "setup: no-such is not installed, so testing this is skipped;"
        " `apt-get install no-such` adds it.\n"
    )


def test_pip_tells_why_it_failed(bootstrap, tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("fresh", ROOT / "software" / "bootstrap.py")
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    (tmp_path / ".venv" / "bin").mkdir()
    python = tmp_path / ".venv" / "bin" / "python3"
    python.write_text("#!/bin/sh\necho Collecting x\necho 'ERROR: no route to the index'\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(fresh, "VENV", tmp_path / ".venv")
    with pytest.raises(SystemExit) as ended:
        fresh.pip(["install"], "installing")
    assert "ERROR: no route to the index" in str(ended.value)
    assert "PIP_NO_INDEX=1" in str(ended.value)


def test_every_package_is_pinned():
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        assert not line or line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==\S+", line), line


def test_make_names_its_targets():
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    for target in "run test lint formal bench synth registers docs soak doctor setup clean".split():
        assert f"make {target} " in done.stdout
