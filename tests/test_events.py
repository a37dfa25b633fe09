"""Events are plain data, and equal runs give equal ones."""

from __future__ import annotations

import attrs
import pytest

from coachcore.events import Event, RunInfo, figure


def test_an_event_is_a_tuple_in_this_order():
    assert Event._fields == ("kind", "step", "episode", "update", "data")
    assert Event("report", 1, 2, 3, {"loss": 0.5}) == ("report", 1, 2, 3, {"loss": 0.5})


def test_what_a_recorder_is_told_first():
    info = RunInfo(preset="p", seed=1, environment="e", agent="a", total=10)
    assert (info.unit, info.resumed_at) == ("steps", 0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        info.seed = 2


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (500.0, "500.0"),
        (0.0, "0.0"),
        (0.957, "0.96"),
        (-0.5, "-0.5"),
        (1.0, "1.0"),
        (0.96, "0.96"),
        (2.0, "2.0"),
        (-173.44, "-173.4"),
    ],
)
def test_a_figure_hides_nothing_that_matters(value, text):
    assert figure(value) == text
