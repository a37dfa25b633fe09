"""`coach describe --pipeline PRESET`: its filters in order, and how each changes the spaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from coachcore.cli.output import SCHEMA, table

if TYPE_CHECKING:
    from coachcore.contracts.experiment import Experiment
    from coachcore.spaces import Space

Steps = list[tuple[str, str]]


def pipelines_told(preset: str, *, json_: bool) -> str:
    """Every pipeline of a preset, as text or as JSON; its environment is made, since it says what comes in."""
    from coachcore.presets.build import build
    from coachcore.presets.preset import load_preset

    told = dict(_pipelines(build(load_preset(preset))))
    if json_:
        from json import dumps

        steps = {name: [{"step": step, "space": space} for step, space in rows] for name, rows in told.items()}
        return dumps({"schema": SCHEMA, "preset": preset, "pipelines": steps}, indent=1)
    return "\n".join(line for name, steps in told.items() for line in (name, *table(("", *step) for step in steps)))


def _pipelines(experiment: Experiment) -> Iterator[tuple[str, Steps]]:
    from coachcore.running.problem import pipelines_of

    environment = experiment.environment.make(1)
    try:
        spaces = environment.spaces
        seen = pipelines_of(experiment, spaces).spaces  # here what does not fit is refused
    finally:
        environment.close()
    filters: Mapping[str, Sequence[Any]] = experiment.filters.observation
    for name, space in spaces.observation.items():
        yield f"observation '{name}'", _steps("the environment shows", space, filters.get(name, ()), "the network sees")
    yield "reward", _steps("the environment gives", spaces.reward, experiment.filters.reward, "the agent is given")
    action = _steps("the environment takes", spaces.action, experiment.filters.action, "")
    yield "action", [*action, ("the agent chooses", f"{seen.action}")]


def _steps(first: str, space: Space, rules: Sequence[Any], last: str) -> Steps:
    from coachcore.component import spec_of

    steps = [(first, f"{space}")]
    for rule in rules:
        space = rule.space(space)
        stored = "" if getattr(rule, "stored", True) else ", not stored"
        steps.append((f"{spec_of(rule).name}{stored}", f"{space}"))
    return [*steps, (last, f"{space}")] if last else steps
