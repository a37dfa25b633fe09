"""A registry of made-up parts, the commands over it, and a small reader of JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import pytest

import coach_preset_tools
from coachcore.api import Schedule, component, hookimpl, param
from coachcore.cli.main import invoke
from coachcore.registry.registry import Registry
from coachcore.testing.toy_plugin import ToyPlugin

_NETWORK = {
    "embedders": {"observation": {"use": "toy-as-it-is"}},
    "middleware": {"use": "toy-nothing"},
    "heads": {"q": {"use": "toy-values"}},
}


@component("agent", "pupil", aliases=("PupilAgent",), slots={"q": "action-values"}, defaults=_NETWORK,
           actions="discrete", renamed={"gamma": "discount"})  # fmt: skip
@attrs.frozen(kw_only=True)
class Pupil:
    """Learns what it is told."""

    discount: float = param(default=0.99, ge=0, le=1, doc="what a reward is worth one step later")
    loss: str = param(default="huber", choices=("huber", "mse"), doc="how an error becomes a `loss`")


@component("memory", "shelf", aliases=("Shelf", "OldShelf"), orders=["any"], fresh=False, renamed={"size": "capacity"})
@attrs.frozen(kw_only=True)
class Shelf:
    """Everything, side by side."""

    capacity: int = param(default=500, ge=1, doc="transitions kept", unit="transitions")
    age: Any = param(default=None, type="duration", doc="how old they may be", choices=("steps",))


@component("filter", "times", aliases=("Times",), acts_on="reward", renamed={"by": "factor"})
@attrs.frozen(kw_only=True)
class Times:
    """A multiple."""

    factor: float = param(doc="times what", gt=0)
    offset: tuple[float, ...] = param(default=(), doc="what is added")


@component("schedule", "line", aliases=("Line",))
@attrs.frozen(kw_only=True)
class Line:
    """Straight."""

    start: float = param(default=1.0, doc="first value")
    end: float = param(doc="last value")

    def __call__(self, step: float) -> float:
        return self.start


@component("exploration", "chance", aliases=("Chance",), actions=["discrete"])
@attrs.frozen(kw_only=True)
class Chance:
    """Now and then any."""

    epsilon: Schedule = param(factory=lambda: Line(end=0.05), ge=0, le=1, doc="how often")


@component("exploration", "around", actions=["box"])
@attrs.frozen(kw_only=True)
class Around:
    """Somewhere near."""


class Parts:
    """What is made up here."""

    coach_agents = hookimpl(lambda self: (Pupil,), specname="coach_agents")
    coach_memories = hookimpl(lambda self: (Shelf,), specname="coach_memories")
    coach_filters = hookimpl(lambda self: (Times,), specname="coach_filters")
    coach_schedules = hookimpl(lambda self: (Line,), specname="coach_schedules")
    coach_exploration = hookimpl(lambda self: (Chance, Around), specname="coach_exploration_policies")


class Said(NamedTuple):
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The made-up parts, the toys and the commands; this process's registry for as long as the test takes."""
    made = Registry(paths=[])
    made.register(Parts(), "parts")
    made.register(ToyPlugin(), "toys")
    made.register(coach_preset_tools, "preset-tools")
    for module in ("registry.registry", "cli.list_plugins", "cli.describe"):
        monkeypatch.setattr(import_module(f"coachcore.{module}"), "current", lambda: made)
    return made


@pytest.fixture
def coach(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """`coach` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str) -> Said:
        capsys.readouterr()
        code = invoke(list(arguments))
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Said(code, *said)

    return call


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A sound preset with comments."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return file


SMALL = """\
# mine
coach = 1

[environment]   # where
use = "toy-signs"

[agent]
use = "pupil"
discount = 0.9     # less

[engine]
use = "toy-numpy"

[exploration]
use = "chance"
epsilon = { start = 0.5 } # half
[memory]
use = 'shelf'
# the end
"""

_TYPES: Mapping[str, Any] = {"number": (int, float), "integer": int, "boolean": bool, "string": str}
_TYPES = {**_TYPES, "object": dict, "array": list}
_BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
}
_SAID = {"$schema", "title", "description", "default", "definitions", "deprecated", "then"}


class Reader:
    """As much of JSON Schema, draft 7, as is used here; an unknown keyword is an error."""

    def __init__(self, schema: Any) -> None:
        self.root = schema

    def __call__(self, value: Any) -> bool:
        return self.accepts(value, self.root)

    def accepts(self, value: Any, schema: Any) -> bool:
        if isinstance(schema, bool):
            return schema
        return all(self._holds(word, rule, value, schema) for word, rule in schema.items())

    def _holds(self, word: str, rule: Any, value: Any, schema: Any) -> bool:
        known = {
            "const": lambda: value == rule,
            "enum": lambda: value in rule,
            "not": lambda: not self.accepts(value, rule),
        }
        known["allOf"] = lambda: all(self.accepts(value, one) for one in rule)
        known["anyOf"] = lambda: any(self.accepts(value, one) for one in rule)
        known["$ref"] = lambda: self.accepts(value, self.root["definitions"][rule.removeprefix("#/definitions/")])
        known["if"] = lambda: not self.accepts(value, rule) or self.accepts(value, schema["then"])
        known["type"] = lambda: isinstance(value, _TYPES[rule]) and isinstance(value, bool) == (rule == "boolean")
        known["pattern"] = lambda: not isinstance(value, str) or re.search(rule, value) is not None
        known["items"] = lambda: not isinstance(value, list) or all(self.accepts(one, rule) for one in value)
        known["required"] = lambda: not isinstance(value, dict) or set(rule) <= set(value)
        known["properties"] = lambda: all(
            self.accepts(item, rule[key]) for key, item in self._items(value) if key in rule
        )
        known["additionalProperties"] = lambda: all(
            self.accepts(item, rule) for key, item in self._items(value) if key not in schema.get("properties", {})
        )
        for bound, holds in _BOUNDS.items():
            known[bound] = lambda holds=holds: isinstance(value, bool | str | dict | list) or holds(value, rule)
        return word in _SAID or known[word]()

    @staticmethod
    def _items(value: Any) -> list[tuple[str, Any]]:
        return list(value.items()) if isinstance(value, dict) else []


@pytest.fixture
def reader() -> type[Reader]:
    return Reader
