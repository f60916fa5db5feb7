# SPDX-License-Identifier: Apache-2.0
"""A step is made once of the same, and anew of anything else."""

import pytest

from toehold import stamps


@pytest.fixture
def step(tmp_path):
    """Of a file and a text: what is made of it, and how often that has been."""
    source, made = tmp_path / "source", tmp_path / "made"
    source.write_text("one")
    count = []

    def run(option: str = "-a", ends: bool = True, *further: str) -> int:
        def make() -> bool:
            count.append(option)
            made.write_text(source.read_text() + option)
            return ends

        assert stamps.once(made, (option, source, *further), make) is ends
        return len(count)

    return source, made, run


def test_it_is_made_once(step):
    _, made, run = step
    assert run() == 1
    assert run() == 1
    assert made.read_text() == "one-a"


def test_another_source_or_option_has_it_made_again(step):
    source, made, run = step
    run()
    source.write_text("two")
    assert run() == 2
    assert run("-b") == 3
    assert made.read_text() == "two-b"
    assert run("-b") == 3
    assert run("-a") == 4  # what was made before is not there any more


def test_what_is_not_there_is_made(step):
    _, made, run = step
    run()
    made.unlink()
    assert run() == 2


def test_what_came_to_no_end_is_made_again(step):
    _, made, run = step
    run()
    run("-b", ends=False)
    assert made.exists()
    assert run("-b") == 3
    assert run("-b") == 3


def test_two_texts_are_not_the_same_as_one(step):
    _, _, run = step
    run("-a", True, "b", "c")
    assert run("-a", True, "bc") == 2


def test_what_was_begun_in_its_place_is_not_taken_for_it(step):
    _, made, run = step
    run("-a")
    run("-b", ends=False)
    assert run("-a") == 3
    assert made.read_text() == "one-a"
