"""Asking every plugin who is there; none silences another."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from coachcore.api import component, hookimpl
from coachcore.errors import BrokenPlugin
from coachcore.registry.registry import Registry
from coachcore.specs import ComponentSpec

Read = Callable[[], Registry]


@component("schedule", "steady")
@attrs.frozen(kw_only=True)
class Steady:
    """Always the same."""


def test_a_plugin_may_offer_specs_that_can_be_imported(read: Read) -> None:
    class Offering:
        @hookimpl
        def coach_schedules(self) -> list[object]:
            return [ComponentSpec("schedule", "later", "gone:Later")]

    registry = read()
    registry.register(Offering(), "mine")
    assert registry.resolve("schedule", "later").id == "mine/schedule:later"
    with pytest.raises(BrokenPlugin, match=r"^mine/schedule:later: could not be imported"):
        registry.load("schedule", "later")


def test_a_plugin_whose_hook_fails_costs_one_line(read: Read) -> None:
    class Failing:
        @hookimpl
        def coach_filters(self) -> list[object]:
            raise SystemExit(4)

        @hookimpl
        def coach_schedules(self) -> list[object]:
            return [Steady, "text"]

        @hookimpl
        def coach_memories(self) -> list[object]:
            return [Steady]

    registry = read()
    registry.register(Failing(), "failing")
    assert [entry.spec.name for entry in registry.entries()] == ["steady"]
    assert [trouble.text for trouble in registry.troubles()] == [
        "could not be asked (coach_filters) - SystemExit: 4 - `coach doctor` says more",
        "coach_memories should offer parts of kind memory, it offers a schedule",
        "coach_schedules should offer parts of kind schedule, it offers 'text'",
    ]


def test_an_offer_twice_over_is_one_part(read: Read) -> None:
    class Twice:
        @hookimpl
        def coach_schedules(self) -> list[object]:
            return [Steady, Steady]

    registry = read()
    registry.register(Twice())
    assert [entry.state for entry in registry.entries()] == ["ok"]
