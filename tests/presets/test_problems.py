"""Problems as text: one line each, in the order of the layers and of their text."""

from __future__ import annotations

import pytest

from coachcore.errors import CoachError, Problems
from coachcore.presets.problems import PresetProblems, Problem
from coachcore.presets.tree import Origin


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (Origin("file", "a.toml", 3, 7), "a.toml:3:7: too small"),
        (Origin("--set", "--set seed=x", column=6), "--set seed=x (column 6): too small"),
        (Origin("data", "memory.capacity"), "memory.capacity: too small"),
        (Origin("data", ""), "too small"),
    ],
)
def test_where_it_was_written_comes_first(origin: Origin, line: str) -> None:
    assert str(Problem(origin, "too small")) == line


def test_always_one_line_that_can_be_printed() -> None:
    problem = Problem(Origin("file", "a\nb.toml", 1, 1), 'got "\x1b[31m\u2028\t" and "größer"')
    assert str(problem) == 'a\\nb.toml:1:1: got "\\x1b[31m\\u2028\\t" and "größer"'


def test_layers_then_files_then_places_and_each_once() -> None:
    low, high = Origin("extends", "z.toml", 9, 9, rank=1), Origin("file", "a.toml", 2, 1, rank=2)
    found = [
        Problem(high._replace(line=10), "b"),
        Problem(high._replace(column=5), "c"),
        Problem(high, "e"),
        Problem(high, "d"),
        Problem(low, "a"),
        Problem(high, "d"),
    ]
    problems = PresetProblems(found)
    assert problems.lines == (
        "z.toml:9:9: a",
        "a.toml:2:1: d",
        "a.toml:2:1: e",
        "a.toml:2:5: c",
        "a.toml:10:1: b",
    )
    assert [problem.message for problem in problems.found] == ["a", "d", "e", "c", "b"]
    assert str(problems) == "\n".join(problems.lines)


def test_the_user_can_mend_them() -> None:
    assert issubclass(PresetProblems, Problems)
    assert issubclass(PresetProblems, CoachError)
    assert PresetProblems([]).exit_code == 2
