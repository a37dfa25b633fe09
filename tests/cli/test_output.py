"""How listings become text."""

from __future__ import annotations

import sys
import tomllib
from textwrap import fill
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(
    st.lists(st.text("ab,.(`", max_size=9), max_size=30),
    st.sampled_from(["", "  ", "      "]),
    st.sampled_from(["", "    "]),
    st.integers(40, 60),
)
def test_wrapping_is_the_standard_librarys(words: list[str], indent: str, hanging: str, columns: int) -> None:
    text = " ".join(words).strip()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        slowly = fill(text, columns, initial_indent=indent, subsequent_indent=indent + hanging, break_long_words=False)
        assert wrapped(text, indent, hanging) == slowly


def test_a_name_stays_whole_and_a_line_end_is_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert wrapped("x" * 34 + "\ne-greedy", "") == "x" * 34 + "\ne-greedy"
    assert wrapped("no\nend", "") == "no end"


@pytest.mark.parametrize("said", ["", "0", "wide"])
def test_without_a_terminal_there_are_80_columns(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("COLUMNS", said)
    monkeypatch.setattr(sys, "__stdout__", None)
    assert width() == 80


def test_small_things() -> None:
    assert bare("``a`` and `b`") == "a and b"
    assert [counted(0, "part"), counted(1, "part"), counted(2, "child", "children")] == [
        "0 parts",
        "1 part",
        "2 children",
    ]
