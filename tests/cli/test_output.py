"""How listings become text."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from coachcore.cli.output import bare, counted, cut, setting, table, toml, width, wrapped
from coachcore.specs import ParamSpec


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unset"),
        (True, "true"),
        (40_000, "40_000"),
        (9999, "9999"),
        (2.5e-4, "0.00025"),
        (1e-6, "1e-6"),
        (1e20, "1e20"),
        (float("-inf"), "-inf"),
        ('a "b"', '"a \\"b\\""'),
        ([1, 2.0], "[1, 2.0]"),
        ({}, "{}"),
        ({"use": "linear", "start": 1.0}, '{ use = "linear", start = 1.0 }'),
    ],
)
def test_values_as_toml(value: Any, text: str) -> None:
    assert toml(value) == text
    if value is not None:
        assert tomllib.loads(f"x = {text}")["x"] == value


def test_a_setting_in_a_line() -> None:
    assert setting(ParamSpec("x", "int", required=True)) == "x int"
    assert setting(ParamSpec("x", "int", default=3)) == "x int = 3"


@pytest.mark.parametrize(("columns", "seen"), [("100", 100), ("7", 40)])
def test_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: str, seen: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert width() == seen


def test_columns_are_aligned_and_the_last_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("a", "long", "x" * 50), ("bcd", "e", "short")]
    assert table(rows) == ["a    long  " + "x" * 26 + "...", "bcd  e     short"]
    assert table([]) == []


@pytest.mark.parametrize(
    ("text", "room", "seen"), [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc..."), ("ab, defg", 6, "ab...")]
)
def test_cutting(text: str, room: int, seen: str) -> None:
    assert cut(text, room) == seen


def test_wrapping_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert wrapped("word " * 9, "  ", "    ") == "  word word word word word word word\n      word word"


def test_small_things() -> None:
    assert bare("``a`` and `b`") == "a and b"
    assert [counted(0, "part"), counted(1, "part"), counted(2, "child", "children")] == [
        "0 parts",
        "1 part",
        "2 children",
    ]
