# SPDX-License-Identifier: Apache-2.0
"""Installs the simulated engine as a C library: headers, a shared library for each configuration,
and a description for pkg-config; and the raw link's library and programs likewise. Nothing else of
the repository is needed to use them."""

import shutil
from importlib.metadata import version
from pathlib import Path

from toehold import raw_link
from toehold.console import errors, fail
from toehold.paths import ROOT
from toehold.simulator_build import Simulator, build_simulator

INCLUDE = ROOT / "simulation" / "include"
TEMPLATE = ROOT / "simulation" / "toehold.pc.in"
HEADERS = ("toehold_sim.h", "toehold_sockets.h", "toehold_load.h")
DESCRIPTION = "toehold.pc"
LIBRARIES = "libtoehold_sim-*.so*"
RAW_LINK_DESCRIPTION = "toehold-raw-link.pc"
RAW_LINK_LIBRARY = "libtoehold_raw_link.so"


def install_command(
    prefix: Path, destdir: str, preset: str, width: int, profiled: bool = False
) -> None:
    """Builds that configuration and installs it beside those that are there; it becomes the one
    that pkg-config names. `destdir` goes before all paths but those written into files."""
    install(build_simulator(preset, width, profiled=profiled), prefix, destdir)
    install_raw_link(raw_link.build_raw_link(), prefix, destdir)
    errors.print(
        f"Installed {preset}, {width} bits, in {_staged(prefix, destdir)}.", soft_wrap=True
    )


def install(simulator: Simulator, prefix: Path, destdir: str = "") -> None:
    if not prefix.is_absolute():
        fail(f"The prefix {prefix} is not an absolute path.", 2)
    include, libraries, descriptions = folders(prefix, destdir)
    for folder in (include, libraries, descriptions):
        folder.mkdir(parents=True, exist_ok=True)
    for header in HEADERS:
        shutil.copyfile(INCLUDE / header, include / header)

    # The build has the library under the name that programs look for, too.
    configuration = f"{simulator.preset}-{simulator.width}"
    (soname,) = (
        path.name for path in simulator.library.parent.glob(f"libtoehold_sim-{configuration}.so.*")
    )
    shutil.copy(simulator.library, libraries / soname)
    linked = libraries / f"libtoehold_sim-{configuration}.so"
    linked.unlink(missing_ok=True)
    linked.symlink_to(soname)

    text = TEMPLATE.read_text()
    for name, value in (
        ("PREFIX", str(prefix)),
        ("CONFIGURATION", configuration),
        ("VERSION", version("toehold")),
    ):
        text = text.replace(f"@{name}@", value)
    (descriptions / DESCRIPTION).write_text(text)


def install_raw_link(software: raw_link.Software, prefix: Path, destdir: str = "") -> None:
    include, libraries, descriptions = folders(prefix, destdir)
    programs = _programs(prefix, destdir)
    for folder in (include, libraries, descriptions, programs):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(raw_link.HEADER, include / raw_link.HEADER.name)
    shutil.copy(software.library, libraries)
    linked = libraries / RAW_LINK_LIBRARY
    linked.unlink(missing_ok=True)
    linked.symlink_to(software.library.name)
    for name in raw_link.PROGRAMS:
        shutil.copy(software.program(name), programs)
    text = raw_link.DESCRIPTION_TEMPLATE.read_text().replace("@PREFIX@", str(prefix))
    text = text.replace("@VERSION@", version("toehold"))
    (descriptions / RAW_LINK_DESCRIPTION).write_text(text)


def uninstall_command(prefix: Path, destdir: str) -> None:
    """Removes what `install` has put there, all configurations; folders stay."""
    include, libraries, descriptions = folders(prefix, destdir)
    found = [include / header for header in HEADERS]
    found += [descriptions / DESCRIPTION, *libraries.glob(LIBRARIES)]
    found += [include / raw_link.HEADER.name, descriptions / RAW_LINK_DESCRIPTION]
    found += [*libraries.glob(f"{RAW_LINK_LIBRARY}*")]
    found += [_programs(prefix, destdir) / name for name in raw_link.PROGRAMS]
    for path in found:
        path.unlink(missing_ok=True)


def folders(prefix: Path, destdir: str) -> tuple[Path, Path, Path]:
    """Of headers, libraries and descriptions."""
    base = _staged(prefix, destdir)
    return base / "include", base / "lib", base / "lib" / "pkgconfig"


def _programs(prefix: Path, destdir: str) -> Path:
    return _staged(prefix, destdir) / "bin"


def _staged(prefix: Path, destdir: str) -> Path:
    return Path(f"{destdir}{prefix}") if destdir else prefix
