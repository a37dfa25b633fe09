"""How a transition lies in memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.errors import UnknownName
from coachcore.layout import Column, Layout
from coachcore.spaces import Box, Discrete, Spaces


def test_slices_by_hand():
    spaces = Spaces(observation={"z": Box((2, 3)), "a": Box((4,))}, action=Discrete(5))
    layout = Layout.of(spaces)
    assert [column.name for column in layout.columns] == [
        "obs.a", "obs.z", "action", "reward", "discount", "next_obs.a", "next_obs.z",
    ]  # fmt: skip
    assert layout.packed == {
        "obs.a": slice(0, 4),
        "obs.z": slice(4, 10),
        "action": slice(10, 11),
        "reward": slice(11, 12),
        "discount": slice(12, 13),
        "next_obs.a": slice(13, 17),
        "next_obs.z": slice(17, 23),
    }
    assert layout.width == 23
    assert layout.apart == ()


def test_bytes_lie_apart():
    spaces = Spaces(observation={"image": Box((8, 8), dtype="uint8"), "speed": Box(())}, action=Box((2,), -1, 1))
    layout = Layout.of(spaces)
    assert layout.packed == {
        "obs.speed": slice(0, 1),
        "action": slice(1, 3),
        "reward": slice(3, 4),
        "discount": slice(4, 5),
        "next_obs.speed": slice(5, 6),
    }
    assert layout.apart == (Column("obs.image", (8, 8), "uint8"), Column("next_obs.image", (8, 8), "uint8"))
    assert layout["obs.image"].size == 64


def test_kept_columns_come_last():
    keep = (Column("log_probability"), Column("goal", (3,)))
    layout = Layout.of(Spaces(observation={"o": Box((1,))}, action=Discrete(2)), keep)
    assert layout.columns[-2:] == keep
    assert layout.packed["log_probability"] == slice(5, 6)
    assert layout.packed["goal"] == slice(6, 9)


def test_a_column_by_name():
    layout = Layout((Column("reward"), Column("goal", (3,))))
    assert layout["goal"] == Column("goal", (3,), "float32")
    with pytest.raises(UnknownName, match="no column is called 'gaol' - did you mean 'goal'"):
        layout["gaol"]


@given(st.lists(st.tuples(st.lists(st.integers(0, 4), max_size=3), st.sampled_from(["float32", "uint8"])), max_size=6))
def test_the_row_has_no_gap_and_no_overlap(described):
    columns = tuple(Column(f"c{n}", tuple(shape), dtype) for n, (shape, dtype) in enumerate(described))
    layout = Layout(columns)
    cells = [cell for part in layout.packed.values() for cell in range(part.start, part.stop)]
    assert cells == list(range(layout.width))
    assert {*layout.packed, *(column.name for column in layout.apart)} == {column.name for column in columns}
