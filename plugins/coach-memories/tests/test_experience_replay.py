"""Uniform replay, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_memories.experience_replay import ExperienceReplay
from coachcore.api import BadSetting, Column, Layout

LAYOUT = Layout((Column("reward"),))


def filled(count, **settings):
    store = ExperienceReplay(**settings).make(LAYOUT, 1)
    store.add({"reward": np.arange(count)})
    return store


def test_with_replacement_a_minibatch_may_be_larger_than_the_memory():
    sample = filled(2, capacity=10).sample(np.random.default_rng(0), 1, 64, 0)
    assert set(sample.packed.ravel().tolist()) == {0.0, 1.0}
    assert sample.weight is None


def test_without_replacement_no_transition_comes_twice_in_a_minibatch():
    store = filled(8, capacity=10, replacement=False)
    for minibatch in store.sample(np.random.default_rng(0), 50, 8, 0).rows:
        assert sorted(minibatch.tolist()) == list(range(8))


def test_too_few_transitions():
    rng = np.random.default_rng(0)
    with pytest.raises(BadSetting, match="memory: nothing can be drawn from an empty memory - heat up"):
        filled(0, capacity=10).sample(rng, 1, 4, 0)
    with pytest.raises(BadSetting, match="memory: nothing can be drawn from an empty memory - heat up"):
        filled(0, capacity=10, replacement=False).sample(rng, 1, 4, 0)
    with pytest.raises(BadSetting, match="memory: 4 different transitions cannot be drawn from 3 - heat up for longer"):
        filled(3, capacity=10, replacement=False).sample(rng, 1, 4, 0)


def test_a_capacity_below_one_is_refused():
    with pytest.raises(BadSetting, match="capacity: 0 is out of range - must be >= 1"):
        ExperienceReplay(capacity=0)
