"""Names and settings on their way out: they still work, and say once since when, until when and what to use instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple
from warnings import warn


class CoachWarning(FutureWarning):
    """What works, and still should be known; shown once, in one line."""


class Deprecated(NamedTuple):
    """The way out of a name or a setting; as text ``deprecated since 1.1, gone in 2.0 - use rate``."""

    since: str  # version, of Coach or of the plugin, that first said so
    until: str  # version that no longer has it
    instead: str  # for a name of a module: where its successor lies, "package.module:Name"

    def __str__(self) -> str:
        return f"deprecated since {self.since}, gone in {self.until} - use {self.instead.replace(':', '.')}"


@cache
def warn_once(text: str, level: int = 3) -> None:
    """Warn of `text` the first time; `level` frames up is who should know."""
    warn(text, CoachWarning, stacklevel=level)


def old_names(module: str, names: Mapping[str, Deprecated]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module that still answers to `names`.

    ``__getattr__ = old_names(__name__, {"Timer": Deprecated("1.1", "2.0", "coachcore.clock:Clock")})``
    """

    def successor(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_once(f"{module}.{name} is {names[name]}")
        home, _, new = names[name].instead.partition(":")
        return getattr(import_module(home), new)

    return successor
