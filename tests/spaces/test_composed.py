"""Buttons, windows and several choices side by side: membership, fair draws, clipping and words."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.errors import BadSetting
from coachcore.spaces import Attention, Box, Compound, Discrete, MultiSelect

WINDOWS = Attention(Box((2,), 0, (84, 40)))
SQUARES = Attention(Box((2,), 0, (84, 40)), 10)
CAR = Compound({
    "turn": Discrete(3, ("left", "straight", "right")),
    "lamps": MultiSelect(2, names=("front", "rear")),
    "speed": Box((2,), -1, (1, 5), names=("wanted", "most")),
})  # fmt: skip
EVERY = (
    MultiSelect(4, 2),
    MultiSelect(3, none=False),
    WINDOWS,
    SQUARES,
    CAR,
    Compound({"inner": CAR, "n": Discrete(2)}),
)


@pytest.mark.parametrize("space", EVERY)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 5))
def test_a_draw_lies_inside_and_follows_from_the_stream(space, seed, count):
    drawn = space.sample(np.random.default_rng(seed), count)
    assert drawn.shape == (count, *space.shape)
    assert drawn.dtype == space.dtype
    assert space.contains(drawn)
    np.testing.assert_array_equal(drawn, space.sample(np.random.default_rng(seed), count))
    np.testing.assert_array_equal(space.clip(drawn), drawn)


@pytest.mark.parametrize(
    ("space", "values", "inside"),
    [
        (MultiSelect(4, 2), [[0, 0, 0, 0], [1, 0, 0, 1]], True),
        (MultiSelect(4, 2), [[1, 1, 1, 0]], False),
        (MultiSelect(4, 2), [[0, 2, 0, 0]], False),
        (MultiSelect(4, 2), [[0, 0.5, 0.5, 0]], False),
        (MultiSelect(4, 2, none=False), [[0, 0, 0, 0]], False),
        (MultiSelect(4, 2), [[0, 0, 0]], False),
        (MultiSelect(4, 2), [0, 0, 0, 0], False),
        (WINDOWS, [[[0, 0], [84, 40]]], True),
        (WINDOWS, [[[5, 5], [5, 5]]], True),
        (WINDOWS, [[[5, 5], [4, 9]]], False),  # the wrong way round
        (WINDOWS, [[[0, 0], [84, 41]]], False),
        (WINDOWS, [[[-1, 0], [84, 4]]], False),
        (WINDOWS, [[[np.nan, 0], [84, 4]]], False),
        (WINDOWS, [[0, 0, 84, 40]], False),
        (SQUARES, [[[3.5, 0], [13.5, 10]]], True),
        (SQUARES, [[[3.5, 0], [13.5, 11]]], False),
        (CAR, [[2, 1, 0, -1, 5]], True),
        (CAR, [[3, 1, 0, -1, 5]], False),
        (CAR, [[1.5, 1, 0, -1, 5]], False),
        (CAR, [[2, 1, 0, -1, 5.1]], False),
        (CAR, [[2, 1, 0, -1]], False),
    ],
)
def test_contains_by_hand(space, values, inside):
    assert space.contains(np.array(values, float)) is inside


def test_four_buttons_of_which_two_can_be_pressed_have_eleven_choices():
    assert MultiSelect(4, 2).ways == (1, 4, 6)
    assert MultiSelect(4, 2, none=False).ways == (0, 4, 6)
    assert MultiSelect(3).ways == (1, 3, 3, 1)


def test_every_choice_of_buttons_is_as_likely_as_any_other():
    """10,000 draws of 11 choices: an honest count strays 6 deviations (of 29) about twice in 10**9 counts."""
    drawn = MultiSelect(4, 2).sample(np.random.default_rng(0), 10_000)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 11
    assert np.abs(counts - 10_000 / 11).max() < 6 * 29


def test_many_buttons_are_drawn_without_a_list_of_choices():
    assert MultiSelect(60).sample(np.random.default_rng(0), 3).shape == (3, 60)


def test_words():
    buttons = MultiSelect(3, 2, names=("left", "right", "fire"))
    assert buttons.describe([1, 0, 1]) == "left + fire"
    assert buttons.describe([0, 0, 0]) == "no-op"
    assert MultiSelect(3).describe(np.array([0, 1, 1])) == "1 + 2"
    assert WINDOWS.describe(np.array([[0, 1.5], [2, 3]])) == "0, 1.5 to 2, 3"
    assert CAR.describe([2, 1, 0, -1, 5]) == "turn: right, lamps: front, speed: wanted -1, most 5"
    with pytest.raises(BadSetting, match=re.escape("[1, 1, 1] is not a choice of at most 2 of 3")):
        buttons.describe([1, 1, 1])


def test_clipping():
    np.testing.assert_array_equal(
        WINDOWS.clip(np.array([[[-3, 5], [90, 90]]])), np.array([[[0, 5], [84, 40]]], np.float32)
    )
    np.testing.assert_array_equal(CAR.clip(np.array([[7, 1, 0, -2, 9.0]])), [[2, 1, 0, -1, 5]])


def test_side_by_side_and_apart_again():
    rows = CAR.sample(np.random.default_rng(0), 6)
    parts = CAR.split(rows)
    assert {name: values.shape for name, values in parts.items()} == {"turn": (6,), "lamps": (6, 2), "speed": (6, 2)}
    np.testing.assert_array_equal(CAR.join(parts), rows)
    assert CAR.join({**parts, "turn": parts["turn"].astype(np.int64)}).dtype == np.float32


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: MultiSelect(4, 5), "of 4 buttons, 1 to 4 can be pressed at once, got most = 5"),
        (lambda: MultiSelect(4, 0), "of 4 buttons, 1 to 4 can be pressed at once, got most = 0"),
        (lambda: MultiSelect(0), "of 0 buttons, 1 to 0 can be pressed at once, got most = 0"),
        (lambda: MultiSelect(2, names=("a",)), "1 names were given for 2 components: a"),
        (
            lambda: Attention(Box((2,))),
            "a window lies in a vector space with finite bounds, got Box((2,), -inf to inf, float32)",
        ),
        (
            lambda: Attention(Box((2, 2), 0, 1)),
            "a window lies in a vector space with finite bounds, got Box((2, 2), 0 to 1, float32)",
        ),
        (lambda: Attention(Box((2,), 0, (9, 4)), 5), "a window of size 5 is larger than the space that it lies in"),
        (
            lambda: Attention(Box((2,), 0, 9), np.nan),
            "a window of size nan is larger than the space that it lies in",
        ),
    ],
)
def test_spaces_that_cannot_be(make, said):
    with pytest.raises(BadSetting, match=f"^{re.escape(said)}$"):
        make()


def test_equal_spaces_are_equal():
    assert Compound(dict(CAR.parts)) == CAR
    assert Compound({**CAR.parts, "turn": Discrete(4)}) != CAR
    assert Attention(Box((2,), 0, 9)) == Attention(Box((2,), 0, 9))
    assert MultiSelect(3, 3) == MultiSelect(3)


WHAT_WAS_A_CLASS = {
    "vector": Box((3,), names=("place", "speed", "angle")),
    "tensor": Box((2, 3, 4, 5)),
    "planar maps": Box((8, 8, 2), 0, 9, names=("height", "owner")),
    "image": Box((8, 8, 3), 0, 255, "uint8"),
    "no measurements": Box((0,)),
    "reward": Box((), -1, 1),
    "goal": Box((2,), -1, 1),
    "box": Box((2,), -1, (1, 5), names=("steer", "gas")),
    "discrete": Discrete(2, ("left", "right")),
    "agent selection": Discrete(2, ("scout", "builder")),
    "multi-select": MultiSelect(4, 2, none=False),
    "attention": SQUARES,
    "compound": CAR,
}


@pytest.mark.parametrize("name", WHAT_WAS_A_CLASS)
def test_every_space_of_the_old_system_has_its_place(name):
    space = WHAT_WAS_A_CLASS[name]
    drawn = space.sample(np.random.default_rng(0), 3)
    assert space.contains(drawn)
    assert "\n" not in f"{space}"
    assert space.contains(space.clip(drawn))
