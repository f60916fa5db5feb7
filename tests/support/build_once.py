# SPDX-License-Identifier: Apache-2.0
"""Shared objects for tests, built once for each content of their sources."""

import fcntl
import hashlib
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from toehold.paths import BUILD, ROOT

_LAST_LINES = 20


class BuildFailure(Exception):
    """A command that failed, with the end of what it said."""

    def __init__(self, name: str, output: str) -> None:
        super().__init__(
            f"{name} does not build:\n" + "\n".join(output.splitlines()[-_LAST_LINES:])
        )
        self.output = output


def build_once(
    name: str,
    made_with: str,
    sources: Iterable[Path],
    command: Callable[[Path], list[str]],
    product: str,
) -> Path:
    """`product` in a folder under build/peers/, where `command` leaves it.

    made_with  what else the result depends on: versions of tools
    command    gets the folder
    """
    digest = hashlib.sha256(made_with.encode())
    for path in sorted(sources):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    folder = BUILD / "peers" / f"{name}-{digest.hexdigest()[:16]}"
    complete = folder / "complete"
    if not complete.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not complete.exists():
                done = subprocess.run(command(folder), capture_output=True, text=True)
                if done.returncode:
                    raise BuildFailure(name, done.stdout + done.stderr)
                complete.touch()
    return folder / product
