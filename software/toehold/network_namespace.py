# SPDX-License-Identifier: Apache-2.0
"""A network namespace that lives as long as this process, as root or without.

The namespace has no name: a small process holds it, whose standard input is a pipe from here. When
we end, however we end, the pipe closes, the holder goes, and the kernel removes the namespace and
all that is in it.
"""

import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

from toehold.console import fail

HOLDER = "echo held; exec cat >/dev/null"
START_SECONDS = 10
GRACE_SECONDS = 2


class NetworkNamespace:
    """A context manager; `command` makes the command that runs another one inside."""

    def __init__(self) -> None:
        self.as_root = os.geteuid() == 0
        self._holder: subprocess.Popen | None = None

    def __enter__(self) -> "NetworkNamespace":
        _require_tools()
        unshare = ["unshare", "--net"] if self.as_root else ["unshare", "-r", "--net"]
        self._holder = subprocess.Popen(
            [*unshare, "--", "sh", "-c", HOLDER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
        ready, _, _ = select.select([self._holder.stdout], [], [], START_SECONDS)
        if not ready or self._holder.stdout.readline() != b"held\n":
            self._holder.kill()
            reason = self._holder.communicate()[1].decode(errors="replace").strip()
            self._holder = None
            fail(_why_not(self.as_root, reason))
        self._identity = _identity(self.pid)
        self._quieten()
        return self

    def __exit__(self, *_) -> None:
        self._end_processes()
        if self._holder:
            self._holder.stdin.close()
            try:
                self._holder.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                self._holder.kill()
                self._holder.wait()

    @property
    def pid(self) -> int:
        """The process that holds the namespace."""
        return self._holder.pid

    def command(self, arguments: list[str]) -> list[str]:
        return [*self._enter(), *arguments]

    def by_hand(self) -> str:
        """What a person types in front of a command to run it inside."""
        return " ".join(self._enter())

    def run(self, *arguments: str) -> None:
        """Runs a command of the set-up inside; one sentence when it fails."""
        done = subprocess.run(
            self.command(list(arguments)), capture_output=True, text=True, env=environment()
        )
        if done.returncode:
            fail(f"`{' '.join(arguments)}` failed in the network namespace: {done.stderr.strip()}")

    def _enter(self) -> list[str]:
        if self.as_root:
            return ["nsenter", f"--net=/proc/{self.pid}/ns/net"]
        return ["nsenter", f"--target={self.pid}", "--user", "--net", "--preserve-credentials"]

    def _quieten(self) -> None:
        """Neighbour discovery and router solicitation would only clutter captures."""
        for interface in ("all", "default"):
            knob = f"/proc/sys/net/ipv6/conf/{interface}/disable_ipv6"
            if Path(knob).exists():
                self.run("sh", "-c", f"echo 1 > {knob}")
        self.run("ip", "link", "set", "lo", "up")

    def _end_processes(self) -> None:
        """Ends what still runs inside, such as servers that a command left behind."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            left = self._processes()
            for pid in left:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
            deadline = time.monotonic() + GRACE_SECONDS
            while left and time.monotonic() < deadline:
                time.sleep(0.02)
                left = self._processes()
            if not left:
                return

    def _processes(self) -> list[int]:
        """Processes inside, without the holder."""
        if not self._holder or self._identity == _identity(os.getpid()):
            return []
        numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in numbers if pid != self.pid and _identity(pid) == self._identity]


def environment() -> dict[str, str]:
    """Ours, with the folders where `ip` is; ordinary users do not have them in PATH."""
    extended = dict(os.environ)
    extended["PATH"] = extended.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
    return extended


def _identity(pid: int) -> tuple[int, int] | None:
    """What tells network namespaces apart; None for a process that is gone or not ours to see."""
    try:
        status = os.stat(f"/proc/{pid}/ns/net")
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _require_tools() -> None:
    tools = {"ip": "iproute2", **dict.fromkeys(("unshare", "nsenter", "setpriv"), "util-linux")}
    for tool, package in tools.items():
        if shutil.which(tool, path=environment()["PATH"]) is None:
            fail(f"{tool} is not installed; `apt-get install {package}` adds it.")
    tun = Path("/dev/net/tun")
    if not tun.exists():
        fail("There is no /dev/net/tun; `modprobe tun` as root adds it (not in every container).")
    if not os.access(tun, os.R_OK | os.W_OK):
        fail("/dev/net/tun is not open to you; run as root, or `chmod 666 /dev/net/tun` as root.")


def _why_not(as_root: bool, reason: str) -> str:
    if as_root:
        return f"This machine does not let root create a network namespace ({reason})."
    return (
        "This machine does not let you create a network namespace without root"
        f" ({reason or 'no answer'}); run as root, or allow user namespaces with"
        " `sysctl -w kernel.unprivileged_userns_clone=1` (on Ubuntu"
        " `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`)."
    )
