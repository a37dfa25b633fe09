"""Positions agree with what the standard library reads from the same text."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.presets.positions import Path, Spot, positions
from coachcore.presets.writer import dump, inline, key_text

TEXT = """\
a = 1   # a comment with [brackets] = "signs"
"q k".b = [1, # one
  "x]", { z = 'q', y.w = 1979-05-27 07:32:00 } ]
s = \"\"\"a""b
c\"\"\"\"\"

[[f.o]]
use = "x"
[[f.o]]
  [f.o.sub]
  v = 0x1F
[ spaced . "out" ]
k = ''
"""


def offset(text: str, spot: Spot) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: spot.line - 1]) + spot.column - 1


def walk(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(found for key, item in inner for found in walk(item, (*path, key)))]


def test_by_hand() -> None:
    found = positions(TEXT)
    assert found.values["a",] == (1, 5)
    assert found.keys["q k", "b"] == (2, 7)
    assert found.values["q k", "b", 1] == (3, 3)
    assert found.keys["q k", "b", 2, "y", "w"] == (3, 22)
    assert found.values["q k", "b", 2, "y", "w"] == (3, 26)
    assert found.values["s",] == (4, 5)
    assert found.keys["f", "o", 0, "use"] == (8, 1)
    assert found.keys["f", "o", 1] == (9, 5)
    assert found.values["f", "o", 1, "sub", "v"] == (11, 7)
    assert found.keys["spaced", "out"] == (12, 12)
    assert found.values["spaced", "out", "k"] == (13, 5)


def test_windows_line_ends() -> None:
    assert positions(TEXT.replace("\n", "\r\n")) == positions(TEXT)


@pytest.mark.parametrize("text", ["", "# only\n", "a = 1", 'a = ""', "a = []", "a = {}", "a = [[], [ ]]", 'a = """"""'])
def test_small_texts(text: str) -> None:
    wanted = {path for path, _ in walk(tomllib.loads(text)) if path}
    assert set(positions(text).values) == wanted


scalars = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
keys = st.one_of(
    st.text("abc-_1", min_size=1, max_size=3), st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=12,
)
documents = st.dictionaries(keys, values, max_size=5)


@given(documents)
def test_every_value_has_a_place_where_its_text_stands(document: dict[str, Any]) -> None:
    text = dump(document)
    found = positions(text)
    assert {path for path, _ in walk(tomllib.loads(text)) if path} == set(found.values)
    for path, value in walk(document):
        if not path:
            continue
        if isinstance(path[-1], str):
            assert text.startswith(key_text(path[-1]), offset(text, found.keys[path]))
        if not isinstance(value, dict | list):
            assert text.startswith(inline(value), offset(text, found.values[path]))
