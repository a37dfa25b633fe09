"""The suite for schedules passes a sound one and catches each of several broken ones."""

from __future__ import annotations

import attrs
import pytest

from coachcore.component import component, param
from coachcore.testing.schedule import LAWS, ScheduleConformance, check_schedule

CALLS = []


@component("schedule", "toy")
@attrs.frozen(kw_only=True)
class Toy:
    """Halves at every step, or fails as it is told to."""

    fault: str = param(default="", doc="what to do wrong")

    def __call__(self, step):
        CALLS.append(step)
        if self.fault == "remembers":
            return float(len(CALLS))
        if self.fault == "overflows" and step > 1000:
            return float("inf")
        return "0.5" if self.fault == "text" else 0.5**step


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("remembers", "the same step gives the same value"),
        ("overflows", "finite at every step, got inf"),
        ("text", "answers with a number, got str"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_schedule(Toy(fault=fault))


def test_a_sound_schedule_passes():
    check_schedule(Toy())


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(ScheduleConformance))
    with pytest.raises(NotImplementedError):
        ScheduleConformance().make()


class TestToy(ScheduleConformance):
    def make(self):
        return Toy()
