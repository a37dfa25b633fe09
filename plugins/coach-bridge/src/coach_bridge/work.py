"""What the steps of a conversion share."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import attrs

from coach_bridge.defaults import OldAgent
from coach_bridge.things import Remarks, Thing
from coach_bridge.worlds import World
from coachcore.api import CoachError


@attrs.define
class Work:
    """The old preset's objects, what is known of them, and what there is to say."""

    remarks: Remarks
    agent: Thing
    environment: Thing
    schedule: Thing
    visualization: Thing
    validation: Thing
    level: str | None = None
    known: OldAgent | None = None
    world: World | None = None
    discretised: bool = False
    alone: bool = True  # one agent and one environment, which learns while it plays

    def note(self, line: int, text: str) -> None:
        """Converted, but worth knowing."""
        self.remarks.note(line, text)

    def lost(self, line: int, text: str) -> None:
        """Left out; `text` says what, and what to do about it."""
        self.remarks.lost(line, text)

    @property
    def old(self) -> OldAgent:
        """What is known of the old agent; asked only where something is."""
        if self.known is None:
            raise CoachError(f"nothing is known of {self.agent.name}")
        return self.known

    @property
    def discrete(self) -> bool | None:
        """Whether the agent chooses among actions; None where nothing tells."""
        if self.discretised:
            return True
        if self.world is not None and self.world.discrete is not None:
            return self.world.discrete
        if self.known is None or self.known.fresh:
            return None
        return not self.known.control

    @property
    def observation(self) -> str:
        """What the environment calls the observation that the old system called ``observation``."""
        return "observation" if self.world is None else self.world.observation

    @property
    def looks(self) -> bool:
        """Whether that observation is a picture."""
        return self.world is not None and self.world.looks

    def number(self, thing: Thing, name: str, default: Any, position: int | None = None) -> Any:
        """A number that a field holds; the default where it holds none, which is said."""
        value = thing.take(name, position, default)
        if value is None and default is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            return value
        self.lost(thing.where(name, position), f"{name}: only running the preset would tell its value - write a number")
        return default

    def unless(self, thing: Thing, name: str, usual: Any, what: str) -> None:
        """Say that a field is left out, if it differs from the value that needs no counterpart."""
        value = thing.take(name, default=usual)
        if value != usual and not (usual is False and value is None):
            self.lost(thing.where(name), f"{name} = {shown(value)}: {what}")

    def flag(self, thing: Thing, name: str, defaults: Mapping[str, Any]) -> bool:
        """A truth value of a field."""
        return bool(thing.take(name, default=defaults.get(name, False)))


def shown(value: Any) -> str:
    """A value as a remark shows it."""
    name = getattr(value, "name", None) or getattr(value, "text", None)
    text = str(name) if name else repr(value)
    return text if len(text) <= 40 else f"{text[:36]} ..."
