# SPDX-License-Identifier: Apache-2.0
"""One console for all output, and the one way to end with a sentence."""

from typing import NoReturn

from rich.console import Console

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


class Failure(Exception):
    """Something that the user has to know in one sentence; carries the exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def fail(sentence: str, status: int = 1) -> NoReturn:
    raise Failure(sentence, status)
