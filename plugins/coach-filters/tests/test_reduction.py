"""Choosing components, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coach_filters.observation.reduction import ReductionBySubPartsName
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Rows

CART = Box((4,), (-4.8, -9.0, -0.4, -8.0), (4.8, 9.0, 0.4, 8.0), names=("place", "speed", "angle", "turning"))
ROWS = Rows(np.arange(2), first=False)
VALUES = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)


def left(part, space=CART):
    return part(part.init(space, 2), VALUES, ROWS)[1].tolist()


@pytest.mark.parametrize(
    "settings",
    [
        {"keep": ("place", "angle")},
        {"keep": ("angle", "place")},  # the vector's order stays
        {"keep": (0, 2)},
        {"keep": ("angle", -4)},
        {"discard": ("speed", "turning")},
        {"discard": (1, 3)},
        {"discard": ["speed", -1]},
    ],
)
def test_velocities_are_masked(settings):
    part = ReductionBySubPartsName(**settings)
    assert left(part) == [[1, 3], [5, 7]]
    assert part.space(CART) == Box((2,), (-4.8, -0.4), (4.8, 0.4), names=("place", "angle"))


def test_one_name_or_place_needs_no_list():
    assert left(ReductionBySubPartsName(keep="speed")) == [[2], [6]]
    assert left(ReductionBySubPartsName(discard=0)) == [[2, 3, 4], [6, 7, 8]]


def test_places_need_no_names():
    assert ReductionBySubPartsName(keep=(1,)).space(Box((4,))) == Box((1,))


def test_bytes_stay_bytes():
    assert ReductionBySubPartsName(keep=1).space(Box((2,), 0, 9, "uint8")) == Box((1,), 0, 9, "uint8")


@pytest.mark.parametrize(
    ("settings", "space", "said"),
    [
        ({"keep": "sped"}, CART, "no component is called 'sped' - did you mean 'speed'"),
        ({"keep": "speed"}, Box((4,)), "no component is called 'speed' - they have no names here, give places"),
        ({"keep": 4}, CART, "there is no component 4 - places go from 0 to 3"),
        ({"discard": -5}, CART, "there is no component -5"),
        ({"discard": (0, 1, 2, 3)}, CART, r"nothing is left when \[0, 1, 2, 3\] go"),
        ({"keep": 0}, Box(()), "only components of vectors and pictures can be chosen from, got Box"),
        ({"keep": 0}, Discrete(2), "only components of vectors and pictures can be chosen from, got Discrete"),
    ],
)
def test_what_does_not_fit_is_refused(settings, space, said):
    with pytest.raises(Mismatch, match=said):
        ReductionBySubPartsName(**settings).space(space)


@pytest.mark.parametrize("settings", [{}, {"keep": (0,), "discard": (1,)}])
def test_one_of_both_is_asked_for(settings):
    with pytest.raises(BadSetting, match="give the components to keep, or those to discard, and not both"):
        ReductionBySubPartsName(**settings)


def test_maps_of_a_picture_have_names_too():
    space = Box((2, 3, 3), (0, 1, 2), 9, names=("height", "owner", "health"))
    part, values = ReductionBySubPartsName(discard="owner"), np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3)
    assert part.space(space) == Box((2, 3, 2), (0, 2), 9, names=("height", "health"))
    np.testing.assert_array_equal(part(part.init(space, 1), values, ROWS)[1], values[..., [0, 2]])
