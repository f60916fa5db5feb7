# SPDX-License-Identifier: Apache-2.0
"""What a stored result says of the tree that it was measured from."""

import subprocess

import pytest

from toehold import __version__, results


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """One commit: a source and a stored result."""

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        command = ["git", *identity, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results, "RESULTS", tmp_path / "benchmarks/results")
    for name in ("source.sv", "benchmarks/results/hot.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    return tmp_path, git("rev-parse", "--short=12", "HEAD")


def test_revision_is_the_commit(repository):
    _, commit = repository
    assert results.revision() == commit


def test_results_stored_before_do_not_mark_it(repository):
    root, commit = repository
    (root / "benchmarks/results/hot.json").write_text("after\n")
    assert results.revision() == commit


def test_a_changed_source_marks_it(repository):
    root, commit = repository
    (root / "source.sv").write_text("after\n")
    assert results.revision() == f"{commit}-dirty"


def test_outside_of_a_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results, "RESULTS", tmp_path / "benchmarks/results")
    assert (results.revision(), results.date()) == (__version__, "")
