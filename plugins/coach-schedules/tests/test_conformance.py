"""Every schedule of this distribution keeps the laws of schedules."""

from __future__ import annotations

import pytest

from coach_schedules import Constant, Exponential, Linear, Piecewise
from coachcore.testing.schedule import LAWS

PARTS = [
    Constant(value=0.3),
    Linear(start=1.0, end=0.1, steps=100),
    Linear(start=0.1, end=1.0, steps=1),
    Exponential(start=1.0, end=0.05, factor=0.999),
    Exponential(start=1e-5, end=1e300, factor=1.5),
    Exponential(start=2.0, end=0.0, factor=0.5),
    Exponential(start=-1.0, end=-8.0, factor=2.0),
    Linear(start=1.0, end=0.1, steps=100, per="episodes"),
    Exponential(start=1.0, end=0.05, factor=0.999, per="updates"),
    Piecewise(schedules=(1, Piecewise(schedules=(2, 3), steps=(4,))), steps=(7,), per="updates"),
    Piecewise(schedules=(Linear(start=1, end=3, steps=10), 4, Exponential(start=3, end=1, factor=0.99)), steps=(5, 10)),
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__coach__.name)
def test_law(part, law):
    law(part)
