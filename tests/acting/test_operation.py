"""How the facts of an operation are read."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coachcore.acting.operation import bounds, number, refusal, weight, whole
from coachcore.errors import BadCheckpoint

FACTS = {"op": "odd", "half": 0.5, "three": 3, "minus": -1, "nan": math.nan, "inf": math.inf, "wide": 1e39}


def test_numbers_are_finite_in_single_precision() -> None:
    assert number(FACTS, "half") == 0.5
    assert number(FACTS, "three", 1.0) == 3
    assert number(FACTS, "absent", 1.5) == 1.5
    for name in ("nan", "inf", "wide"):
        with pytest.raises(BadCheckpoint, match=f"operation 'odd' needs a finite {name}, got"):
            number(FACTS, name)
    with pytest.raises(KeyError):
        number(FACTS, "absent")


def test_whole_numbers_are_whole_and_count() -> None:
    assert whole(FACTS, "three") == 3
    with pytest.raises(BadCheckpoint, match="operation 'odd' needs a minus of 0 or more, got -1"):
        whole(FACTS, "minus")
    with pytest.raises(TypeError):
        whole(FACTS, "half")


def test_bounds_are_in_order_and_bound_something() -> None:
    low, high = bounds(FACTS, -1, 0.5)
    assert (low, high) == (-1, 0.5)
    assert low.dtype == high.dtype == np.float32
    assert bounds(FACTS, -math.inf, 1e300) == (-math.inf, math.inf)
    for wrong in ((1, 0), (math.nan, 1), (0, math.nan), (math.inf, math.inf), (-math.inf, -math.inf)):
        with pytest.raises(BadCheckpoint, match="operation 'odd' needs bounds low <= high"):
            bounds(FACTS, *wrong)


def test_a_weight_is_found_by_its_position_and_has_the_wanted_shape() -> None:
    shapes = [(1,), (2,), (3,), (4, 5)]
    assert weight(FACTS, "three", shapes) == weight(FACTS, "three", shapes, (4, 5)) == (4, 5)
    with pytest.raises(BadCheckpoint, match=r"operation 'odd' needs a three of shape \(5,\), got \(4, 5\)"):
        weight(FACTS, "three", shapes, (5,))
    with pytest.raises(BadCheckpoint, match="0 or more"):  # positions from the end are none
        weight(FACTS, "minus", shapes)


def test_a_refusal_names_the_operation() -> None:
    assert str(refusal(FACTS, "will not do")) == "operation 'odd' will not do"
