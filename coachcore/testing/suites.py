"""The suite of every kind of part in one form: what a part is held to when nobody says on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from coachcore.errors import CoachError, Mismatch
from coachcore.layout import Column, Layout
from coachcore.registry.registry import Registry
from coachcore.settings import LearnerSettings
from coachcore.spaces import Attention, Box, Compound, Discrete, MultiSelect, Space, Spaces
from coachcore.testing.laws import require

ANYTHING: tuple[Space, ...] = (
    Box((3,), (-1.0, 0.0, -0.25), (1.0, 0.5, 8.0)),
    Box((2,)),
    Box((4,), names=("cart position", "cart velocity", "pole angle", "pole angular velocity")),
    Box((8, 8, 3), 0, 255, "uint8"),
    Discrete(5),
)
FILTERED: dict[str, tuple[Space, ...]] = {
    "observation": ANYTHING,
    "reward": (Box(()), Box((), -100.0, 50.0)),
    "action": (
        Box((2,), -1.0, 1.0),
        Box((3,), -2.0, (0.75, 1.0, 4.0)),
        Box((1,), -2.0, 2.0),
        Discrete(4),
        MultiSelect(3, 2),
        Attention(Box((2,), 0.0, (84.0, 40.0))),
        Compound({"turn": Discrete(3), "speed": Box((2,), -1.0, 1.0)}),
    ),
}
CHOSEN: tuple[Space, ...] = (Discrete(3), Discrete(2), Box((2,), (-0.5, 0.0), (0.5, 2.0)))
STORED = (
    Spaces(observation={"observation": Box((4,))}, action=Discrete(3)),
    Spaces(observation={"camera": Box((2, 2, 1), 0, 255, "uint8"), "speed": Box((3,))}, action=Box((2,), -1.0, 1.0)),
)
NETWORKS = ("layer", "embedder", "middleware", "head")
LAYERED = (*NETWORKS, "agent", "engine")
"""Kinds whose laws bring Keras with them."""


class Check(NamedTuple):
    """One law: raises `AssertionError` where `part` breaks it; `folder` is empty, for what it writes."""

    name: str
    run: Callable[[Any, Path], None]


def checks(kind: str) -> tuple[Check, ...]:
    """The laws of a kind, each over all the usual spaces, layouts or problems that a part takes."""
    home = "network" if kind in NETWORKS else kind
    suite = import_module(f"coachcore.testing.{home}")
    if kind == "recorder":
        return (Check("check_recorder", suite.check_recorder),)
    laws = suite.CHECKS if kind == "environment" else suite.LAWS
    if kind == "transport":  # which changes in place: every law begins with an empty one
        return tuple(Check(law.__name__, _alone(law, attrs.evolve)) for law in laws)
    if kind not in _TRIED:
        return tuple(Check(law.__name__, _alone(law)) for law in laws)
    tried = _TRIED[kind]
    found = tuple(Check(law.__name__, _over(law, tried)) for law in laws)
    return (Check("something_usual_is_taken", _takes_any(tried)), *found)


def check_part(kind: str, part: Any, folder: Path) -> None:
    """Every law of the kind; raises `AssertionError` with the rule that is broken."""
    warm(kind)
    for number, check in enumerate(checks(kind)):
        place = folder / f"{number}"
        place.mkdir(parents=True)
        check.run(part, place)


def warm(kind: str) -> None:
    """Import what the laws of the kind need and what leaves traces of its own when it is first imported."""
    if kind in LAYERED and find_spec("keras") is not None:
        import_module("keras")


def _alone(law: Callable[[Any], None], made: Callable[[Any], Any] = lambda part: part) -> Callable[[Any, Path], None]:
    return lambda part, _folder: law(made(part))


def _over(law: Callable[..., None], tried: Callable[[Any], Iterable[tuple[Any, Any]]]) -> Callable[[Any, Path], None]:
    def run(part: Any, folder: Path) -> None:
        for changed, on in tried(part):
            law(changed, on)

    return run


def _takes_any(tried: Callable[[Any], Iterable[tuple[Any, Any]]]) -> Callable[[Any, Path], None]:
    def run(part: Any, folder: Path) -> None:
        require(any(True for _ in tried(part)), f"{part} refuses all the usual things that it could be tried on")

    return run


def _accepted(part: Any, spaces: Sequence[Space], ask: Callable[[Space], Any]) -> list[tuple[Any, Any]]:
    """The part with each space that it does not refuse by `Mismatch`."""
    return [(part, space) for space in spaces if _took(ask, space)]


def _took(ask: Callable[[Any], Any], what: Any) -> bool:
    """Whether `ask` does not refuse `what`, by False or by `Mismatch`; anything else is no way to refuse."""
    try:
        return ask(what) is not False
    except Mismatch:
        return False
    except Exception as error:
        raise AssertionError(
            f"{what} is taken or refused with Mismatch, got {type(error).__name__}: {error}"
        ) from error


def _filtered(part: Any) -> list[tuple[Any, Any]]:
    from coachcore.testing.filter import acts_on

    return [pair for role in acts_on(part) for pair in _accepted(part, FILTERED.get(role, ()), part.space)]


def _chosen(part: Any) -> list[tuple[Any, Any]]:
    return _accepted(part, CHOSEN, lambda space: part.init(space, 1))


def _built(part: Any) -> list[tuple[Any, Any]]:
    from coachcore.testing.network import spaces_of, takes

    return [(part, space) for space in spaces_of(part) if _took(partial(takes, part), space)]


def _stored(part: Any) -> list[tuple[Any, Any]]:
    """Small memories, whatever their capacity is: the laws fill them several times."""
    from coachcore.testing.fresh import is_fresh
    from coachcore.testing.memory import LARGEST

    fresh = is_fresh(part)
    small = part if fresh or part.capacity <= LARGEST else attrs.evolve(part, capacity=50)
    keep = (Column("value"),) if fresh else ()
    return [(small, Layout.of(spaces, keep, fresh=fresh)) for spaces in STORED]


def _served(part: Any) -> list[tuple[Any, Any]]:
    from coachcore.testing.trial import TRIALS, serves

    return [(part, tried) for tried in TRIALS if _took(partial(serves, part), tried)]


def _learned(part: Any) -> list[tuple[Any, Any]]:
    """The toy problem, or for an engine that has to build layers, the first installed agent's that it can solve."""
    from coachcore.testing.engine import toy_problem
    from coachcore.testing.examples import FAULTS, examples, problem_for

    try:
        part.make(toy_problem())
    except FAULTS:  # an engine of layers has nothing to build from the toy's parts
        registry = Registry()
    else:
        return [(part, toy_problem())]
    spaces = Spaces(observation={"observation": Box((3,))}, action=Discrete(2))
    for one in examples(registry, "agent"):
        try:
            return [(part, problem_for(registry, one.part, spaces, LearnerSettings(batch_size=4)))]
        except (CoachError, AttributeError):
            continue  # another kind of actions, or an agent that could not be made
    return []


_TRIED: dict[str, Callable[[Any], list[tuple[Any, Any]]]] = {
    "filter": _filtered,
    "exploration": _chosen,
    "memory": _stored,
    "agent": _served,
    "engine": _learned,
    **dict.fromkeys(NETWORKS, _built),
}
"""Kind -> the pairs of a part and what it is tried on."""
