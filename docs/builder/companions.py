"""What goes with a part: parts of other kinds that fit it, and presets that name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from builder import fitting
from builder.tree import Part, named, parts_of
from builder.words import code, fact, linked, listed


def told(part: Part) -> Iterator[str]:
    """Parts of other kinds that fit it, and presets that use it."""
    for what, found in _FITTING.get(part.spec.kind, lambda _part: {})(part).items():
        if found:
            yield f"{what}: {found}"
    if used := fitting.using(part):
        yield f"Presets that name it: {', '.join(f'[`{name}`](../presets.md)' for name in used)}"


def _agent(part: Part) -> Mapping[str, str]:
    return {
        "Memories": _noted(fitting.memories_for(part)),
        "Exploration policies": _noted(fitting.sharing_actions(part, "exploration")),
    }


def _noted(found: list[Part]) -> str:
    """Parts in a line, each with what it asks for besides."""
    told = []
    for one in found:
        facts = one.spec.facts
        asked = [f"the network's {facts['asks']}"] if "asks" in facts else []
        asked += ["noisy layers"] if facts.get("noisy") else []
        asked += [f"the observations {fact(facts['observations'])}"] if facts.get("observations") else []
        told.append(f"{linked(one)} (needs {' and '.join(asked)})" if asked else linked(one))
    return ", ".join(told)


def _head(part: Part) -> Mapping[str, str]:
    asked = fitting.agents_asking(part.spec.facts.get("provides", ""))
    told = (f"{linked(agent)} (slot `{f'{net}.{slot}' if net else slot}`)" for agent, net, slot in asked)
    others = [other for other in fitting.heads_for([part.spec.facts.get("provides", "")]) if other != part]
    return {"Agents that ask for it": ", ".join(told), "Other heads that provide the same": listed(others)}


def _filter(part: Part) -> Mapping[str, str]:
    acts_on = fitting.words(part.spec.facts.get("acts_on"))
    return {
        f"Other filters of {what}s": listed(other for other in fitting.acting_on(what) if other != part)
        for what in acts_on
    }


def _exploration(part: Part) -> Mapping[str, str]:
    asks = part.spec.facts.get("asks")
    told = f"Agents with such actions, where their networks give {code(asks)}" if asks else "Agents with such actions"
    return {told: listed(fitting.sharing_actions(part, "agent"))}


def _memory(part: Part) -> Mapping[str, str]:
    return {"Agents that can learn from it": listed(fitting.agents_of(part))}


def _embedded(part: Part) -> Mapping[str, str]:
    found = [linked(agent) for agent in parts_of("agent") if _chooses(agent.spec.facts.get("defaults"), part)]
    return {"Agents that choose it by themselves": ", ".join(found)}


def _chooses(defaults: Any, part: Part) -> bool:
    if isinstance(defaults, Mapping):
        table = defaults.get("middleware") if part.spec.kind == "middleware" else None
        tables = [table] if table else [*defaults.get("embedders", {}).values()] if part.spec.kind == "embedder" else []
        inner = (_chooses(value, part) for value in defaults.values())
        return any(named(part.spec.kind, each.get("use", "")) == part for each in tables) or any(inner)
    return False


_FITTING: Mapping[str, Any] = {
    "agent": _agent,
    "head": _head,
    "filter": _filter,
    "exploration": _exploration,
    "memory": _memory,
    "embedder": _embedded,
    "middleware": _embedded,
}
