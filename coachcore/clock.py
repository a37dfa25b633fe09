"""How long: counters of steps, episodes and updates, and durations with units."""

from __future__ import annotations

from re import compile as pattern
from typing import Literal

import attrs

from coachcore.errors import BadSetting

Unit = Literal["steps", "episodes", "updates", "seconds"]
UNITS: tuple[Unit, ...] = ("steps", "episodes", "updates", "seconds")
_TEXT = pattern(r"\s*([0-9][0-9_]{0,24}(?:\.[0-9]+)?)\s*([a-z]+)\s*\Z")


@attrs.frozen
class Duration:
    """A length of training in one unit, written ``"10_000 steps"`` in a preset.

    `steps` are environment steps over all environments together, `updates`
    are gradient steps, `seconds` are wall-clock time.
    """

    amount: int
    unit: Unit

    @classmethod
    def parse(cls, text: str | Duration) -> Duration:
        """Read ``"<number> <unit>"``; raises `BadSetting` saying which units there are."""
        if isinstance(text, Duration):
            return text
        match = _TEXT.match(text) if isinstance(text, str) else None
        if match is None:
            raise BadSetting(f'expected a duration such as "10_000 steps", got {text!r}')
        number, unit = match[1].replace("_", ""), match[2] if match[2].endswith("s") else match[2] + "s"
        if unit not in UNITS:
            raise BadSetting(f"'{match[2]}' is not a unit of time here; use one of {', '.join(UNITS)}")
        if "." in number:
            raise BadSetting(f"a duration is a whole number of {unit}, got {match[1]}")
        return cls(int(number), unit)

    def __str__(self) -> str:
        return f"{self.amount:_} {self.unit}"


class Now(int):
    """Environment steps since training began, and beside them what else a schedule may go by.

    `episodes` are those that ended since then (one that began in heat-up included), `updates` are gradient steps.
    """

    episodes: int = 0
    updates: int = 0


@attrs.define
class Clock:
    """What has happened so far. `steps` counts heat-up too; `training_steps` does not."""

    steps: int = 0
    heatup_steps: int = 0
    episodes: int = 0
    updates: int = 0
    train_calls: int = 0
    heatup_episodes: int = 0

    @property
    def training_steps(self) -> int:
        return self.steps - self.heatup_steps

    @property
    def now(self) -> Now:
        """What schedules are asked with: heat-up not counted. Made at every step, so without a constructor."""
        now = Now(self.steps - self.heatup_steps)
        now.episodes, now.updates = self.episodes - self.heatup_episodes, self.updates
        return now

    def count(self, unit: Unit) -> int:
        """How many of `unit` the run has seen, heat-up included (seconds are the session's business)."""
        counts = {"steps": self.steps, "episodes": self.episodes, "updates": self.updates}
        if unit not in counts:
            raise BadSetting(f"'{unit}' cannot be counted inside a run; use steps, episodes or updates")
        return counts[unit]
