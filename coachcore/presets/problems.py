"""What is wrong with a preset: collected in one pass, told in the order of the text."""

from __future__ import annotations

from typing import NamedTuple

from coachcore.errors import Problems
from coachcore.presets.tree import Origin


class Problem(NamedTuple):
    """One thing that is wrong, and where it was written; as text always one line."""

    origin: Origin
    message: str

    def __str__(self) -> str:
        line = f"{self.origin}: {self.message}" if str(self.origin) else self.message
        return "".join(map(_printable, line))


def _printable(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


class PresetProblems(Problems):
    """Everything found wrong with a preset; `found` holds it as data, `lines` as text."""

    def __init__(self, found: list[Problem]) -> None:
        self.found = tuple(sorted(set(found), key=_place))
        super().__init__(str(problem) for problem in self.found)


def _place(problem: Problem) -> tuple[int, str, int, int, str]:
    origin = problem.origin
    return origin.rank, origin.file, origin.line, origin.column, problem.message
