"""Spaces: bounds, membership and fair draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from coachcore.errors import BadSetting
from coachcore.spaces import Box, Discrete, Spaces

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def test_scalar_bounds_are_spread_and_frozen():
    box = Box([2, 3], low=-1, high=[0.0, 1.0, 2.0])
    assert box.shape == (2, 3)
    assert box.low.tolist() == [[-1.0] * 3] * 2
    assert box.high.tolist() == [[0.0, 1.0, 2.0]] * 2
    with pytest.raises(ValueError, match="read-only"):
        box.low[0, 0] = 5


@pytest.mark.parametrize(
    ("low", "high", "bounded"), [(0, 1, True), (-np.inf, 1, False), (0, np.inf, False), (-np.inf, np.inf, False)]
)
def test_bounded_needs_both_sides(low, high, bounded):
    assert Box((2,), low, high).bounded is bounded
    assert Box((2,), [0, low], [2, high]).bounded is bounded


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"shape": (2,), "low": [0, 0, 0]}, "a bound of shape (3,) does not fit a space of shape (2,)"),
        ({"shape": (1,), "low": 2, "high": 1}, "a box needs low <= high everywhere, got low 2 and high 1"),
        ({"shape": (2,), "low": [0, 3], "high": [1, 2]}, "a box needs low <= high everywhere, got low 3 and high 2"),
        ({"shape": (1,), "low": np.nan}, "a box needs low <= high everywhere, got low nan and high inf"),
        ({"shape": (1,), "high": np.nan}, "a box needs low <= high everywhere, got low -inf and high nan"),
        ({"shape": (1,), "dtype": "float16"}, "a box holds float32 or uint8 numbers, got 'float16'"),
        ({"shape": (1,), "dtype": "uint8", "high": 256}, "a bound of a uint8 box lies from 0 to 255, got 256"),
        ({"shape": (1,), "dtype": "uint8", "low": np.nan}, "a bound of a uint8 box lies from 0 to 255, got nan"),
        ({"shape": (2,), "names": ("x",)}, "1 names were given for 2 components: x"),
        ({"shape": (3, -1)}, "no side of a space is negative, got shape (3, -1)"),
    ],
)
def test_boxes_that_cannot_be(settings, words):
    with pytest.raises(BadSetting) as caught:
        Box(**settings)
    assert str(caught.value) == words


def test_bytes_are_bounded_by_nature():
    image = Box((4, 4, 3), dtype="uint8")
    assert image.bounded
    assert (int(image.low.min()), int(image.high.max())) == (0, 255)
    assert image.low.dtype == np.uint8
    assert image.contains(np.full((1, 4, 4, 3), 255, np.uint8))


@pytest.mark.parametrize(
    ("values", "inside"),
    [
        ([[0.0, 1.0]], True),
        ([[0.0, 1.0], [0.5, 0.5]], True),
        ([[0.0, 1.001]], False),
        ([[-0.001, 0.0]], False),
        ([[0.5, np.nan]], False),
        ([[0.5]], False),  # too short
        ([0.5, 0.5], False),  # no environment axis
        ([[[0.5, 0.5]]], False),  # an axis too many
        (np.zeros((0, 2)), True),  # no row, none outside
    ],
)
def test_contains_by_hand(values, inside):
    assert Box((2,), 0, 1).contains(np.asarray(values)) is inside


def test_the_float32_nearest_to_a_bound_is_inside():
    assert float(np.float32(0.1)) > 0.1
    assert Box((), high=0.1).contains(np.array([0.1], np.float32))
    assert Box((), low=-0.1).contains(np.array([-0.1], np.float32))
    assert not Box((), high=0.1).contains(np.array([np.nextafter(np.float32(0.1), np.float32(1))]))


def _bounds(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    sides = [draw(hnp.arrays(np.float64, shape, elements=NUMBERS)) for _ in range(2)]
    low, high = np.minimum(*sides), np.maximum(*sides)
    unbounded = [draw(hnp.arrays(bool, shape)) for _ in range(2)]
    return np.where(unbounded[0], -np.inf, low), np.where(unbounded[1], np.inf, high)


@given(st.composite(_bounds)(), st.integers(0, 2**32), st.integers(0, 5))
def test_a_draw_lies_inside(bounds, seed, count):
    low, high = bounds
    box = Box(low.shape, low, high)
    drawn = box.sample(np.random.default_rng(seed), count)
    assert drawn.shape == (count, *box.shape)
    assert drawn.dtype == np.float32
    assert box.contains(drawn)


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 2**32))
def test_bytes_drawn_lie_inside(one, other, seed):
    box = Box((3,), min(one, other), max(one, other), "uint8")
    drawn = box.sample(np.random.default_rng(seed), 10)
    assert drawn.dtype == np.uint8
    assert box.contains(drawn)


def test_draws_are_fair():
    rng = np.random.default_rng(0)
    drawn = Box((2,), [0, -np.inf], [10, np.inf]).sample(rng, 20_000)
    assert drawn[:, 0].mean() == pytest.approx(5, abs=0.1)
    assert drawn[:, 0].std() == pytest.approx(10 / 12**0.5, abs=0.1)
    assert drawn[:, 1].mean() == pytest.approx(0, abs=0.05)
    assert drawn[:, 1].std() == pytest.approx(1, abs=0.05)


def test_equality_sees_every_field():
    box = Box((2,), 0, 1)
    assert box == Box((2,), [0, 0], [1.0, 1.0])
    others = [Box((1,), 0, 1), Box((2,), 0, 2), Box((2,), -1, 1), Box((2,), 0, 1, "uint8"), Discrete(2), "box"]
    others.append(Box((2,), 0, 1, names=("x", "y")))
    assert all(box != other for other in others)
    with pytest.raises(TypeError, match="unhashable"):
        hash(box)


def test_discrete_by_hand():
    space = Discrete("3", names=("left", "stay", "right"))
    assert (space.n, space.shape, space.dtype) == (3, (), "int64")
    assert [space.describe(action) for action in range(3)] == ["left", "stay", "right"]
    assert Discrete(3).describe(2) == "2"
    assert space == Discrete(3, ("left", "stay", "right"))
    assert space != Discrete(3)


@pytest.mark.parametrize("action", [-1, 3])
def test_describing_what_is_no_action(action):
    with pytest.raises(BadSetting, match=rf"^action {action} is not one of 0\.\.2$"):
        Discrete(3).describe(action)


@pytest.mark.parametrize("n", [0, -1])
def test_an_empty_discrete_space_is_refused(n):
    with pytest.raises(BadSetting, match=f"^a discrete space needs at least one element, got n = {n}$"):
        Discrete(n)


def test_names_of_a_discrete_space_are_all_or_none():
    with pytest.raises(BadSetting, match="1 names were given for 2 components: left"):
        Discrete(2, ("left",))


@pytest.mark.parametrize(
    ("values", "inside"),
    [
        ([0, 2], True),
        ([0.0, 2.0], True),
        ([3], False),
        ([-1], False),
        ([0.5], False),
        ([[0]], False),
        ([np.nan], False),
    ],
)
def test_discrete_contains_by_hand(values, inside):
    assert Discrete(3).contains(np.asarray(values)) is inside


@given(st.integers(1, 20), st.integers(0, 50), st.integers(0, 2**32))
def test_discrete_draws_lie_inside(n, count, seed):
    space = Discrete(n)
    drawn = space.sample(np.random.default_rng(seed), count)
    assert drawn.shape == (count,)
    assert drawn.dtype == np.int64
    assert space.contains(drawn)


def test_discrete_draws_reach_every_action():
    counts = np.bincount(Discrete(4).sample(np.random.default_rng(0), 4_000))
    assert counts.tolist() == pytest.approx([1_000] * 4, rel=0.1)


def test_rewards_are_any_number_unless_said():
    spaces = Spaces(observation={}, action=Discrete(2))
    assert spaces.reward == Box(())
    assert spaces.reward.contains(np.array([-1e30, 1e300]))


def test_names_belong_to_the_last_axis():
    """Measurements of a vector, and maps of a picture: the planar maps of old."""
    assert Box((4, 4, 2), names=("height", "owner")).names == ("height", "owner")
    with pytest.raises(BadSetting, match=r"^3 names were given for 2 components: a, b, c$"):
        Box((4, 4, 2), names=("a", "b", "c"))


def test_a_shape_has_no_negative_side():
    with pytest.raises(BadSetting, match=r"^no side of a space is negative, got shape \(3, -1\)$"):
        Box((3, -1))


def test_nothing_at_all_is_a_space_too():
    """No measurements."""
    assert Box((0,)).sample(np.random.default_rng(0), 2).shape == (2, 0)
    assert repr(Box((0,))) == "Box((0,), empty, float32)"


def test_values_are_cut_off_at_the_bounds():
    assert Box((2,), (-1, 0), (1, 9)).clip(np.array([[-7.0, 12.0]])).tolist() == [[-1.0, 9.0]]
    assert Box((2,), 0, 9).clip(np.array([[-7.0, 3.0]])).dtype == np.float32
    assert Discrete(3).clip(np.array([-1, 1, 7])).tolist() == [0, 1, 2]


def test_values_in_words():
    assert Box((2,), names=("steer", "gas")).describe(np.array([0.5, 1])) == "steer 0.5, gas 1"
    assert Box((2,)).describe(np.array([0.25, -3])) == "0.25, -3"
    assert Box(()).describe(np.array(2.0)) == "2"


def test_a_space_in_one_line():
    assert repr(Box((84, 84, 4), 0, 255, "uint8")) == "Box((84, 84, 4), 0 to 255, uint8)"
    assert repr(Box((2,), (-1, 0), (3, np.inf))) == "Box((2,), -1 to inf, float32)"
