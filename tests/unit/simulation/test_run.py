# SPDX-License-Identifier: Apache-2.0
"""`toehold run` in its network namespace, on the stand-in for the engine."""

import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from toehold.console import Failure
from toehold.live_view import LiveView, Totals
from toehold.network_namespace import NetworkNamespace
from toehold.options import LinkOptions, RunOptions
from toehold.paths import ROOT
from toehold.run import simulator_arguments
from unit.simulation.stand_in_build import stand_in

# The stand-in does not answer ARP.
NEIGHBOUR = "ip neigh add 10.77.0.2 lladdr 02:54:4f:45:00:01 dev toe0"
SECONDS = 60

# `toehold run` with the stand-in in place of the engine.
RUN = """
import sys
sys.path[:0] = {paths!r}
from pathlib import Path
from toehold.console import Failure
from toehold.options import RunOptions
from toehold.run import run_command
from unit.simulation.stand_in_build import STAND_IN
try:
    sys.exit(run_command(RunOptions(command=tuple(sys.argv[1:])), design=STAND_IN, **{more!r}))
except Failure as failure:
    print(failure, file=sys.stderr)
    sys.exit(failure.status)
"""

# The same with the command line in front of it; `demonstration` may take the place of what is shown
# first, most of which waits for answers that the stand-in does not give.
TOEHOLD = """
import sys
from functools import partial
sys.path[:0] = {paths!r}
from toehold import cli, run
from unit.simulation.stand_in_build import STAND_IN
run.run_command = partial(run.run_command, design=STAND_IN)
if {demonstration!r}:
    run._commands = lambda *_: {demonstration!r}
cli.main()
"""


def possible() -> bool:
    try:
        with NetworkNamespace():
            return True
    except Failure:
        return False


pytestmark = [
    pytest.mark.serial,
    pytest.mark.xdist_group("network"),
    pytest.mark.skipif(not possible(), reason="needs a network namespace and /dev/net/tun"),
]


@pytest.fixture(scope="module", autouse=True)
def built():
    stand_in()


@pytest.fixture(scope="module", autouse=True)
def interruptible():
    """Whoever is started in the background ignores SIGINT, and all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


PATHS = [str(ROOT / name) for name in ("software", "tests")]


def start(*command: str, **more) -> subprocess.Popen:
    return start_python(RUN.format(paths=PATHS, more=more), *command)


def start_toehold(*arguments: str, demonstration=None, **options) -> subprocess.Popen:
    """behind: a command that gets all of this as its arguments."""
    code = TOEHOLD.format(paths=PATHS, demonstration=demonstration)
    return start_python(code, "run", *arguments, **options)


def start_python(
    code: str, *arguments: str, behind: Sequence[str] = (), **options
) -> subprocess.Popen:
    return subprocess.Popen(
        [*behind, sys.executable, "-c", code, *arguments],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen) -> tuple[int, str, str]:
    output, errors = process.communicate(timeout=SECONDS)
    return process.returncode, output, errors


def descendants(pid: int) -> set[int]:
    """Processes that come from this one, itself included; sessions do not hide them."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found, size = {pid}, 0
    while len(found) > size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def alive(pids: set[int]) -> set[int]:
    left = set()
    for pid in pids:
        try:
            if (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                left.add(pid)
        except OSError:
            pass
    return left


def all_gone(pids: set[int]) -> bool:
    deadline = time.monotonic() + 10
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pids)


def test_a_command_talks_to_the_engine():
    status, output, errors = finish(start("sh", "-c", f"{NEIGHBOUR} && ping -c 3 -i 0.1 10.77.0.2"))
    assert status == 0, errors
    assert "3 received, 0% packet loss" in output


def test_output_and_status_pass_through():
    status, output, errors = finish(start("sh", "-c", "printf 'a\\tb'; printf c >&2; exit 7"))
    assert (status, output, errors) == (7, "a\tb", "c")


def test_a_command_ended_by_a_signal_says_so():
    assert finish(start("sh", "-c", "kill -KILL $$"))[0] == 128 + signal.SIGKILL


def test_an_unknown_command_is_127():
    status, output, errors = finish(start("no-such-command"))
    assert status == 127 and output == "" and "no-such-command" in errors


def test_the_interface_is_set_up_as_promised():
    status, output, _ = finish(start("sh", "-c", "ip -j addr show dev toe0; ip -j link show"))
    assert status == 0
    address, links = [json.loads(line) for line in output.splitlines()]
    assert address[0]["mtu"] == 1500
    assert [(a["local"], a["prefixlen"]) for a in address[0]["addr_info"]] == [("10.77.0.1", 24)]
    assert [link["ifname"] for link in links] == ["lo", "toe0"]


def test_what_a_command_leaves_behind_is_ended(tmp_path):
    note = tmp_path / "pid"
    command = f"nohup setsid sleep 300 >/dev/null 2>&1 & echo $! >{note}"
    assert finish(start("sh", "-c", command))[0] == 0
    assert all_gone({int(note.read_text())})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(number):
    process = start("sh", "-c", "echo up; exec sleep 300")
    assert process.stdout.readline() == "up\n"
    family = descendants(process.pid)
    assert len(family) >= 4  # Python, the holder, toehold-sim, the command
    process.send_signal(number)
    status = process.wait(SECONDS)
    assert status == (-number if number == signal.SIGKILL else 128 + number)
    assert all_gone(family)


def test_control_c_goes_to_the_command_and_its_status_counts():
    process = start("sh", "-c", "trap 'exit 9' INT; echo up; while :; do sleep 0.1; done")
    assert process.stdout.readline() == "up\n"
    family = descendants(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(SECONDS) == 9
    assert all_gone(family)


def read_until(process: subprocess.Popen, part: str) -> None:
    for line in process.stdout:
        if part in line:
            return
    pytest.fail(f"it never said {part!r}: {process.stderr.read()}")


QUICK = [(["true"], None)]


def test_control_c_ends_the_live_view():
    process = start_toehold(demonstration=QUICK)
    read_until(process, "Ctrl-C ends it.")
    read_until(process, "clocks/s")  # the first line of the view
    family = descendants(process.pid)
    assert len(family) >= 3  # Python, the holder, toehold-sim
    os.killpg(process.pid, signal.SIGINT)
    status, output, errors = finish(process)
    assert (status, errors) == (0, "") and output.endswith("ended\n")
    assert all_gone(family)


def screens(terminal: int) -> Iterator[bytes]:
    """What comes out of a terminal until nobody has it open any more."""
    with suppress(OSError):
        while True:
            yield os.read(terminal, 65536)


def test_control_c_ends_the_live_view_on_a_terminal():
    ours, theirs = pty.openpty()
    options = {"stdout": theirs, "stderr": theirs, "env": {**os.environ, "TERM": "xterm"}}
    process = start_toehold(demonstration=QUICK, **options)
    os.close(theirs)
    shown, family = b"", set()
    for part in screens(ours):
        shown += part
        if not family and b"simulated" in shown.partition(b"Ctrl-C ends it.")[2]:
            family = descendants(process.pid)
            os.killpg(process.pid, signal.SIGINT)
    os.close(ours)
    assert process.wait(SECONDS) == 0
    assert shown.endswith(b"ended\r\n")
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")  # the cursor is back
    assert len(family) >= 3 and all_gone(family)


def test_control_c_ends_the_demonstration():
    process = start_toehold()
    read_until(process, "$ ping")
    family = descendants(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    status, output, errors = finish(process)
    assert status == 128 + signal.SIGINT and "Traceback" not in errors and "curl" not in output
    assert all_gone(family)


def test_a_simulation_that_dies_is_noticed():
    process = start("sh", "-c", "echo up; exec sleep 300")
    assert process.stdout.readline() == "up\n"
    for pid in descendants(process.pid):
        if Path(f"/proc/{pid}/comm").read_text() == "toehold-sim\n":
            os.kill(pid, signal.SIGKILL)
    status, _, errors = finish(process)
    assert status == 1
    assert "The simulation ended" in errors


def test_the_demonstration_says_what_fails_and_ends_by_itself(tmp_path):
    """The stand-in answers neither ARP nor TCP: every step fails, and is reported."""
    summary = tmp_path / "summary.json"
    status, output, _ = finish(start(duration_s=1, json_file=str(summary)))
    assert status == 1
    assert "$ ping -c 3 -i 0.2 10.77.0.2" in output
    assert output.count("failed with status") == 3
    assert "nsenter --net=/proc/" in output or "nsenter --target=" in output
    assert "clocks/s" in output
    assert json.loads(summary.read_text())["outside"]["received"] > 0


def waves(path: Path, window: str, wait_s: float) -> tuple[int, int]:
    """First and last time in the header of the waveforms of a run with one ping."""
    ping = f"{NEIGHBOUR} && sleep {wait_s} && ping -c 1 10.77.0.2"
    process = start_toehold("--wave", str(path), "--wave-window", window, "--", "sh", "-c", ping)
    status, output, errors = finish(process)
    assert status == 0 and "1 received, 0% packet loss" in output, errors
    kind, length, first_ps, last_ps = struct.unpack(">BQQQ", path.read_bytes()[:25])
    assert (kind, length) == (0, 329)
    return first_ps, last_ps


def test_waves_of_a_window(tmp_path):
    """The window is in the engine's time, the file in clocks: its first 50 ms, the rest."""
    stand_in(waves=True)
    begin = waves(tmp_path / "begin.fst", ":50ms", 0.5)
    rest = waves(tmp_path / "rest.fst", "50ms:60s", 0.1)
    assert 0 < begin[0] < begin[1] < 50e9
    assert begin[0] < rest[0] < rest[1] and begin[1] < rest[1]


# As nobody, with a TAP device of the mode $1. Interpreter and project may be in root's home, which
# is often closed: they are shown again in one that is open. Nothing else on the machine sees this.
WITHOUT_ROOT = """
set -e
mode=$1 folder=$2 python=$3 project=$4
shift 4
mknod "$folder/tun" c 10 200
chmod "$mode" "$folder/tun"
mount --bind "$folder/tun" /dev/net/tun
mkdir "$folder/python" "$folder/project"
mount --bind "$python" "$folder/python"
mount --bind "$project" "$folder/project"
mount -t tmpfs -o mode=755 none ~root
mkdir -p "$python" "$project"
mount --bind "$folder/python" "$python"
mount --bind "$folder/project" "$project"
cd "$project"
exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
"""


@pytest.fixture
def without_root(tmp_path):
    """A function that gives what goes in front of a command."""
    if os.geteuid() != 0:
        pytest.skip("all tests of this file run without root already")

    def behind(mode: str) -> list[str]:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        places = [str(folder), sys.base_prefix, str(ROOT)]
        return ["unshare", "--mount", "sh", "-c", WITHOUT_ROOT, "sh", mode, *places]

    for needed, reason in (
        (["true"], "needs mounts of its own"),
        (["unshare", "-r", "--net", "true"], "needs user namespaces for everybody"),
        (["sh", "-c", f"{sys.executable} -c 'import rich'"], "needs files that all can read"),
    ):
        if subprocess.run([*behind("666"), *needed], capture_output=True).returncode:
            pytest.skip(reason)
    return behind


def test_without_root(without_root):
    command = f"{NEIGHBOUR} && ping -c 1 10.77.0.2 && echo up && cat"
    process = start_toehold(
        "--", "sh", "-c", command, behind=without_root("666"), stdin=subprocess.PIPE
    )
    read_until(process, "1 received, 0% packet loss")
    read_until(process, "up")
    family = descendants(process.pid)
    assert len(family) >= 4
    assert {os.stat(f"/proc/{pid}").st_uid for pid in family} == {65534}
    process.stdin.close()
    process.stdin = None
    status, _, errors = finish(process)
    assert (status, errors) == (0, "")
    assert all_gone(family)


def test_without_root_and_device(without_root):
    status, output, errors = finish(start_toehold("--", "true", behind=without_root("600")))
    assert (status, output) == (1, "")
    assert errors.startswith("toehold: /dev/net/tun is not open to you; run as root, or")


def test_options_reach_the_program(tmp_path):
    options = RunOptions(
        app="http",
        dram="hbm",
        dram_channels=8,
        pcap=tmp_path / "a.pcap",
        wave=tmp_path / "a.fst",
        wave_window_s=(0.001, 0.0035),
        link=LinkOptions(0.01, 0.02, 0.03, 0.04, 200e-6, 1e9, 7),
    )
    text = " ".join(simulator_arguments(options, "cycles"))
    for part in (
        "--time cycles",
        "--apps 8",
        "--dram hbm",
        "--dram-channels 8",
        "--loss 0.01",
        "--reorder 0.02",
        "--duplicate 0.03",
        "--corrupt 0.04",
        "--delay-us 200.0",
        "--rate-bps 1000000000.0",
        "--seed 7",
        f"--pcap {tmp_path}/a.pcap",
        f"--wave {tmp_path}/a.fst",
        "--wave-from-us 1000",
        "--wave-to-us 3500",
    ):
        assert part in text
    assert simulator_arguments(RunOptions())[:4] == ["--time", "wall", "--apps", "31"]


def test_every_run_has_keys_of_its_own():
    first, second = simulator_arguments(RunOptions()), simulator_arguments(RunOptions())
    keys = [word for word in first if "secret" in word or "key" in word]
    assert len(keys) == 6 and not set(keys) & set(second)


def test_a_file_that_cannot_be_written_is_one_sentence():
    with pytest.raises(Failure, match="/nonexistent/a.pcap cannot be written"):
        simulator_arguments(RunOptions(pcap=Path("/nonexistent/a.pcap")))


def test_counters_go_on_beyond_their_wrap():
    totals = Totals()
    totals.update({"counters_rx_bytes": 2**32 - 10})
    assert totals.update({"counters_rx_bytes": 5})["counters_rx_bytes"] == 2**32 + 5


def test_the_view_shows_where_states_are_found():
    """Only for engines that have them in DRAM, too."""
    registers = {"states_established": 3, "state_cache_entries": 0}
    view = LiveView()
    view.update({"registers": registers})
    assert view.levels() == []
    registers |= {
        "state_cache_entries": 8,
        "state_cache_parked": 2,
        "state_cache_parked_most": 7,
        "state_cache_lines_most": 3,
        "counters_state_forwarded": 30,
        "counters_state_hits": 60,
        "counters_state_misses": 16,
        "counters_state_merged": 4,
        "counters_state_lines_read": 40,
        "counters_state_write_backs": 1234,
        "counters_index_hits": 1,
        "counters_index_misses": 3,
        "counters_index_reads": 4,
        "counters_index_second_reads": 1,
    }
    view.update({"registers": registers})
    assert dict(view.levels()) == {
        "states forwarded": "30",
        "states on chip": "60 (75%)",
        "states not on chip": "16",
        "events that waited": "20",
        "waiting, at most": "2, 7",
        "lines for a state, at most": "2.50, 3",
        "states written back": "1,234",
        "tuples on chip": "1 (25%)",
        "lines for a tuple, at most": "1.33, 2",
    }
    registers |= {
        "transmit_pages_pages": 4000,
        "transmit_pages_free": 3000,
        "transmit_pages_free_least": 1500,
        "counters_page_refused": 7,
    }
    view.update({"registers": registers})
    assert dict(list(view.levels())[-2:]) == {
        "pages free, at least": "3,000 (75%), 1,500",
        "refused for pages": "7",
    }


def test_the_view_shows_drops_and_states():
    view = LiveView()
    view.update(
        {
            "wall_s": 2.0,
            "busy_s": 1.0,
            "simulated_us": 1_500_000,
            "clocks": 1000,
            "clocks_per_second": 1_250_000.0,
            "to_engine": {"lost": 3, "corrupted": 0, "queue_dropped": 0},
            "registers": {
                "counters_rx_frames": 5,
                "counters_rx_bytes": 12_345,
                "counters_drop_fcs": 2,
                "counters_drop_runt": 0,
                "states_established": 0,
                "states_time_wait": 4,
                "states_closing": 0,
            },
        }
    )
    text = view.text()
    assert "0 established, 4 time_wait" in text
    assert "5 frames 12.3 kB" in text
    assert "dropped: 2 fcs" in text
    assert "1.25 M clocks/s" in text
    from rich.console import Console

    console = Console(width=120, record=True, file=open(os.devnull, "w"))
    console.print(view)
    screen = console.export_text()
    for part in ("established", "time-wait", "fcs", "link: lost", "simulated 1.5 s", "busy 50%"):
        assert part in screen
    assert "runt" not in screen and "closing" not in screen
