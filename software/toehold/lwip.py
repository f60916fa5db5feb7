# SPDX-License-Identifier: Apache-2.0
"""lwIP as a program for the small processor: its sources, and the echo of software/raw_link/lwip.

The sources are those of Debian's package, as apt fetches and verifies them; the headers and the
library of liblwip-dev are for this machine's processor alone.
"""

import fcntl
import shutil
import subprocess
import tarfile
from pathlib import Path

from toehold.firmware import build_firmware
from toehold.paths import BUILD
from toehold.raw_link import SOURCE, load_firmware
from toehold.simulation import Simulation

VERSION = "2.1.3+dfsg1-2"

# Of picorv32_frames, less what the stack may take.
MEMORY_BYTES = 128 * 1024 - 8 * 1024

# Without UDP, DNS and what else an echo over TCP does not need.
FILES = (
    *(f"core/{name}.c" for name in ("def", "inet_chksum", "init", "ip", "mem", "memp", "netif")),
    *(f"core/{name}.c" for name in ("pbuf", "tcp", "tcp_in", "tcp_out", "timeouts")),
    *(f"core/ipv4/{name}.c" for name in ("etharp", "icmp", "ip4", "ip4_addr")),
    "netif/ethernet.c",
)


class NotAvailable(Exception):
    """Why lwIP's sources are not there."""


def lwip_source() -> Path:
    """The folder `src` of lwIP, fetched once."""
    folder = BUILD / "lwip"
    source = folder / "lwip-2.1.3" / "src"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not source.exists():
            archive = _fetch(folder)
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
    return source


def _fetch(folder: Path) -> Path:
    """The archive, from where this machine has its Debian packages, with lists of apt's own in the
    folder: the machine's are for what it installs, often without sources."""
    if shutil.which("apt-get") is None:
        raise NotAvailable("this machine has no apt-get to fetch its sources with")
    places = _apt(
        "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
        "Created-By: Packages", "Origin: Debian", "Component: main",
    )  # fmt: skip
    if not places:
        raise NotAvailable("apt knows no place of Debian packages; `apt-get update` may help")
    sources = folder / "sources.list"
    sources.write_text("".join(f"deb-src {place}\n" for place in places.splitlines()))
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    own = [
        f"-oDir::Etc::sourcelist={sources}", "-oDir::Etc::sourceparts=/dev/null",
        f"-oDir::State::lists={folder / 'lists'}", f"-oDir::Cache={folder}",
    ]  # fmt: skip
    _apt(*own, "update")
    _apt(*own, "source", "--download-only", f"lwip={VERSION}", folder=folder)
    return next(folder.glob("lwip_*.orig.tar.*"))


def _apt(*arguments: str, folder: Path | None = None) -> str:
    done = subprocess.run(["apt-get", "-q", *arguments], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise NotAvailable(f"its sources cannot be fetched: {last}")
    return done.stdout


def start_lwip_echo(engine: Simulation) -> None:
    """Loads the echo into the processor of FRAMES_FIRMWARE, and starts it."""
    source, own = lwip_source(), SOURCE / "lwip"
    image = build_firmware(
        "lwip_echo",
        [own / "echo.c", *(source / name for name in FILES)],
        include_dirs=[own, SOURCE / "firmware", source / "include"],
        memory_bytes=MEMORY_BYTES,
    )
    load_firmware(engine, image)
