"""The page of hooks: few, documented, one a kind, each of them callable."""

from __future__ import annotations

import inspect
from typing import Any

import pluggy
import pytest

from coachcore.registry import hookspecs
from coachcore.specs import KINDS

SPECS = {name: spec for name, spec in vars(hookspecs).items() if hasattr(spec, "coach_spec")}


def test_there_are_at_most_24_hooks() -> None:
    assert 20 < len(SPECS) <= 24


@pytest.mark.parametrize("name", sorted(SPECS))
def test_every_hook_is_documented_and_named_for_coach(name: str) -> None:
    assert name.startswith("coach_")
    assert (inspect.getdoc(SPECS[name]) or "").endswith((".", ")"))


def test_every_kind_has_its_hook() -> None:
    assert list(hookspecs.DESCRIBE) == list(KINDS)
    assert set(hookspecs.DESCRIBE.values()) <= set(SPECS)


@pytest.mark.parametrize("name", sorted(SPECS))
def test_every_hook_reaches_an_implementation_with_the_arguments_it_asks_for(name: str) -> None:
    asked = inspect.signature(SPECS[name]).parameters
    scope: dict[str, Any] = {}
    exec(f"def {name}({', '.join(asked)}): return [{', '.join(asked)}]", scope)
    plugin = type("Plugin", (), {name: staticmethod(hookspecs.hookimpl(scope[name]))})()
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    manager.check_pending()
    given = {argument: object() for argument in asked}
    assert getattr(manager.hook, name)(**given) == [list(given.values())]


def test_an_empty_answer_is_what_a_spec_itself_gives() -> None:
    assert [SPECS[hook]() for hook in hookspecs.DESCRIBE.values()] == [()] * len(KINDS)
    assert (hookspecs.coach_presets(), hookspecs.coach_commands(), hookspecs.coach_doctor_checks()) == ((), {}, {})
