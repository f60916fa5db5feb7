# SPDX-License-Identifier: Apache-2.0
"""The order in which two processes take the files of tests."""

from types import SimpleNamespace

import pytest

from toehold.schedule import Schedule

# File: its mark, number of its tests.
FILES = {
    "a.py": ("", 3),
    "b.py": ("long", 1),
    "c.py": ("serial", 2),
    "d.py": ("", 9),
    "e.py": ("long", 2),
    "f.py": ("serial", 8),
}


class Node:
    """A process that is told what to run."""

    shutting_down = False
    gateway = SimpleNamespace(id="gw")

    def __init__(self):
        self.told: list[int] = []
        self.done = 0

    def send_runtest_some(self, indices):
        self.told += indices

    def shutdown(self):
        self.shutting_down = True


@pytest.fixture
def tests(tmp_path):
    names = []
    for file, (mark, number) in FILES.items():
        text = f"pytestmark = pytest.mark.{mark}\n" if mark else ""
        (tmp_path / file).write_text(text)
        names += [f"{file}::test_{i}" for i in range(number)]
    return names


@pytest.fixture
def schedule(tmp_path, tests):
    config = SimpleNamespace(
        rootpath=tmp_path,
        getvalue={"tx": ["popen", "popen"]}.get,
        option=SimpleNamespace(loadscopereorder=True, debug=False),
    )
    made = Schedule(config)
    made.log = lambda *said: None
    nodes = [Node(), Node()]
    for node in nodes:
        made.add_node(node)
        made.add_node_collection(node, tests)
    made.schedule()
    return made, nodes


def files_of(node: Node, tests: list[str]) -> list[str]:
    return list(dict.fromkeys(tests[i].partition("::")[0] for i in node.told))


def work(schedule: Schedule, node: Node, number: int) -> None:
    """The node has done that many tests more."""
    for _ in range(number):
        schedule.mark_test_complete(node, node.told[node.done])
        node.done += 1


def test_serial_files_on_one_process_and_long_ones_first(schedule, tests):
    schedule, (one, other) = schedule
    # Until at most two tests are left, no file is added.
    assert files_of(one, tests) == ["f.py"]
    assert files_of(other, tests) == ["e.py", "b.py"]
    work(schedule, other, 2)
    assert files_of(other, tests) == ["e.py", "b.py", "d.py"]
    work(schedule, one, 6)
    assert files_of(one, tests) == ["f.py", "c.py"]
    work(schedule, one, 2)
    work(schedule, other, 8)
    assert files_of(one, tests) == ["f.py", "c.py", "a.py"]
    assert files_of(other, tests) == ["e.py", "b.py", "d.py"]


def test_a_serial_file_is_taken_when_nothing_else_is_left(schedule, tests):
    schedule, (one, other) = schedule
    work(schedule, other, 2 + 1 + 9 - 2)
    assert files_of(other, tests) == ["e.py", "b.py", "d.py", "a.py"]
    work(schedule, other, 3)
    assert files_of(other, tests) == ["e.py", "b.py", "d.py", "a.py", "c.py"]
