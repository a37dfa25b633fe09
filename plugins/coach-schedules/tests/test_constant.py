"""A constant stays."""

from __future__ import annotations

import math

import pytest

from coach_schedules import Constant
from coachcore.api import BadSetting


def test_it_stays():
    assert [Constant(value=0.25)(step) for step in (0, 1, 10**9)] == [0.25, 0.25, 0.25]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(BadSetting, match=r"value: .* is not a finite number"):
        Constant(value=value)
