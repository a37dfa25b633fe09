"""What an old preset says, as data: objects by class name with the fields they were given, and where."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite
from typing import Any

import attrs


@attrs.frozen
class Word:
    """A name that the preset does not define itself: an enumeration's value, an imported constant."""

    text: str

    @property
    def last(self) -> str:
        """What stands behind the last dot: ``Medium`` of ``EmbedderScheme.Medium``."""
        return self.text.rpartition(".")[2]


@attrs.frozen
class Unreadable:
    """A value that only running the preset would tell."""

    text: str


@attrs.define(eq=False)
class Given:
    """One field's value, where it was given, and whether the conversion has made use of it."""

    value: Any
    line: int
    text: str = ""
    taken: bool = False


@attrs.define(eq=False)
class Thing:
    """An object that the preset makes, or a place inside one (then without a class name)."""

    name: str = ""
    line: int = 0
    fields: dict[str, Given] = attrs.field(factory=dict)

    def take(self, name: str, position: int | None = None, default: Any = None) -> Any:
        """The value of a field, from now on made use of; `position` is its place among the arguments."""
        given = self.given(name, position)
        if given is None:
            return default
        given.taken = True
        return given.value

    def given(self, name: str, position: int | None = None) -> Given | None:
        """A field as it was given; None where it was not."""
        placed = None if position is None else self.fields.get(f"#{position}")
        return self.fields.get(name) or placed

    def where(self, name: str, position: int | None = None) -> int:
        """The line that gives a field, else the line that makes the object."""
        given = self.given(name, position)
        return self.line if given is None else given.line

    def inner(self, name: str, position: int | None = None) -> Thing:
        """The object in a field; an empty one where there is none."""
        value = self.take(name, position)
        return value if isinstance(value, Thing) else Thing("", self.where(name, position))

    def calls(self, method: str) -> Iterator[Thing]:
        """The arguments of each call of a method, in order; from now on made use of."""
        for key, given in self.fields.items():
            if key.startswith(f"{method}()"):
                given.taken = True
                yield given.value


UNITS = {"EnvironmentSteps": "steps", "EnvironmentEpisodes": "episodes", "TrainingSteps": "training"}


@attrs.frozen
class Span:
    """A number of environment steps, episodes, or training steps."""

    amount: int
    unit: str

    @classmethod
    def of(cls, value: Any) -> Span | None:
        """The span of an old step count; None for anything else."""
        if isinstance(value, Span):
            return value
        if not isinstance(value, Thing) or value.name not in UNITS:
            return None
        count = value.take("num_steps", 0)
        number = isinstance(count, int | float) and not isinstance(count, bool) and isfinite(count)
        return cls(ceil(count), UNITS[value.name]) if number else None


@attrs.frozen(order=True)
class Remark:
    """Something to say about a line: a note, or what was left out."""

    line: int
    text: str
    left_out: bool = False


@attrs.define
class Remarks:
    """What there is to say about a conversion."""

    found: set[Remark] = attrs.field(factory=set)

    def note(self, line: int, text: str) -> None:
        """Converted, but worth knowing."""
        self.found.add(Remark(line, text))

    def lost(self, line: int, text: str) -> None:
        """Left out; `text` says what, and what to do about it."""
        self.found.add(Remark(line, text, left_out=True))

    @property
    def sorted(self) -> tuple[Remark, ...]:
        return tuple(sorted(self.found))


def untaken(value: Any, seen: set[int]) -> Iterator[Given]:
    """Every field that nothing made use of, below `value`."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Thing):
        for given in value.fields.values():
            implied = isinstance(given.value, Thing) and not given.value.name and not given.text
            if given.taken or implied:
                yield from untaken(given.value, seen)
            else:
                yield given
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from untaken(item, seen)


def take_all(value: Any) -> None:
    """Count everything below `value` as made use of."""
    while rest := list(untaken(value, set())):
        for given in rest:
            given.taken = True
