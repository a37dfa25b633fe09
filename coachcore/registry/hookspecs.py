"""Every hook, on one page: who is there, and what happened.

A plugin is any object or module with functions marked `hookimpl`; a
distribution offers one through an entry point in the group ``coach.plugins``,
a notebook through `coachcore.registry.registry.register`. Hooks are called
between phases only, never inside a step. An implementation may leave out
arguments it does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from coachcore.specs import ComponentSpec

PROJECT = "coach"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

Offer = Sequence["ComponentSpec | type"]
"""Parts on offer: specs whose `object` can be imported, or classes marked by `@component`."""

DESCRIBE = {
    "filter": "coach_filters",
    "exploration": "coach_exploration_policies",
    "layer": "coach_layers",
    "embedder": "coach_embedders",
    "middleware": "coach_middlewares",
    "head": "coach_heads",
    "memory": "coach_memories",
    "agent": "coach_agents",
    "environment": "coach_environments",
    "schedule": "coach_schedules",
    "engine": "coach_engines",
    "store": "coach_stores",
    "transport": "coach_transports",
    "orchestrator": "coach_orchestrators",
    "recorder": "coach_recorders",
    "evaluator": "coach_evaluators",
}
"""Kind of part -> the hook that says which there are."""


# Who is there. The reader of entry points is the first plugin and answers all of these from metadata and
# manifests, so a distribution whose parts are entry points implements none.


@hookspec
def coach_filters() -> Offer:
    """Filters: what is done to observations, rewards or actions (`contracts.filter`)."""
    return ()


@hookspec
def coach_exploration_policies() -> Offer:
    """Exploration policies: from what the agent would like to what is done (`contracts.exploration`)."""
    return ()


@hookspec
def coach_layers() -> Offer:
    """Layers: what schemes are made of where they are spelled out (`contracts.network`)."""
    return ()


@hookspec
def coach_embedders() -> Offer:
    """Embedders: from one named input to features (`contracts.network`)."""
    return ()


@hookspec
def coach_middlewares() -> Offer:
    """Middlewares: from merged features to features (`contracts.network`)."""
    return ()


@hookspec
def coach_heads() -> Offer:
    """Heads: from features to what an agent's slot asks for (`contracts.network`)."""
    return ()


@hookspec
def coach_memories() -> Offer:
    """Memories: where experience lies until it is learned from (`contracts.memory`)."""
    return ()


@hookspec
def coach_agents() -> Offer:
    """Agents: losses, networks and the experience they are valid for (`contracts.agent`)."""
    return ()


@hookspec
def coach_environments() -> Offer:
    """Environments: N simulators behind one call (`contracts.environment`)."""
    return ()


@hookspec
def coach_schedules() -> Offer:
    """Schedules: values that change with training (`contracts.schedule`)."""
    return ()


@hookspec
def coach_engines() -> Offer:
    """Engines: who compiles, differentiates and owns the weights (`contracts.engine`)."""
    return ()


@hookspec
def coach_stores() -> Offer:
    """Stores: where policies and checkpoints are published (`contracts.store`)."""
    return ()


@hookspec
def coach_transports() -> Offer:
    """Transports: how experience travels between processes (`contracts.transport`)."""
    return ()


@hookspec
def coach_orchestrators() -> Offer:
    """Orchestrators: who starts trainers and workers (`contracts.orchestrator`)."""
    return ()


@hookspec
def coach_recorders() -> Offer:
    """Recorders: who writes down or shows what happened (`contracts.recorder`)."""
    return ()


@hookspec
def coach_evaluators() -> Offer:
    """Evaluators: how good a policy would be, judged from recorded experience (`contracts.evaluator`)."""
    return ()


@hookspec
def coach_presets() -> Sequence[Path]:
    """Folders whose ``*.toml`` files are presets; a preset's name is its file's name without the ending."""
    return ()


# What happened: called by the session, in this order. `StopRun` raised by one of these ends the run cleanly.


@hookspec
def coach_configure(config: Mapping[str, Any]) -> None:
    """The preset is resolved and nothing is built yet; `config` is read-only plain data."""


@hookspec
def coach_run_start(run: Any) -> None:
    """The parts are built and the first step comes next; `run` is a `coachcore.events.RunInfo`."""


@hookspec
def coach_event(run: Any, event: Any) -> None:
    """Something happened (`coachcore.events.Event`): between two steps, never inside one."""


@hookspec
def coach_checkpoint(run: Any, path: Path) -> None:
    """A checkpoint lies complete at `path`."""


@hookspec
def coach_run_end(run: Any, outcome: Any) -> None:
    """The run is over or was stopped, not by an error; `outcome` (`running.session.Outcome`) says why."""


# The command line: asked only when a command is unknown to the core, or by `coach doctor`.


@hookspec
def coach_commands() -> Mapping[str, Any]:
    """Further commands: name -> `click.Command`; ``"plugin NAME"`` is one of the group `coach plugin`."""
    return {}


@hookspec
def coach_doctor_checks() -> Mapping[str, Callable[[], str]]:
    """Checks of an outside system: name -> function that returns what is wrong, or an empty text."""
    return {}
