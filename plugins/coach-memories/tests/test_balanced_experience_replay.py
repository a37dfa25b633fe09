"""As many of every class, by hand and against a plain list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_memories.balanced_experience_replay import BalancedExperienceReplay
from coachcore.api import BadData, BadSetting, Box, Discrete, Layout, Mismatch, Spaces
from coachcore.testing.laws import chi_square, chi_square_limit, saved

LAYOUT = Layout.of(Spaces({"class": Box((1,)), "observation": Box((1,))}, Discrete(2)))


def rows(classes, first=0):
    numbers = np.arange(first, first + len(classes), dtype=float)
    told = np.array(classes, float)[:, None]
    seen = {"obs.class": told, "obs.observation": numbers[:, None]}
    after = {"next_obs.class": told, "next_obs.observation": numbers[:, None] + 1}
    return {**seen, **after, "action": numbers % 2, "reward": numbers, "discount": np.ones(len(classes))}


def made(capacity=10, **settings):
    return BalancedExperienceReplay(capacity=capacity, **settings).make(LAYOUT, 1)


def drawn(store, calls, batch, seed=0):
    sample = store.sample(np.random.default_rng(seed), calls, batch, 0)
    where = LAYOUT.packed
    return sample.packed[..., where["obs.class"]][..., 0], sample.packed[..., where["reward"]][..., 0]


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=25), min_size=1, max_size=6), st.integers(1, 12),
       st.booleans())  # fmt: skip
def test_as_the_slow_twin(adds, capacity, replacement):
    """The oldest leave first whatever their class, and every class is drawn from what is left of it."""
    store, held, number = made(capacity, classes=3, replacement=replacement), [], 0
    for classes in adds:
        store.add(rows(classes, number))
        held = (held + list(enumerate(classes, number)))[-capacity:]
        number += len(classes)
        assert len(store) == len(held)
        of_class = [{at for at, each in held if each == one} for one in range(3)]
        if not all(of_class):
            with pytest.raises(BadSetting, match=f"transitions of class {[bool(o) for o in of_class].index(False)}"):
                drawn(store, 1, 3)
            continue
        told, numbers = drawn(store, 60, 3)
        assert told.tolist() == [[0.0, 1.0, 2.0]] * 60
        for one in range(3):
            assert set(numbers[:, one].tolist()) <= of_class[one]


def test_within_a_class_all_are_as_likely():
    store = made(40)
    store.add(rows([0] * 30 + [1] * 10))
    _, numbers = drawn(store, 4_000, 8)
    for some, count in ((numbers[:, :4], 30), (numbers[:, 4:] - 30, 10)):
        counts = np.bincount(some.ravel().astype(int), minlength=count)
        assert len(counts) == count
        assert chi_square(counts, np.full(count, counts.sum() / count)) < chi_square_limit(count - 1)


def test_without_replacement_no_transition_comes_twice():
    store = made(20)
    store.add(rows([0, 1] * 4))
    assert all(len(set(batch)) == 8 for batch in drawn(store, 50, 8)[1].tolist())


def test_restored_it_goes_on_bit_for_bit():
    one, other = made(9), made(9)
    other.add(rows([1, 1]))
    one.add(rows([0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1]))
    other.restore(saved(one.state()))
    for store in (one, other):
        store.add(rows([0, 1, 1], 50))
    assert np.array_equal(drawn(one, 5, 4)[1], drawn(other, 5, 4)[1])


def test_what_does_not_work_is_said_in_a_line_and_nothing_is_lost():
    store = made(10, classes=3)
    with pytest.raises(BadSetting, match="memory: nothing can be drawn from an empty memory"):
        drawn(store, 1, 3)
    store.add(rows([0, 1, 2, 0, 1]))
    for spoilt, told in (([0, 3], "3"), ([-1], "-1"), ([0.5], "0.5"), ([np.nan], "nan")):
        with pytest.raises(BadData) as caught, np.errstate(invalid="ignore"):
            store.add(rows(spoilt))
        assert str(caught.value) == (
            f"memory: class {told} is none of 0..2 - raise classes, or mend the observation 'class'"
        )
    assert len(store) == 5
    with pytest.raises(BadSetting) as caught:
        drawn(store, 1, 4)
    assert str(caught.value) == (
        "memory: minibatches of 4 rows cannot hold as many of each of 3 classes - "
        "choose a batch_size that is a multiple of classes"
    )
    with pytest.raises(BadSetting) as caught:
        drawn(store, 1, 6)
    assert str(caught.value) == (
        "memory: 2 transitions of class 2 cannot be drawn from 1 - "
        "heat up for longer, lower batch_size or set replacement = true"
    )
    assert drawn(store, 1, 3)[0].tolist() == [[0.0, 1.0, 2.0]]
    with pytest.raises(BadSetting, match="classes: 1 is out of range"):
        BalancedExperienceReplay(classes=1)
    with pytest.raises(Mismatch) as caught:
        BalancedExperienceReplay(class_observation="clas").make(LAYOUT, 1)
    assert str(caught.value) == (
        "memory.class_observation: there is no observation 'clas' of one number - "
        "did you mean 'class'? known: class, observation"
    )
