"""Whether a conformance class still asks all that its suite asks: nothing deleted, nothing overridden."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec, module_from_spec
from typing import Any

ROOM = "coachcore.testing."


def suites_of(cls: type) -> list[type]:
    """The suites of the kit that `cls` is made from; none for a class that is not a conformance class."""
    return [one for one in cls.__mro__ if one.__module__.startswith(ROOM) and one.__name__.endswith("Conformance")]


def missing(cls: type) -> list[str]:
    """What is wrong with the standard tests of `cls`, a sentence each; empty where all are as the kit has them.

    A standard test may be overridden only under ``pytest.mark.xfail(reason=...)``.
    """
    if cls.__module__.startswith(ROOM):
        return []
    found: dict[str, str] = {}
    for suite in suites_of(cls):
        for name, code in _standard(suite.__module__, suite.__qualname__).items():
            held = inspect.getattr_static(cls, name, None)
            if getattr(held, "__code__", None) != code and not _excused(held):
                verb = "overridden" if callable(held) else "deleted"
                found.setdefault(name, f"{name} of {suite.__name__} is {verb}")
    return list(found.values())


@cache
def _standard(module: str, suite: str) -> Mapping[str, Any]:
    """The tests that a suite has in its file, whatever was done to the imported class: name -> code."""
    spec = find_spec(module)
    if spec is None or spec.loader is None:
        return {}
    pristine = module_from_spec(spec)
    spec.loader.exec_module(pristine)
    members = vars(getattr(pristine, suite)).items()
    return {name: value.__code__ for name, value in members if name.startswith("test_")}


def _excused(held: Any) -> bool:
    return any(mark.name == "xfail" and mark.kwargs.get("reason") for mark in _marks(held))


def _marks(held: Any) -> Iterator[Any]:
    yield from getattr(held, "pytestmark", ())
