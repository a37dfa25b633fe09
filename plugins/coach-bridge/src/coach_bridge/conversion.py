"""From an old preset's text to a new preset's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from coach_bridge import run
from coach_bridge.agents import agent
from coach_bridge.defaults import old_agent
from coach_bridge.exploration import exploration
from coach_bridge.filters import filters
from coach_bridge.learner import learner
from coach_bridge.memories import memory
from coach_bridge.networks import networks
from coach_bridge.places import environment
from coach_bridge.reading import read
from coach_bridge.things import Remark, Remarks, Thing, take_all, untaken
from coach_bridge.toml import written
from coach_bridge.work import Work, shown
from coach_bridge.worlds import World
from coachcore.api import BadData

_OBJECTS = {
    "agent": "agent_params",
    "environment": "env_params",
    "schedule": "schedule_params",
    "visualization": "vis_params",
    "validation": "preset_validation_params",
}
_PLACES = ("agent_params", "env_params", "schedule_params", "vis_params", "preset_validation_params")


@attrs.frozen
class Conversion:
    """A new preset, and what there is to say about it."""

    file: str
    document: dict[str, Any]
    remarks: tuple[Remark, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return not any(remark.left_out for remark in self.remarks)

    @property
    def whole(self) -> bool:
        """Whether it has all that a run needs, so that `coach check` accepts it."""
        return {"agent", "environment", "exploration"} <= set(self.document)

    @property
    def lines(self) -> tuple[str, ...]:
        """What there is to say, ``file:line: ...``."""
        kinds = {True: "left out: ", False: "note: "}
        return tuple(f"{self.file}:{one.line}: {kinds[one.left_out]}{one.text}" for one in self.remarks)

    @property
    def text(self) -> str:
        """The preset as TOML, what there is to say as comments at its top."""
        head = [f"Converted from {self.file} by `coach convert`.", *self.lines]
        if not self.whole:
            head.append("This is no whole preset: write what is missing; `coach check` tells what that is.")
        comments = "\n".join(f"# {''.join(c if c.isprintable() else '?' for c in line)}" for line in head)
        return f"{comments}\n\n{written(self.document)}"


def converted(source: str, file: str, level: str | None = None) -> Conversion:
    """Convert the text of an old preset; raises `BadData` when it is no Python, or no preset.

    `file` is how remarks call it, `level` the level for a preset that leaves the choice open.
    """
    remarks = Remarks()
    try:
        work = _found(read(source, file, remarks), file, remarks, level)
        document = _document(work, file)
    except RecursionError:
        raise BadData("its objects lie too deep in one another - write them out one by one", where=file) from None
    for given in untaken(_roots(work), set()):
        what = given.text or shown(given.value)
        work.lost(given.line, f"{what}: nothing here means this - leave it out, or say what it did in another way")
    return Conversion(file, document, remarks.sorted)


def _roots(work: Work) -> list[Thing]:
    return [work.agent, work.environment, work.schedule, work.visualization, work.validation]


def _found(names: dict[str, Any], file: str, remarks: Remarks, level: str | None) -> Work:
    """The objects that a preset hands to its graph manager, or calls as presets do."""
    graph = next((one for one in names.values() if isinstance(one, Thing) and one.name.endswith("GraphManager")), None)
    alone = graph is None or graph.name == "BasicRLGraphManager"
    if graph is not None and not alone:
        remarks.lost(graph.line, f"{graph.name}: one agent learns from one environment here - there is no counterpart")
    things: dict[str, Any] = {}
    for key, name in _OBJECTS.items():
        given = None if graph is None else graph.take(name, _PLACES.index(name))
        things[key] = names.get(name) if given is None else given
    if run.is_atari_schedule(things["schedule"]):
        things["schedule"] = run.atari_schedule(1 if graph is None else graph.where("schedule_params", 2))
    things = {key: one if isinstance(one, Thing) else Thing() for key, one in things.items()}
    if not things["agent"].name:
        raise BadData(
            "this is no preset: it makes no agent_params - give an old preset, a file such as CartPole_DQN.py",
            where=file,
        )
    if alone:
        _beside(graph, remarks)
    return Work(remarks, **things, level=level, alone=alone)


def _beside(graph: Thing | None, remarks: Remarks) -> None:
    for key, given in {} if graph is None else graph.fields.items():
        if not given.taken and key != "name" and not key.startswith("#"):
            remarks.lost(given.line, f"{given.text or key}: a preset has no such part - leave it out")


def _document(work: Work, file: str) -> dict[str, Any]:
    work.known = old_agent(work.agent.name)
    place = environment(work)
    chains = filters(work)
    name = work.agent.name.removesuffix("Parameters").removesuffix("Agent")
    out: dict[str, Any] = {"coach": 1, "summary": f"{name}, from {Path(file).name}"}
    out |= {"environment": place} if place is not None else {}
    if not work.alone:
        take_all(work.agent)
    elif work.known is None:
        work.lost(work.agent.line, f"agent {name}: there is no such agent yet - see `coach list-plugins --kind agent`")
        take_all(work.agent)
    else:
        out |= _learning(work)
    out |= {"filters": chains} if chains else {}
    out["schedule"] = run.schedule(work)
    proven, shown_ = run.validation(work), run.recorders(work)
    return out | ({"validation": proven} if proven else {}) | ({"recorders": shown_} if shown_ else {})


def _learning(work: Work) -> dict[str, Any]:
    """Agent, networks, learner, exploration and memory."""
    _guessed(work)
    table = agent(work)
    nets = networks(work)
    settings = learner(work, nets)
    if not any(net["middleware"]["use"] == "lstm" for net in nets.values()):
        settings.pop("sequence", None)
    table |= {"network": nets[""]} if "" in nets else {"networks": nets}
    out: dict[str, Any] = {"agent": table | {"learner": settings}}
    policy = exploration(work)
    return out | ({"exploration": policy} if policy else {}) | {"memory": memory(work)}


def _guessed(work: Work) -> None:
    """An on-policy agent in an unknown environment: discrete actions are supposed, and that is said."""
    if work.discrete is None:
        work.lost(
            work.environment.line or work.agent.line,
            "whether actions are discrete is not known; they are taken to be - else use the head gaussian-policy",
        )
        work.world = attrs.evolve(work.world, discrete=True) if work.world else World(id="", discrete=True)
