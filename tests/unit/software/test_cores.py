# SPDX-License-Identifier: Apache-2.0
"""File lists from .core files."""

import pytest

from toehold import cores
from toehold.console import Failure


@pytest.fixture
def house(tmp_path):
    """Three cores: top needs left and right, and right needs left."""

    def add(leaf, files, depend=()):
        folder = tmp_path / "rtl" / leaf
        folder.mkdir(parents=True)
        listed = "".join(f"      - {name}\n" for name in files)
        needed = "".join(f'      - "{name}"\n' for name in depend)
        for name in files:
            if ":" in name:
                (folder / name.partition(":")[0]).touch()
            elif not name.startswith("missing"):
                (folder / name).write_text(f"module {name.removesuffix('.sv')};\nendmodule\n")
        (folder / f"{leaf}.core").write_text(
            f"CAPI=2:\nname: toehold:rtl:{leaf}:0.1.0\nfilesets:\n  rtl:\n    files:\n{listed}"
            f"    file_type: systemVerilogSource\n"
            + (f"    depend:\n{needed}" if needed else "")
            + "targets:\n  default:\n    filesets: [rtl]\n"
        )

    add("left", ["first.sv", "second.sv", "macros.svh: {is_include_file: true}"])
    add("right", ["third.sv"], ["toehold:rtl:left"])
    add("top", ["fourth.sv"], [">=toehold:rtl:right:0.1.0", "toehold:rtl:left:0.1.0"])
    return tmp_path, add


def test_dependencies_come_first_and_once(house):
    root, _ = house
    files, include_dirs = cores.sources(["top", "left"], root)
    assert [file.name for file in files] == ["first.sv", "second.sv", "third.sv", "fourth.sv"]
    assert include_dirs == [root / "rtl" / "left"]


def test_a_core_goes_by_three_names(house):
    root, _ = house
    for name in ("right", "toehold:rtl:right", "toehold:rtl:right:0.1.0"):
        assert cores.core(name, root).path == root / "rtl" / "right" / "right.core"


def test_core_of_module(house):
    root, _ = house
    assert cores.core_of_module("second", root).short == "left"
    with pytest.raises(Failure, match="no module 'macros'"):
        cores.core_of_module("macros", root)


def test_unknown_core(house):
    root, _ = house
    with pytest.raises(Failure, match="no core 'up'; the cores are: left, right, top"):
        cores.sources(["up"], root)


def test_missing_file(house):
    root, add = house
    add("hollow", ["missing.sv"])
    with pytest.raises(Failure, match="rtl/hollow/hollow.core lists missing.sv"):
        cores.sources(["hollow"], root)


def test_circle(house):
    root, add = house
    add("hen", ["a.sv"], ["toehold:rtl:egg"])
    add("egg", ["b.sv"], ["toehold:rtl:hen"])
    with pytest.raises(Failure, match="circle: hen -> toehold:rtl:egg -> toehold:rtl:hen"):
        cores.sources(["hen"], root)


def test_name_taken_twice(house):
    root, add = house
    add("other", ["c.sv"])
    core = root / "rtl" / "other" / "other.core"
    core.write_text(core.read_text().replace("toehold:rtl:other", "toehold:rtl:left"))
    with pytest.raises(Failure, match="both define toehold:rtl:left"):
        cores.sources(["left"], root)
