# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: exit status and what is printed."""

import json
import subprocess
import sys

import pytest

from toehold import __version__
from toehold.cli import app

COMMANDS = sorted(command.name or command.callback.__name__ for command in app.registered_commands)


def toehold(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "toehold", *arguments], capture_output=True, text=True, **options
    )


def test_version():
    done = toehold("--version")
    assert (done.returncode, done.stdout) == (0, f"toehold {__version__}\n")


def test_help_names_every_command():
    done = toehold("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert f" {command} " in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    done = toehold(command, "--help")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["run", "--preset", "smal"],
            "'smal' is not one of 'small', 'datacenter', 'bulk', 'cached', 'low-latency', 'scale'",
        ),
        (["bench", "--width", "96"], "'96' is not one of '64', '128', '256', '512'"),
        (["run", "--app", "telnet"], "'telnet' is not one of 'echo'"),
        (["run", "--loss", "130%"], "'130%' is not between 0% and 100%"),
        (["run", "--delay", "200"], "'200' needs a unit: ns, us, ms, s"),
        (["run", "--rate", "1Gb"], "'1Gb' needs a unit"),
        (["run", "--wave-window", "3ms:1ms"], "'3ms:1ms' ends before it starts"),
        (["lint", "--fast"], "No such option: --fast"),
        (["rnu"], "No such command 'rnu'"),
    ],
)
def test_a_mistake_gets_one_sentence(arguments, sentence):
    done = toehold(*arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_run_hands_over_what_was_asked(tmp_path):
    """The options reach toehold.run as quantities, and the command with its own options intact."""
    stand_in = tmp_path / "sitecustomize.py"
    stand_in.write_text(
        "import sys, types, json\n"
        "module = types.ModuleType('toehold.run')\n"
        "def run_command(o, **more):\n"
        "    print(json.dumps([o.preset, o.width, o.app, str(o.pcap), o.wave_window_s,\n"
        "                      o.link.loss, o.link.delay_s, o.link.rate_bps,\n"
        "                      o.link.seed, o.command, more]))\n"
        "    return 7\n"
        "module.run_command = run_command\n"
        "sys.modules['toehold.run'] = module\n"
    )
    done = toehold(
        *"run --preset datacenter --width 512 --app echo --pcap x.pcap --wave-window 1ms:".split(),
        *"--time cycles --duration 30s --loss 1% --delay 200us --rate 100Mbit --seed 9".split(),
        *"-- curl -s --loss http://a/".split(),
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin"},
    )
    assert done.returncode == 7, done.stderr
    preset, width, app_name, pcap, window, loss, delay, rate, seed, command, more = json.loads(
        done.stdout
    )
    assert (preset, width, app_name, pcap, seed) == ("datacenter", 512, "echo", "x.pcap", 9)
    assert window == [0.001, float("inf")]
    assert (loss, rate) == (0.01, 100e6)
    assert delay == pytest.approx(200e-6)
    assert command == ["curl", "-s", "--loss", "http://a/"]
    assert more == {"time_mode": "cycles", "duration_s": 30.0, "json_file": None}
