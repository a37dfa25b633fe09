"""The page of one part."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from builder import companions, fitting, messages
from builder.example import example
from builder.tree import Part, class_of, short
from builder.words import NOTE, code, fact, listed, marked, papers, rows, single
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
    told = [*companions.told(part)]
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


def _refusals(part: Part) -> Iterator[str]:
    """What the module of the part raises for the user to mend."""
    found = messages.raised(part.source)
    if found:
        yield from ("## What it refuses", "", "| what it says | error |", "|---|---|")
        yield from (f"| {code(said.text)} | [`{said.error}`](../errors.md#{said.error.lower()}) |" for said in found)
        yield ""
