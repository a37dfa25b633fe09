"""Types of settings: strict, and every slip told in words."""

from __future__ import annotations

from typing import Any

import pytest

from coachcore.component import ParamSpec
from coachcore.presets.tree import Origin, rooted
from coachcore.presets.values import example, faults, items_of, part_kind, tidied, wording

STEPS = ("steps", "episodes")


def messages(value: Any, type_: str, **bounds: Any) -> list[str]:
    found = faults(rooted(value, Origin("data", "")), ParamSpec("x", type_, **bounds))[1]
    return [fault.message for fault in found]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (1, "float"),
        (1.5, "float"),
        (-3, "int"),
        (True, "bool"),
        ("", "str"),
        ("5 steps", "duration"),
        ({}, "table"),
        ({"use": "linear"}, "schedule"),
        (1, "schedule"),
        ([1, {"use": "linear"}], "schedule[]"),
        ([], "float[]"),
        ([1, 2.5], "float | float[]"),
        (2.5, "float | float[]"),
        ([[1], [2, 3]], "int[][]"),
        ("deep", "str | int[]"),
        ([64, 64], "str | int[]"),
        (float("inf"), "float"),
        ({"use": "a"}, "store"),
        ("deep", "str | int[] | layer[]"),
        ([64, {"use": "dense"}], "str | int[] | layer[]"),
        ([], "int[] | layer[]"),
    ],
)
def test_what_fits(value: Any, type_: str) -> None:
    assert messages(value, type_) == []


@pytest.mark.parametrize(
    ("value", "type_", "message"),
    [
        ("2.5e-4", "float", 'x: expected a number, got "2.5e-4" - write 2.5e-4 without quotes'),
        (True, "float", "x: expected a number, got true"),
        (3.7, "int", "x: expected a whole number, got 3.7"),
        (50_000.0, "int", "x: expected a whole number, got 50000.0 - write 50000"),
        (True, "int", "x: expected a whole number, got true"),
        (0, "bool", "x: expected true or false, got 0 - write false"),
        ("yes", "bool", 'x: expected true or false, got "yes" - write true or false without quotes'),
        ([1], "float", "x: expected a number, got [1]"),
        (1, "float[]", "x: expected a list of numbers, got 1"),
        ([[1], ["2"]], "int[][]", 'x[1][0]: expected a whole number, got "2" - write 2 without quotes'),
        (3, "str | int[]", "x: expected text or a list of whole numbers, got 3"),
        (None, "int", "x: expected a whole number, got None"),
        (object, "int", "x: expected a whole number, got <class 'object'>"),
        (3, "store", "x: expected a table that names a part (store) with `use`, got 3"),
        (3, "store[]", "x: expected a list of store tables, got 3"),
        (
            [3, "relu"],
            "str | int[] | layer[]",
            'x[1]: expected a whole number or a table that names a part (layer) with `use`, got "relu"',
        ),
        (
            [[3]],
            "str | int[] | layer[]",
            "x[0]: expected a whole number or a table that names a part (layer) with `use`, got [3]",
        ),
        (3, "str | int[] | layer[]", "x: expected text or a list of whole numbers and layer tables, got 3"),
        ({"use": "a"}, "int[] | layer[]", 'x: expected a list of whole numbers and layer tables, got { use = "a" }'),
        ("x" * 99, "int", f'x: expected a whole number, got "{"x" * 67} ...'),
        ([1, 10**30], "int[]", "x[1]: a whole number must fit into 64 bits"),
    ],
)
def test_what_does_not_fit(value: Any, type_: str, message: str) -> None:
    assert messages(value, type_) == [message]


def test_bounds_and_choices() -> None:
    assert messages(0, "float", gt=0) == ["x: 0 is out of range - must be > 0"]
    assert messages([1, -1], "float[]", ge=0) == ["x[1]: -1 is out of range - must be >= 0"]
    assert messages(float("nan"), "float", ge=0) == ["x: nan is out of range - must be a finite number"]
    assert messages("b", "str", choices=("a",)) == ["x: 'b' is not a choice here - known: a"]
    assert messages([3], "str | int[]", choices=("a",), ge=1) == []


def test_the_units_of_a_duration() -> None:
    assert messages("5 episodes", "duration", choices=STEPS) == []
    assert messages("5 seconds", "duration", choices=STEPS) == [
        "x: 'seconds' cannot be counted here; use one of steps, episodes"
    ]


def test_one_form() -> None:
    assert repr(tidied(1, "float")) == "1.0"
    assert repr(tidied(1, "int")) == "1"
    assert tidied("2000 step", "duration") == "2_000 steps"


def test_words() -> None:
    assert wording(ParamSpec("x", "float | float[]")) == "a number or a list of numbers"
    assert part_kind(ParamSpec("x", "schedule[]")) == "schedule"
    assert part_kind(ParamSpec("x", "str | int[] | layer[]")) == "layer"
    assert items_of(ParamSpec("x", "str | int[] | layer[]", ge=1)) == ParamSpec("x", "int | layer", ge=1)
    assert items_of(ParamSpec("x", "int[][]")) == ParamSpec("x", "int[]")
    assert items_of(ParamSpec("x", "str")) is None
    assert part_kind(ParamSpec("x", "float")) is None
    assert example(ParamSpec("x", "str", choices=("a", "b"))) == 'add x = "a" or one of: a, b'
    assert example(ParamSpec("x", "int")) == "add x = 1"
    assert example(ParamSpec("x", "store")) == "add x, a table that names a part (store) with `use`"
