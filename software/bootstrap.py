# SPDX-License-Identifier: Apache-2.0
"""Set-up behind `make setup`: virtual environment, pinned packages, Debian tools.

Uses the standard library alone, since nothing is installed yet. A stamp with the hash of all
inputs makes a second call return at once.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "setup-stamp"
INPUTS = ("requirements.txt", "pyproject.toml", "software/bootstrap.py")
PYTHON_NEEDED = (3, 11)

# Debian package, what shows that it is there, what does not work without it.
DEBIAN_PACKAGES = (
    ("g++", "g++", "building the simulator"),
    ("make", "make", "building the simulator"),
    ("perl", "perl", "building the simulator"),
    ("zlib1g-dev", "/usr/include/zlib.h", "writing FST waveforms"),
    ("iproute2", "ip", "the network namespace of `toehold run`"),
    ("iputils-ping", "ping", "the ping tests"),
    ("curl", "curl", "the HTTP tests"),
    ("iperf", "iperf", "the iperf tests"),
    ("redis-tools", "redis-cli", "the key-value tests"),
    ("tshark", "tshark", "judging captures"),
    ("liblwip-dev", "/usr/include/lwip/lwip/init.h", "testing against lwIP"),
    ("gcc-riscv64-unknown-elf", "riscv64-unknown-elf-gcc", "`toehold bench checksum`"),
    ("binutils-riscv64-unknown-elf", "riscv64-unknown-elf-objcopy", "`toehold bench checksum`"),
    (
        "picolibc-riscv64-unknown-elf",
        "/usr/lib/picolibc/riscv64-unknown-elf",
        "`toehold bench checksum`",
    ),
)


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


def content_hash() -> str:
    digest = hashlib.sha256(f"{ROOT} {platform.python_version()}".encode())
    for name in INPUTS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def is_there(evidence: str) -> bool:
    if evidence.startswith("/"):
        return Path(evidence).exists()
    return shutil.which(evidence, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is not None


def privilege() -> list[str] | None:
    """The prefix that runs a command as root, or None without a way to do so."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        asked = subprocess.run(["sudo", "-n", "true"], capture_output=True)
        if asked.returncode == 0:
            return ["sudo", "-n"]
    return None


def install_debian_packages(try_install: bool) -> None:
    missing = [row for row in DEBIAN_PACKAGES if not is_there(row[1])]
    if missing and try_install and shutil.which("apt-get"):
        names = [row[0] for row in missing]
        prefix = privilege()
        if prefix is not None:
            say(f"installing {', '.join(names)} from Debian's packages (up to two minutes) ...")
            apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
            subprocess.run([*apt, "update"], capture_output=True)
            done = subprocess.run(
                [*apt, "install", "-y", "--no-install-recommends", *names],
                capture_output=True,
                text=True,
            )
            if done.returncode:
                reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
                say(f"apt-get could not install them: {reason}")
        missing = [row for row in DEBIAN_PACKAGES if not is_there(row[1])]
    for name, _, purpose in missing:
        say(f"{name} is not installed, so {purpose} is skipped; `apt-get install {name}` adds it.")


def create_venv() -> None:
    python = VENV / "bin" / "python3"
    configuration = VENV / "pyvenv.cfg"
    if python.exists() and (VENV / "bin" / "pip").exists():
        # Scripts in a virtual environment carry its path: one that was moved has to be made again.
        shebang = (VENV / "bin" / "pip").read_text(errors="replace").splitlines()[0]
        if str(VENV) in shebang and configuration.exists():
            return
    if VENV.is_symlink():
        # `venv --clear` would empty what it leads to, which may be another checkout's.
        sys.exit("setup: .venv is a symbolic link; remove it, and a .venv of its own is made here.")
    say("creating the virtual environment in .venv ...")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and shutil.which("apt-get") and privilege() is not None:
        # Debian keeps ensurepip in a package of its own.
        apt = [*privilege(), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
        subprocess.run([*apt, "update"], capture_output=True)
        subprocess.run([*apt, "install", "-y", "python3-venv"], capture_output=True)
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            "setup: python3 -m venv failed; on Debian `apt-get install python3-venv` adds what it"
            f" needs.\n{(done.stdout + done.stderr).strip()}"
        )


def pip(arguments: list[str], task: str) -> None:
    """Run pip with a line of progress; end with its reason when it fails."""
    command = [str(VENV / "bin" / "python3"), "-m", "pip", "--disable-pip-version-check"]
    command += ["--no-input", *arguments]
    on_terminal = sys.stdout.isatty()
    started = time.monotonic()
    say(f"{task} ...")
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )
    output = []
    for line in process.stdout:
        output.append(line.rstrip())
        if on_terminal and line.startswith(("Collecting ", "Installing ")):
            print(f"\r\033[K       {line.split(',')[0].strip()[:70]}", end="", flush=True)
    if on_terminal:
        print("\r\033[K", end="", flush=True)
    if process.wait():
        errors = [line for line in output if line.startswith("ERROR")] or output[-5:]
        sys.exit(
            "setup: pip could not finish:\n  "
            + "\n  ".join(errors)
            + "\nThe packages come from the package index that pip is configured for. Without a"
            " network, fill a folder on another machine with\n"
            "  pip download -r requirements.txt -d packages\n"
            "and here call  PIP_NO_INDEX=1 PIP_FIND_LINKS=packages make setup"
        )
    say(f"{task}: done in {time.monotonic() - started:.0f} s")


def main() -> None:
    if sys.version_info < PYTHON_NEEDED:
        wanted = ".".join(map(str, PYTHON_NEEDED))
        sys.exit(
            f"setup: Python {wanted} or newer is needed, this is {platform.python_version()};"
            " name another one with `make PYTHON=python3.11 ...`."
        )
    wanted_hash = content_hash()
    if STAMP.exists() and STAMP.read_text() == wanted_hash:
        return
    lock_file = ROOT / "build" / "setup.lock"
    lock_file.parent.mkdir(exist_ok=True)
    with lock_file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if STAMP.exists() and STAMP.read_text() == wanted_hash:
            return
        install_debian_packages(try_install=True)
        create_venv()
        pins = (ROOT / "requirements.txt").read_text().count("==")
        pip(
            ["install", "--no-deps", "-r", str(ROOT / "requirements.txt")],
            f"installing {pins} pinned Python packages (about a minute)",
        )
        pip(
            ["install", "--no-deps", "--no-build-isolation", "-e", str(ROOT)],
            "installing the toehold command line",
        )
        STAMP.write_text(wanted_hash)
    say("ready; `.venv/bin/toehold --help` lists the commands")


if __name__ == "__main__":
    main()
