# SPDX-License-Identifier: Apache-2.0
"""What is said of conformance holds together, and nothing that would not goes unnoticed."""

from dataclasses import replace

import pytest

from toehold import conformance
from toehold.conformance import Requirement, Rfc, Tag


def test_this_repository():
    assert conformance.check() == []


def test_every_number_of_appendix_b():
    """69 MUSTs, 31 SHOULDs, 18 MAYs and one recommendation, without a gap. What it has no number
    for is named by its section."""
    names = [r.name for rfc in conformance.load() if rfc.number == 9293 for r in rfc.requirements]
    names = [name for name in names if not name.startswith("3.10.")]
    counts = {"MUST": 69, "SHLD": 31, "MAY": 18, "REC": 1}
    wanted = {f"{kind}-{n}" for kind, last in counts.items() for n in range(1, last + 1)}
    assert sorted(names) == sorted(wanted)


def test_all_the_rfcs():
    numbers = {rfc.number for rfc in conformance.load()}
    assert numbers == {
        9293, 5961, 7323, 2018, 2883, 6675, 6298, 5681, 6582, 6928, 6528, 6056, 6191,
    }  # fmt: skip


GOOD = Requirement(9, "MUST-1", "1", "something", where=("README.md",))
TAG = Tag("RFC9:MUST-1", "tests/x.py", "test_x")


def wrong(requirement: Requirement = GOOD, tags=(TAG,)) -> list[str]:
    return conformance.problems([Rfc(9, "x", [requirement])], list(tags))


def test_nothing_wrong():
    assert wrong() == []


@pytest.mark.parametrize("requirement, tags, sentence", [
    (GOOD, [TAG, replace(TAG, requirement="RFC9:MUST-2")], "which is nowhere"),
    (GOOD, [TAG, replace(TAG, test="")], "not a test"),
    (GOOD, [], "has no test"),
    (GOOD, [replace(TAG, fails=True)], "has no test"),
    (GOOD, [replace(TAG, test="")], "has no test"),
    (replace(GOOD, where=("rtl/no_such.sv",)), [TAG], "is not there"),
    (replace(GOOD, where=()), [TAG], "needs one of"),
    (replace(GOOD, missing="x"), [TAG], "needs one of"),
    (replace(GOOD, where=(), missing="x"), [TAG], "said not to be there"),
    (replace(GOOD, untested="x"), [TAG], "said to be untested"),
    (replace(GOOD, text=""), [TAG], "no text"),
])  # fmt: skip
def test_is_noticed(requirement, tags, sentence):
    assert any(sentence in line for line in wrong(requirement, tags)), wrong(requirement, tags)


@pytest.mark.parametrize("requirement, tags", [
    (replace(GOOD, untested="x"), []),
    (replace(GOOD, deviation="x"), [replace(TAG, fails=True)]),
    (replace(GOOD, where=(), missing="x"), []),
    (replace(GOOD, where=(), not_applicable="x"), []),
])  # fmt: skip
def test_is_allowed(requirement, tags):
    assert wrong(requirement, tags) == []


SOURCE = '''
conformance = pytest.mark.conformance
LATE = pytest.mark.xfail(reason="x")

@pytest.mark.conformance("A:1", "A:2")
def test_one(): pass

@conformance("A:3")
@LATE
def test_two(): pass

@cocotb.test()
async def three(dut):
    """Something.

    Conformance: A:4, A:5,
        A:6.
    """

@cocotb.parametrize(x=[1])
async def four(dut):
    """Conformance: A:7"""

def helper():
    """Conformance: A:8"""

def test_five():
    """No conformance here."""
'''


def test_tags_are_found(tmp_path):
    path = tmp_path / "test_x.py"
    path.write_text(SOURCE)
    found = [(t.requirement, t.test, t.fails) for t in conformance.tags_of(path, tmp_path)]
    assert found == [
        ("A:1", "test_one", False), ("A:2", "test_one", False), ("A:3", "test_two", True),
        ("A:4", "three", False), ("A:5", "three", False), ("A:6", "three", False),
        ("A:7", "four", False), ("A:8", "", False),
    ]  # fmt: skip


def test_document():
    text = conformance.render(
        [Rfc(9, "x", [GOOD, replace(GOOD, name="MUST-2", where=(), missing="not | yet")])], [TAG]
    )
    assert "| all | 1 | 0 | 0 | 1 | 0 |" in text
    assert "[x](../tests/x.py): test_x" in text and "missing: not \\| yet" in text
