# SPDX-License-Identifier: Apache-2.0
"""What an engine is built without: macros of tcp_pkg, which come from the environment.

TOEHOLD_SACK=0 toehold run
"""

import os
import re

from toehold.paths import ROOT

PACKAGE = ROOT / "rtl" / "packages" / "tcp_pkg.sv"
ALL = "TOEHOLD_FEATURES"

# What a preset leaves out, unless the environment says otherwise. A ring of `small` holds a segment
# and a half: of pieces beyond gaps two are many.
OF_PRESET = {"tiny": {ALL: "0"}, "small": {"TOEHOLD_GAPS": "2"}}

# What is there only if the environment asks for it.
ASKED_FOR = ("TOEHOLD_PACING",)


def macros() -> list[str]:
    """The macros that there are, in the order of the package."""
    return re.findall(r"^`ifndef (TOEHOLD_\w+)$", PACKAGE.read_text(), re.M)


def given() -> dict[str, str]:
    """Those that the environment sets."""
    return {name: os.environ[name] for name in macros() if os.environ.get(name)}


def of_preset(preset: str) -> dict[str, str]:
    """Those that a preset sets by itself."""
    return dict(OF_PRESET.get(preset, {}))


def of(preset: str) -> dict[str, str]:
    """Those that an engine of the preset is built with."""
    return of_preset(preset) | given()


def label(macros: dict[str, str]) -> str:
    """A part of a name: gaps2_sack0; of no macros an empty one."""
    return "_".join(
        f"{name.removeprefix('TOEHOLD_').lower()}{value}" for name, value in macros.items()
    )
