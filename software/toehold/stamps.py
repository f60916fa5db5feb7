# SPDX-License-Identifier: Apache-2.0
"""Steps that take minutes are not repeated for what they have been done for.

Beside what a step has made lies a stamp: a digest of all that it was made from. A run that was
stopped goes on behind its last whole step so; a change of anything it is made from, of a tool or an
option too, has it made again.
"""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path


def once(made: Path, of: Iterable[Path | str], make: Callable[[], bool]) -> bool:
    """Have `made` made from files and texts, if that has not been done, and say whether it is there
    now. `make` says whether it came to an end."""
    stamp = made.with_name(f"{made.name}.made_of")
    digest = hashlib.sha256()
    for part in of:
        content = part.read_bytes() if isinstance(part, Path) else part.encode()
        digest.update(f"{len(content)}:".encode() + content)
    if made.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return True
    stamp.unlink(missing_ok=True)
    if not make():
        return False
    stamp.write_text(digest.hexdigest())
    return True
