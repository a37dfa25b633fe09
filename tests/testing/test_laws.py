"""What the suites share: copies as a checkpoint makes them, equality bit for bit, and a chi-square limit."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import BadSetting, Mismatch
from coachcore.testing import laws


@component("filter", "soft")
@attrs.define
class Soft:
    """Its settings can be changed, which no part allows."""

    size: int = param(default=1, doc="anything")


@component("filter", "hard")
@attrs.frozen
class Hard:
    """Its settings cannot be changed."""

    size: int = param(default=1, doc="anything")


def test_settings_that_can_be_set_are_caught():
    laws.settings_are_frozen(Hard(), "filter")
    with pytest.raises(AssertionError, match=r"use @attrs.frozen, 'size' could be set"):
        laws.settings_are_frozen(Soft(), "filter")
    with pytest.raises(AssertionError, match="hard is marked as a part of kind filter, not memory"):
        laws.settings_are_frozen(Hard(), "memory")


def test_a_saved_state_shares_nothing_and_has_lists_for_tuples():
    state = {"a": (1, [np.arange(3)]), "b": None, "c": "text", "d": True, "e": 0.5}
    copy = laws.saved(state)
    state["a"][1][0][:] = 9
    assert copy["a"][1][0].tolist() == [0, 1, 2]
    assert copy["a"] == [1, [pytest.approx([0, 1, 2])]]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"a": [0, object()]}, r"state.a\[1\]: a state holds only .*, not object"),
        ({"a": np.float32(1)}, "state.a: a state holds only .*, not float32"),
        ({1: 2}, "state: the keys of a saved state are text"),
        (np.array([None]), "state: an array of objects cannot be saved"),
    ],
)
def test_what_cannot_be_saved_is_caught(state, said):
    with pytest.raises(AssertionError, match=said):
        laws.saved(state)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": [1, (2,)]}, {"a": (1, [2])}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
        ([1, 2], [1], False),
        ([1], 1, False),
        (float("nan"), float("nan"), True),
        (1, 2, False),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([1.0]), np.array([1.0], np.float32), False),
        (np.array([1.0]), np.array([2.0]), False),
        (np.array([1.0]), np.array([[1.0]]), False),
        (np.array([0.0]), np.array([-0.0]), False),
    ],
)
def test_states_are_compared_bit_for_bit(one, other, equal):
    assert laws.same(one, other) is equal


def test_a_sealed_state_cannot_be_written_to():
    state = {"a": [np.zeros(2)], "b": 1}
    sealed = laws.sealed(state)
    with pytest.raises(ValueError, match="read-only"):
        sealed["a"][0][0] = 1.0
    state["a"][0][0] = 1.0


def raiser(error):
    raise error


def test_refuses():
    laws.refuses(lambda: raiser(Mismatch("no")), Mismatch, "the rule")
    with pytest.raises(AssertionError, match="the rule; got BadSetting: no"):
        laws.refuses(lambda: raiser(BadSetting("no")), Mismatch, "the rule")
    with pytest.raises(AssertionError, match="the rule; nothing was raised"):
        laws.refuses(lambda: None, Mismatch, "the rule")


@pytest.mark.parametrize(("freedom", "table"), [(2, 27.631), (10, 46.863), (49, 111.135), (1000, 1227.152)])
def test_the_chi_square_limit_lies_just_above_the_tables(freedom, table):
    assert table <= laws.chi_square_limit(freedom) <= 1.1 * table


def test_chi_square_by_hand():
    assert laws.chi_square(np.array([8, 12]), np.array([10.0, 10.0])) == pytest.approx(0.8)
