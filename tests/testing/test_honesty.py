"""A conformance class that leaves something out is found out."""

from __future__ import annotations

import pytest

from coachcore.testing.honesty import missing, suites_of
from coachcore.testing.memory import MemoryConformance
from coachcore.testing.schedule import ScheduleConformance


class Sound(ScheduleConformance):
    def make(self):
        return float

    def test_of_its_own(self):
        pass


def test_a_sound_class():
    assert missing(Sound) == []
    assert suites_of(Sound) == [ScheduleConformance]
    assert suites_of(int) == []
    assert missing(ScheduleConformance) == []


def test_overridden_and_deleted_tests_are_named():
    class Cheat(Sound):
        test_settings_never_change = None

        def test_every_step_has_a_finite_value(self):
            pass

    assert missing(Cheat) == [
        "test_settings_never_change of ScheduleConformance is deleted",
        "test_every_step_has_a_finite_value of ScheduleConformance is overridden",
    ]


def test_a_reasoned_xfail_is_allowed_a_bare_one_is_not():
    class Honest(Sound):
        @pytest.mark.xfail(reason="it counts on purpose")
        def test_a_value_depends_on_its_step_only(self):
            super().test_a_value_depends_on_its_step_only()

    class Bare(Sound):
        @pytest.mark.xfail
        def test_a_value_depends_on_its_step_only(self):
            pass

    assert missing(Honest) == []
    assert len(missing(Bare)) == 1


def test_a_suite_that_was_changed_itself_is_found_out(monkeypatch):
    monkeypatch.delattr(ScheduleConformance, "test_settings_never_change")
    monkeypatch.setattr(ScheduleConformance, "test_every_step_has_a_finite_value", lambda self: None)
    assert len(missing(Sound)) == 2


def test_what_a_suite_inherits_counts():
    class Cheat(MemoryConformance):
        def test_every_order_is_as_likely(self):
            pass

    assert missing(Cheat) == ["test_every_order_is_as_likely of FreshConformance is overridden"]
