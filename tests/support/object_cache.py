# SPDX-License-Identifier: Apache-2.0
"""A compiler cache for Verilator's runtime: OBJCACHE in its makefiles.

The runtime takes longer to compile than most of the modules do, and is the same for all of them.
    object_cache.py FOLDER c++ ... -c -o verilated.o .../include/verilated.cpp
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path


def main(store: Path, command: list[str]) -> int:
    source = next((Path(item) for item in command if item.endswith(".cpp")), None)
    if source is None or not source.name.startswith("verilated") or "-o" not in command:
        return subprocess.run(command).returncode
    output = Path(command[command.index("-o") + 1])
    key = " ".join(command) + str(source.stat().st_mtime_ns)
    kept = store / f"{source.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.o"
    if not kept.exists():
        status = subprocess.run(command).returncode
        if status:
            return status
        partial = kept.with_suffix(f".{os.getpid()}")
        store.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(output, partial)
        partial.replace(kept)
    else:
        shutil.copyfile(kept, output)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
