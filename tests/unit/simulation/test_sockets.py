# SPDX-License-Identifier: Apache-2.0
"""Sockets and links in virtual time: C and C++ programs on the simulated engine, and the library as
somebody else finds it after `make install`."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.simulate import run_seed
from toehold.install import DESCRIPTION, HEADERS, install, uninstall_command
from toehold.paths import ROOT
from toehold.simulation import Link, Simulation, SimulationError, Station
from toehold.simulator_build import Simulator, build_simulator

HERE = Path(__file__).parent
INCLUDE = ROOT / "simulation" / "include"
EXAMPLE = ROOT / "simulation" / "examples" / "lossy_transfer.c"
CASES = [
    line.split("(")[1].split(")")[0]
    for line in (HERE / "sockets_scenarios.cpp").read_text().splitlines()
    if line.startswith("TEST(")
]


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return build_simulator("small", 64)


def compile_program(source: Path, program: Path, simulator: Simulator, *options: str) -> Path:
    compiler = ["g++", "-std=c++17"] if source.suffix == ".cpp" else ["gcc", "-std=c99"]
    folder = simulator.library.parent
    subprocess.run(
        [
            *(*compiler, "-O1", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program)),
            *(f"-I{INCLUDE}", f"-I{HERE}", f"-L{folder}", f"-Wl,-rpath,{folder}"),
            *("-ltoehold_sim", *options),
        ],
        check=True,
    )
    return program


def run(*command: Path | str, seconds: int = 300) -> str:
    environment = os.environ | {"TOEHOLD_SEED": str(run_seed())}
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def scenarios(simulator, tmp_path_factory) -> Path:
    program = tmp_path_factory.mktemp("sockets") / "sockets_scenarios"
    return compile_program(HERE / "sockets_scenarios.cpp", program, simulator)


@pytest.mark.parametrize("case", CASES)
def test_sockets(scenarios, case):
    print(run(scenarios, case))


def test_two_widths_in_one_process(simulator, tmp_path):
    program = compile_program(
        HERE / "widths_in_one_process.c", tmp_path / "widths", simulator, "-ldl"
    )
    assert run(program, build_simulator("small", 512).library) == "64 and 512 bits\n"


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_headers_stand_alone(tmp_path, header, language):
    source = tmp_path / f"alone.{'c' if language == 'c' else 'cpp'}"
    source.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    compiler = ["gcc", "-std=c99"] if language == "c" else ["g++", "-std=c++11"]
    strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*compiler, *strict, f"-I{INCLUDE}", str(source)], check=True)


def test_every_function_is_exported_and_nothing_else(simulator):
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", simulator.library],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    exported = {line.split()[-1] for line in lines}
    text = "".join((INCLUDE / header).read_text() for header in HEADERS)
    declared = set(re.findall(r"^[a-z][\w *]*\b(toehold_\w+)\(", text, re.MULTILINE))
    assert exported == declared


def test_installed_with_pkg_config(simulator, tmp_path):
    """As somebody without the repository would build the example."""
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is missing: the installed library is not tried")
    stage = tmp_path / "stage"
    install(simulator, Path("/usr"), str(stage))
    prefix = stage / "usr"
    environment = os.environ | {
        "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": str(stage),
        "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1",
        "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1",
    }
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "toehold"],
        capture_output=True, text=True, check=True, env=environment,
    ).stdout.split()  # fmt: skip
    source = tmp_path / EXAMPLE.name
    shutil.copy(EXAMPLE, source)
    program = tmp_path / "lossy_transfer"
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program), *flags],
        check=True,
    )
    environment["LD_LIBRARY_PATH"] = str(prefix / "lib")
    done = subprocess.run(
        [program, "60000", "3"], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "60000 bytes received, every one right" in done.stdout
    assert "0 connections are left" in done.stdout

    uninstall_command(Path("/usr"), str(stage))
    assert not [path for path in stage.rglob("*") if not path.is_dir()]


def test_another_prefix_is_written_into_the_description(simulator, tmp_path):
    install(simulator, tmp_path / "here")
    text = (tmp_path / "here" / "lib" / "pkgconfig" / DESCRIPTION).read_text()
    assert f"prefix={tmp_path / 'here'}\n" in text
    assert "configuration=small-64\n" in text and "@" not in text


def test_links_from_python(simulator):
    """Two engines without sockets: the ARP exchange of an open that nobody listens to."""
    with Simulation(simulator) as client, Simulation(simulator) as server:
        server.write("network_ip_address", 0x0A4D0003)
        server.write("network_mac_low", 0x4F450002)
        seen = []
        with Link(client, server, delay_us=1000, seed=3) as link:
            link.observe(lambda *frame: seen.append(frame))
            client.put_command(2, 7, remote_ip=0x0A4D0003, remote_port=80)
            kinds = []
            while link.run_until(10_000_000):
                kinds += [event.kind for event in client.take_events()]
            assert kinds == [0, 5]  # the result, then EventReset: refused
            assert link.time_us == 10_000_000
            assert client.next_deadline_us > 10_000_000
        sent = [(time, direction, data) for direction, arrived, data, time in seen if not arrived]
        came = [(time, direction, data) for direction, arrived, data, time in seen if arrived]
        assert came == [(time + 1000, direction, data) for time, direction, data in sent]
        assert [data[12:14] for _, _, data in sent] == [b"\x08\x06"] * 2 + [b"\x08\x00"] * 2
        with pytest.raises(SimulationError, match="sense"):
            Link(client, server, loss=2)


def test_a_station_answers_when_a_frame_arrives(simulator):
    """Not when the engine next has something to do."""
    seen = []
    with Simulation(simulator) as engine:
        station = Station(lambda data, _: station.outgoing.append(bytes(60)))
        with Link(engine, station, delay_us=1000) as link:
            link.observe(lambda *frame: seen.append(frame))
            engine.put_command(2, 7, remote_ip=0x0A4D0003, remote_port=80)
            while len(seen) < 4 and link.time_us < 10_000_000:
                link.run_until(10_000_000)
                engine.take_events()
    (_, _, _, asked), (_, _, _, came), (_, _, _, answered), (_, _, _, back) = seen[:4]
    assert (came, answered, back) == (asked + 1000, came, asked + 2000)
