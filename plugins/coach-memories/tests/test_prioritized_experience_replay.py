"""Prioritized replay: chances, weights and new transitions, by hand and against formulas."""

from __future__ import annotations

import numpy as np
import pytest

from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coachcore.api import BadCheckpoint, BadData, BadSetting, Column, Layout
from coachcore.testing.laws import chi_square, chi_square_limit

LAYOUT = Layout((Column("reward"),))


def filled(count, **settings):
    store = PrioritizedExperienceReplay(**settings).make(LAYOUT, 1)
    store.add({"reward": np.arange(count)})
    return store


def learn(store, *priorities):
    store.learned(np.arange(len(priorities))[None], np.array([priorities], np.float32))


def test_transitions_are_drawn_in_proportion_to_priority_to_the_power_alpha():
    """Schaul et al. 2016, eq. 1; one draw a minibatch, so that draws are independent. Fails once in a million seeds."""
    store = filled(4, capacity=10, alpha=0.5)
    learn(store, 1, 4, 9, 16)
    rows = store.sample(np.random.default_rng(0), 20_000, 1, 0).rows
    counts = np.bincount(rows.ravel(), minlength=4)
    assert chi_square(counts, 20_000 * np.array([0.1, 0.2, 0.3, 0.4])) < chi_square_limit(3)


def test_a_minibatch_is_stratified():
    store = filled(4, capacity=4)  # equal chances: a quarter of the sum each
    rows = store.sample(np.random.default_rng(0), 30, 4, 0).rows
    assert rows.tolist() == [[0, 1, 2, 3]] * 30


def test_weights_are_those_of_the_formula():
    """``(N P(i))^-beta`` divided by the largest of the minibatch."""
    store = filled(3, capacity=3, alpha=1.0, beta=0.5, epsilon=1e-9)
    learn(store, 1, 4, 16)
    sample = store.sample(np.random.default_rng(1), 40, 8, 0)
    chances = np.array([1, 4, 16])[sample.rows] / 21
    raw = (3 * chances) ** -0.5
    assert sample.weight == pytest.approx(raw / raw.max(axis=1, keepdims=True), rel=1e-6)
    assert {0, 1, 2} == set(sample.rows.ravel().tolist())


def test_beta_follows_its_schedule():
    store = filled(2, capacity=2, alpha=1.0, beta=lambda step: step / 10, epsilon=1e-9)
    learn(store, 1, 3)
    weights = [store.sample(np.random.default_rng(0), 1, 16, step).weight.min() for step in (0, 10)]
    assert weights == pytest.approx([1, 1 / 3])


def test_a_new_transition_gets_the_largest_priority_seen():
    store = filled(2, capacity=4, alpha=1.0, epsilon=0.5)
    assert store.tree.leaves.tolist() == [1, 1, 0, 0]
    learn(store, 0, 7)
    store.add({"reward": np.array([5.0])})
    assert store.tree.leaves.tolist() == [0.5, 7.5, 7.5, 0]
    learn(store, 1, 2)
    store.add({"reward": np.array([6.0, 7.0])})
    assert store.tree.leaves.tolist() == [7.5, 2.5, 7.5, 7.5]


def test_of_a_row_learned_from_twice_the_last_priority_stays():
    store = filled(2, capacity=2, alpha=1.0, epsilon=1e-9)
    store.learned(np.array([[0, 0], [1, 0]]), np.array([[9, 8], [1, 3]], np.float32))
    assert store.tree.leaves == pytest.approx([3, 1])


def test_what_was_overwritten_is_never_drawn():
    store = filled(3, capacity=3)
    learn(store, 1e6, 0, 0)
    store.add({"reward": np.array([10.0])})
    assert 0.0 not in store.sample(np.random.default_rng(0), 20, 8, 0).packed


@pytest.mark.parametrize("capacity", [3, 10, 5_000])
def test_a_draw_that_rounds_to_the_whole_sum_finds_a_stored_transition(capacity):
    class Chance:
        def random(self, shape):
            return np.full(shape, np.nextafter(1.0, 0.0))  # (31 + this) / 32 is 1.0

    rows = filled(3, capacity=capacity).sample(Chance(), 2, 32, 0).rows
    assert (rows[:, 0].tolist(), rows[:, -1].tolist()) == ([0, 0], [2, 2])


def test_adding_in_one_go_is_adding_one_by_one():
    at_once, one_by_one = filled(0, capacity=5), filled(0, capacity=5)
    for first, count in ((0, 3), (3, 4), (7, 12), (19, 1)):
        at_once.add({"reward": np.arange(first, first + count)})
        for number in range(first, first + count):
            one_by_one.add({"reward": np.array([number])})
        one, other = (store.sample(np.random.default_rng(first), 3, 4, 0) for store in (at_once, one_by_one))
        assert one.packed.tolist() == other.packed.tolist()


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_priority_that_is_no_priority_is_refused(bad):
    store = filled(3, capacity=3)
    with pytest.raises(BadData) as caught:
        learn(store, 1, bad, 2)
    assert str(caught.value) == (
        "memory: a priority is negative, infinite or not a number - lower agent.learner.learning_rate"
    )
    assert store.tree.leaves.tolist() == [1, 1, 1]
    assert store.sample(np.random.default_rng(0), 1, 3, 0).packed.ravel().tolist() == [0, 1, 2]


def test_what_does_not_fit_is_refused():
    with pytest.raises(BadSetting, match="memory: nothing can be drawn from an empty memory"):
        filled(0, capacity=3).sample(np.random.default_rng(0), 1, 4, 0)
    with pytest.raises(BadSetting, match=r"alpha: 1.5 is out of range - must be >= 0 and <= 1"):
        PrioritizedExperienceReplay(alpha=1.5)
    state = filled(3, capacity=3).state()
    with pytest.raises(BadCheckpoint, match="memory: 2 priorities were saved for 3 transitions"):
        filled(0, capacity=3).restore({**state, "leaves": state["leaves"][:2]})


def test_every_transition_is_stored_once_and_the_capacity_is_the_one_asked_for():
    """The old memory stored each twice and rounded its size up to a power of two."""
    store = filled(3, capacity=5)
    assert len(store) == 3
    assert np.count_nonzero(store.tree.leaves) == 3
    store.add({"reward": np.arange(9)})
    assert len(store) == 5
    assert store.tree.leaves.shape == (5,)
