"""Numbered transitions, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coachcore.layout import Column, Layout
from coachcore.testing.numbered import numbered, numbers_of, told
from coachcore.types import Sample

LAYOUT = Layout(
    (Column("obs.picture", (1, 2, 2), "uint8"), Column("reward"), Column("next_obs.picture", (1, 2, 2), "uint8"))
)


def sample(*numbers):
    columns = numbered(LAYOUT, 0, 300)
    rows = np.array([numbers])
    apart = {name: columns[name][rows] for name in ("obs.picture", "next_obs.picture")}
    return Sample(rows, columns["reward"][rows][..., None], None, apart)


def test_by_hand():
    columns = numbered(LAYOUT, 250, 2)
    assert columns["obs.picture"].tolist() == [[[[250, 0], [1, 2]]], [[[0, 1], [2, 3]]]]
    assert columns["next_obs.picture"].tolist() == [[[[0, 1], [2, 3]]], [[[1, 2], [3, 4]]]]
    assert columns["reward"].tolist() == [260, 261]
    assert {columns[column.name].dtype.name for column in LAYOUT.columns} == {"uint8", "float32"}
    assert columns["env"].tolist() == [0, 0]
    assert columns["ended"].tolist() == [True, False]


def test_what_follows_is_what_comes_next_and_pictures_are_stacks():
    columns = numbered(LAYOUT, 7, 9)
    before, after = columns["obs.picture"], columns["next_obs.picture"]
    assert np.array_equal(after[:-1], before[1:])
    assert np.array_equal(after[..., 0], before[..., 1])


def test_they_are_told_apart_and_mixing_shows():
    drawn = sample(3, 299, 0)
    assert numbers_of(LAYOUT, drawn).tolist() == told(LAYOUT, drawn).tolist() == [[3, 299, 0]]
    drawn.apart["obs.picture"][0, 1, 0, 0, 0] += 1
    assert told(LAYOUT, drawn).tolist() == [[3, 299, 0]]
    with pytest.raises(AssertionError, match=r"stay together, 'obs.picture' is another's"):
        numbers_of(LAYOUT, drawn)
