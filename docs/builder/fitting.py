"""Which parts go together: read from their facts, by the rules of the checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from builder.tree import Part, layered, parts_of, presets
from coachcore.presets.places import kind_at, several


def words(told: Any) -> tuple[str, ...]:
    """A fact that is one word or several."""
    return (told,) if isinstance(told, str) else tuple(told or ())


def actions(part: Part) -> set[str]:
    """``discrete``, ``box`` or both; a unit box is a box."""
    return {word.removeprefix("unit-") for word in words(part.spec.facts.get("actions"))}


def slots(agent: Part) -> list[tuple[str, str, tuple[str, ...]]]:
    """Network (empty where there is only one), slot and what its head must provide."""
    facts = agent.spec.facts
    told: Mapping[str, Any] = facts.get("slots", {})
    tables = told if several(facts) else {"": told}
    return [(net, slot, words(wanted)) for net, inner in tables.items() for slot, wanted in inner.items()]


def heads_for(wanted: Sequence[str]) -> list[Part]:
    """The heads that provide what a slot asks for."""
    return [head for head in parts_of("head") if head.spec.facts.get("provides") in wanted]


def agents_asking(provides: str) -> list[tuple[Part, str, str]]:
    """The agents that ask for it, with network and slot."""
    asked = ((agent, net, slot, wanted) for agent in parts_of("agent") for net, slot, wanted in slots(agent))
    return [(agent, net, slot) for agent, net, slot, wanted in asked if provides in wanted]


def needs(agent: Part) -> Mapping[str, Any]:
    """Order and age of the experience that an agent's losses are valid for."""
    return {"order": "any", "fresh": False, **agent.spec.facts.get("data", {})}


def serves(memory: Part, agent: Part) -> bool:
    """Whether a memory hands out what an agent learns from."""
    wanted, facts = needs(agent), memory.spec.facts
    return wanted["order"] in facts.get("orders", ["any"]) and wanted["fresh"] == facts.get("fresh", False)


def memories_for(agent: Part) -> list[Part]:
    """The memories that an agent can learn from."""
    return [memory for memory in parts_of("memory") if serves(memory, agent)]


def agents_of(memory: Part) -> list[Part]:
    """The agents that can learn from a memory."""
    return [agent for agent in parts_of("agent") if serves(memory, agent)]


def sharing_actions(part: Part, kind: str) -> list[Part]:
    """The parts of a kind that are for the same actions."""
    return [other for other in parts_of(kind) if not actions(other) or actions(other) & actions(part)]


def acting_on(what: str) -> list[Part]:
    """The filters of observations, rewards or actions."""
    return [part for part in parts_of("filter") if what in words(part.spec.facts.get("acts_on"))]


def using(part: Part) -> list[str]:
    """The installed presets that name a part."""
    called = {part.spec.name, part.entry.id, *part.spec.aliases}
    return [name for name, used in _uses().items() if any((part.spec.kind, word) in used for word in called)]


@cache
def _uses() -> Mapping[str, set[tuple[str, str]]]:
    return {name: set(_named_in(layered(path), ())) for name, path in presets().items()}


def _named_in(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        kind = kind_at(path)
        if kind is not None and isinstance(value.get("use"), str):
            yield kind, value["use"]
        for key, inner in value.items():
            yield from _named_in(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _named_in(inner, (*path, index))
