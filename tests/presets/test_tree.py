"""Trees: every value and every key knows where it was written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.presets.positions import Path, positions
from coachcore.presets.tree import (
    DEFAULT,
    Node,
    Origin,
    all_nodes,
    copied,
    path_text,
    plain,
    positioned,
    rooted,
)

TEXT = """
coach = 1
[agent]
use = "dqn"
[[recorders]]
use = "jsonl"
every = [1,
  2]
"""

FILE = Origin("file", "a.toml", rank=3)

KEYS = st.text(max_size=5)
DOCUMENTS = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)


def tree() -> Node:
    return positioned(tomllib.loads(TEXT), positions(TEXT), FILE)


def at(node: Node, *path: str | int) -> Node:
    for part in path:
        node = node.value[part]
    return node


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (Origin("file", "a.toml", 3, 7), "a.toml:3:7"),
        (Origin("--set", "--set seed=1", column=6), "--set seed=1 (column 6)"),
        (Origin("data", "memory.capacity"), "memory.capacity"),
    ],
)
def test_an_origin_as_text(origin: Origin, text: str) -> None:
    assert str(origin) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("memory",), "memory"),
        (("filters", "observation", 0, "use"), "filters.observation[0].use"),
        (("agent", "a b", ""), 'agent."a b".""'),
        ((0, "a"), "[0].a"),
    ],
)
def test_a_path_as_text(path: Path, text: str) -> None:
    assert path_text(path) == text


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("coach",), "a.toml:2:1", "a.toml:2:9"),
        (("agent",), "a.toml:3:2", "a.toml:3:2"),
        (("agent", "use"), "a.toml:4:1", "a.toml:4:7"),
        (("recorders", 0, "use"), "a.toml:6:1", "a.toml:6:7"),
        (("recorders", 0, "every", 1), "a.toml:8:3", "a.toml:8:3"),
    ],
)
def test_places_in_a_file(path: Path, key: str, value: str) -> None:
    node = at(tree(), *path)
    assert (str(node.key), str(node.origin)) == (key, value)
    assert (node.origin.layer, node.origin.rank) == ("file", 3)


def test_places_in_an_argument_are_columns() -> None:
    text = "x = { use = 3 }"  # `x = ` stands for `--set a.b=`, five columns longer
    origin = Origin("--set", "--set a.b={ use = 3 }")
    node = positioned(tomllib.loads(text)["x"], positions(text), origin, ("x",), shift=5)
    assert str(node.value["use"].origin) == "--set a.b={ use = 3 } (column 18)"
    assert str(node.value["use"].key) == "--set a.b={ use = 3 } (column 12)"
    assert positioned(1, positions(""), origin, ("gone",), shift=5).origin == origin


def test_plain_data_is_placed_by_path_and_defaults_by_who_says_so() -> None:
    given = rooted({"memory": {"split": (1, 2)}}, Origin("data", "the preset"))
    assert str(given.origin) == "the preset"
    assert str(at(given, "memory", "split", 1).origin) == "memory.split[1]"
    assert [type(item) for item in (at(given, "memory", "split").value, given.value)] == [list, dict]
    default = rooted({"scheme": "medium"}, Origin(DEFAULT, "default of embedder 'vector'"))
    assert str(default.value["scheme"].origin) == "default of embedder 'vector'"


@given(DOCUMENTS)
def test_rooted_and_plain_undo_each_other(document: Any) -> None:
    assert plain(rooted(document, FILE)) == document


def test_plain_without_defaults_is_what_somebody_wrote() -> None:
    default, mine = Origin(DEFAULT, ""), Origin("file", "a.toml")
    written, told = Node(1, mine, mine), Node(2, default, default)

    def table(origin: Origin, **inner: Node) -> Node:
        return Node(dict(inner), origin, origin)

    whole = table(
        mine,
        written=written,
        told=told,
        inside=table(default, kept=written, gone=told),
        untouched=table(default, gone=told),
        empty=table(mine),
        bare=table(default),
        items=Node([told], mine, mine),
    )
    assert plain(whole, defaults=False) == {"written": 1, "inside": {"kept": 1}, "empty": {}, "items": [2]}
    assert plain(whole)["untouched"] == {"gone": 2}


def test_all_nodes_are_the_values_and_everything_above_them() -> None:
    document = {"a": {"b": 1, "c": {}}, "d": [{"e": 2}, 3], "f": [4, 5]}
    node = rooted(document, FILE)
    assert [path_text(path) for path, _ in all_nodes(node)] == [
        "", "a", "a.b", "a.c", "d", "d[0]", "d[0].e", "d[1]", "f", "f[0]", "f[1]",
    ]  # fmt: skip


@given(DOCUMENTS)
def test_every_node_lies_at_its_path(document: Any) -> None:
    node = rooted(document, FILE)
    for path, inner in all_nodes(node):
        assert at(node, *path) is inner


def test_a_copy_may_be_changed() -> None:
    before = tree()
    copy = copied(before)
    assert copy == before
    at(copy, "recorders", 0).value["use"].value = "csv"
    at(copy, "recorders", 0, "every").value.pop()
    assert plain(at(before, "recorders")) == [{"use": "jsonl", "every": [1, 2]}]
