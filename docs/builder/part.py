"""The page of one part."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from builder import fitting, messages
from builder.example import example
from builder.tree import Part, class_of, named, short
from builder.words import NOTE, code, fact, linked, listed, marked, papers, rows, single
from coachcore.presets.places import several
from coachcore.presets.writer import dump

TOLD_APART = ("slots", "defaults", "free", "inputs")
"""Facts of an agent that its table of networks tells."""


def page(part: Part) -> Iterator[str]:
    """What it is, its settings, what goes with it, a preset with it, what it refuses."""
    spec = part.spec
    yield from (f"# {single(spec.kind).capitalize()} `{spec.name}`", "", NOTE, "")
    doc = ast.get_docstring(class_of(part)) or spec.summary
    yield from (marked(doc), "", *_facts(part, doc), "", "## Settings", "")
    yield from (*(rows(spec.params) if spec.params else ["It has none."]), "")
    if spec.kind == "agent":
        yield from _networks(part)
    told = [*_companions(part)]
    if told:
        yield from ("## What goes with it", "", *(f"- {line}" for line in told), "")
    if shown := example(part):
        yield from ("## In a preset", "", "```toml", shown, "```", "")
    yield from _refusals(part)


def _facts(part: Part, doc: str) -> Iterator[str]:
    spec = part.spec
    told = {"Id": code(part.entry.id), "Class": f"{code(spec.object)}, in `{short(part.source)}`"}
    told |= {"Also called": ", ".join(map(code, spec.aliases)), "Needs the package": ", ".join(map(code, spec.needs))}
    told |= {"Since": spec.since, "Stability": spec.stability if spec.stability != "stable" else ""}
    told |= {
        key.replace("_", " ").capitalize(): fact(value)
        for key, value in spec.facts.items()
        if spec.kind != "agent" or key not in TOLD_APART
    }
    told["Source"] = ", ".join(papers(doc))
    yield from (f"- {key}: {value}" for key, value in told.items() if value)


def _networks(agent: Part) -> Iterator[str]:
    """Slots, what fits them, and what the agent chooses where the preset is silent."""
    facts = agent.spec.facts
    if not facts.get("slots"):
        return
    yield from ("## Networks", "", "| network | slot | needs | heads that provide it |", "|---|---|---|---|")
    for net, slot, wanted in fitting.slots(agent):
        heads = listed(fitting.heads_for(wanted)) or "none comes with this version"
        yield f"| {code(net) if net else 'the only one'} | `{slot}` | {' or '.join(map(code, wanted))} | {heads} |"
    yield from (f"| `{name}` | | | nothing but numbers |" for name in facts.get("free", ()))
    yield ""
    for net, inputs in facts.get("inputs", {}).items():
        yield from (f"Beside the observations, `{net}` is shown {', '.join(map(code, inputs))}.", "")
    if facts.get("defaults"):
        table = "networks" if several(facts) else "network"
        yield from ("Where the preset is silent:", "", "```toml")
        yield from (dump({"agent": {table: facts["defaults"]}}).strip(), "```", "")


def _companions(part: Part) -> Iterator[str]:
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
    found = [linked(agent) for agent in fitting.parts_of("agent") if _chooses(agent.spec.facts.get("defaults"), part)]
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


def _refusals(part: Part) -> Iterator[str]:
    """What the module of the part raises for the user to mend."""
    found = messages.raised(part.source)
    if found:
        yield from ("## What it refuses", "", "| what it says | error |", "|---|---|")
        yield from (f"| {code(said.text)} | [`{said.error}`](../errors.md#{said.error.lower()}) |" for said in found)
        yield ""
