"""`coach describe`: one part, its settings and an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from coachcore.cli.completion import part_names
from coachcore.cli.find import find
from coachcore.cli.output import as_json, bare, setting, toml, wrapped
from coachcore.errors import BadSetting, UnknownName
from coachcore.registry.entry import Entry
from coachcore.registry.registry import current
from coachcore.specs import ParamSpec

PLACES: Mapping[str, str] = {
    **{kind: f"[{kind}]" for kind in ("environment", "agent", "exploration", "memory", "engine")},
    "recorder": "[[recorders]]",
    "store": "[store]",
    "orchestrator": "[orchestrator]",
    "embedder": "[agent.network.embedders.observation]",
    "middleware": "[agent.network.middleware]",
    "head": "[agent.network.heads.SLOT]",
    "layer": "[agent.network.middleware]",
    "schedule": "[exploration.epsilon]",
}
"""Kind -> the table of a preset where its part stands."""

_SAMPLES = {"int": 1, "float": 1.0, "bool": True, "str": "...", "duration": "1_000 steps", "schedule": 0.1, "table": {}}


@click.command()
@click.argument("part", metavar="[KIND/NAME]", default="", shell_complete=part_names)
@click.option("--pipeline", metavar="PRESET", default="", help="Show the filters of a preset instead, space by space.")
@click.option("--json", "json_", is_flag=True, help="The same, for programs.")
def describe(part: str, pipeline: str, json_: bool) -> None:
    """Show one part: what it is, its settings and an example.

    The kind may be left out where the name is unique; old names work too. With
    --pipeline, show a preset's filters in order and how each changes the space
    of what it is given; the environment is made for that.
    """
    if bool(part) == bool(pipeline):
        raise BadSetting("name a part, such as agent/dqn, or a preset with --pipeline, and not both")
    if pipeline:
        from coachcore.cli.pipeline import pipelines_told

        click.echo(pipelines_told(pipeline, json_=json_))
        return
    registry = current()
    found = find(registry, part)
    kinds = {entry.spec.kind for entry in found}
    entry = registry.choice.meant(found)[0] if len(kinds) == 1 else None
    if entry is None:
        raise UnknownName(f"'{part}' may be {' or '.join(entry.id for entry in found)} - say which")
    params = registry.params(entry)
    if json_:
        data = entry.spec._asdict() | {"params": [param._asdict() for param in params]}
        click.echo(as_json(id=entry.id, version=entry.version, **data))
        return
    example = _example(entry, params, registry.unmistakable(entry))
    click.echo("\n".join([*_head(entry), "", *_settings(params), "", "example", *example]))


def _head(entry: Entry) -> Iterator[str]:
    spec = entry.spec
    yield f"{spec.kind} {spec.name}"
    if spec.summary:
        yield wrapped(bare(spec.summary), "  ")
    told = {"id": entry.id, "version": entry.version, "class": spec.object, "also called": ", ".join(spec.aliases)}
    told |= {"since": spec.since, "needs": ", ".join(spec.needs)}
    told |= {
        key.replace("_", " "): value if isinstance(value, str) else toml(value) for key, value in spec.facts.items()
    }
    told |= {"state": f"{entry.state}: {entry.problem}" if entry.problem else entry.state}
    room = max(len(key) for key, value in told.items() if value)
    yield from (wrapped(f"{key:{room}}  {value}", "  ", " " * (room + 2)) for key, value in told.items() if value)


def _settings(params: tuple[ParamSpec, ...]) -> Iterator[str]:
    yield "settings" if params else "no settings"
    for param in params:
        yield f"  {setting(param)}" + ("  (required)" if param.required else "")
        yield wrapped("; ".join(filter(None, (bare(param.doc), *_limits(param)))), "      ")


def _limits(param: ParamSpec) -> Iterator[str]:
    from coachcore.component import range_text

    yield range_text(param._asdict())
    if param.choices:
        yield f"one of {', '.join(param.choices)}"
    if param.unit:
        yield f"in {param.unit}"
    yield param.deprecated


def _example(entry: Entry, params: tuple[ParamSpec, ...], use: str = "") -> Iterator[str]:
    """The part in a preset: required settings with a value that would be taken, the others at their default."""
    spec = entry.spec
    acts_on = spec.facts.get("acts_on", "observation")
    filtered = acts_on if isinstance(acts_on, str) else acts_on[0]
    yield f"  [[filters.{filtered}]]" if spec.kind == "filter" else f"  {PLACES.get(spec.kind, f'[{spec.kind}]')}"
    table = {"use": use or spec.name}
    table |= {param.name: _sample(param) if param.required else param.default for param in params}
    table = {name: value for name, value in table.items() if value is not None}
    if spec.kind == "layer":
        yield f"  scheme = [{toml(table)}]"
        return
    yield from (f"  {name} = {toml(value)}" for name, value in table.items())


def _sample(param: ParamSpec) -> Any:
    first = param.type.partition("|")[0].strip()
    single = first.removesuffix("[]")
    value: Any = param.choices[0] if param.choices else _SAMPLES.get(single, {"use": "..."})
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = _inside(param, value)
    return [value] if first.endswith("[]") else value


def _inside(param: ParamSpec, value: float) -> float:
    """`value`, or the nearest to it that the bounds allow."""
    step = 1 if isinstance(value, int) else 0.1
    lowest = [bound for bound in (param.ge, None if param.gt is None else param.gt + step) if bound is not None]
    highest = [bound for bound in (param.le, None if param.lt is None else param.lt - step) if bound is not None]
    return min([*highest, max([value, *lowest])])
