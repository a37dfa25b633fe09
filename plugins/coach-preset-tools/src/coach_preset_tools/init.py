"""`coach init`: a small sound preset to begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from tomllib import TOMLDecodeError, loads
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from coach_preset_tools.table import described, specs_at
from coachcore.errors import CoachError, Problems

if TYPE_CHECKING:
    from coachcore.registry.registry import Registry
    from coachcore.specs import ParamSpec

T = TypeVar("T", bound=Callable[..., Any])

CHOSEN = ("environment", "agent", "exploration", "memory")
"""Tables that a preset cannot do without; the engine has a default."""

FIRST = {"environment": "gymnasium", "agent": "dqn"}
"""Where nothing is said and these are installed."""


def _names(_context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Parts of the kind that the option is called after."""
    from coachcore.registry.registry import current

    entries = current().entries(str(param.name))
    return [
        CompletionItem(entry.spec.name, help=entry.spec.summary)
        for entry in entries
        if entry.spec.name.startswith(incomplete)
    ]


def _part(kind: str, text: str) -> Callable[[T], T]:
    return click.option(f"--{kind}", metavar="NAME", shell_complete=_names, help=text)


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@_part("environment", "Environment (default: gymnasium).")
@_part("agent", "Agent (default: dqn).")
@_part("exploration", "Exploration policy (default: one that goes with the agent).")
@_part("memory", "Memory (default: one that goes with the agent).")
@click.option(
    "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Also set this, e.g. environment.id='\"...\"'."
)
def init(file: Path | None, sets: tuple[str, ...], **chosen: str | None) -> None:
    """Write a small preset with comments to FILE, or print it.

    It is sound: `coach check` finds nothing. What is not chosen goes with what is,
    as in the presets that are installed.

    \b
    Examples:
      coach init mine.toml
      coach init --agent sac --set environment.id='"Pendulum-v1"' mine.toml
    """
    from coachcore.registry.registry import current

    text = written(_sound(chosen, sets, current()), current())
    if file is None:
        click.echo(text.rstrip("\n"))
        return
    try:
        with file.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise CoachError("there is a file already - give another name", where=str(file)) from None
    except OSError as error:
        raise CoachError(f"cannot be written: {error.strerror}", where=str(file)) from None
    click.echo(f"{file}: written; next: coach check {file}, coach run {file}")


def _sound(chosen: Mapping[str, str | None], sets: tuple[str, ...], registry: Registry) -> dict[str, Any]:
    """The first choice of parts that the checker takes; raises what it says of the likeliest where it takes none."""
    from coachcore.presets.preset import load_preset

    refused: Problems | None = None
    for tables in _choices(chosen, registry):
        try:
            preset = load_preset({"coach": 1, **tables}, sets=sets, registry=registry)
        except Problems as problems:
            refused = refused or problems
        else:
            return dict(preset.document)
    raise refused or CoachError("nothing to make a preset of is installed - install coach-gymnasium and coach-value")


def _choices(chosen: Mapping[str, str | None], registry: Registry) -> Iterator[dict[str, Any]]:
    """Tables for the four parts, and for the engine where the default one is not there; the likeliest first."""
    from coachcore.presets.places import DEFAULT_ENGINE

    shelf = list(_installed(registry))
    agent = chosen["agent"] or _first("agent", shelf, registry)
    like = [preset for preset in shelf if _means(preset, "agent", agent, registry)] or _akin(shelf, agent, registry)
    environment = chosen["environment"] or _first("environment", like, registry)
    names = {kind: _ordered(kind, like, registry) for kind in ("exploration", "memory")}
    names |= {kind: [name] for kind in names if (name := chosen[kind])}
    engines = [{}] if DEFAULT_ENGINE in _ordered("engine", like, registry) else _engines(like, registry)
    for engine, exploration, memory in product(engines, names["exploration"], names["memory"]):
        use = dict(zip(CHOSEN, (environment, agent, exploration, memory), strict=True))
        yield {kind: _table(kind, name, like, registry) for kind, name in use.items()} | engine


def _engines(like: list[Mapping[str, Any]], registry: Registry) -> list[dict[str, Any]]:
    """The table of each engine: the default one is not here."""
    return [{"engine": _table("engine", name, like, registry)} for name in _ordered("engine", like, registry)]


def _installed(registry: Registry) -> Iterator[Mapping[str, Any]]:
    """The installed presets that can be read, as they are written."""
    for name in registry.presets():
        try:
            yield loads(registry.preset(name).read_text(encoding="utf-8"))
        except (CoachError, OSError, TOMLDecodeError, UnicodeDecodeError):
            continue


def _use(preset: Mapping[str, Any], kind: str) -> str:
    table = preset.get(kind)
    use = table.get("use") if isinstance(table, Mapping) else None
    return use if isinstance(use, str) else ""


def _means(preset: Mapping[str, Any], kind: str, name: str, registry: Registry) -> bool:
    from coachcore.presets.layers import same

    return bool(_use(preset, kind)) and same(kind, _use(preset, kind), name, registry)


def _akin(shelf: list[Mapping[str, Any]], agent: str, registry: Registry) -> list[Mapping[str, Any]]:
    """Presets whose agent has the same actions and the same data; of no known agent, all."""
    from coachcore.presets.layers import agent_facts

    facts = agent_facts(agent, registry)
    wanted = (facts.get("actions"), facts.get("data"))
    pairs = [(preset, agent_facts(_use(preset, "agent"), registry)) for preset in shelf]
    return [preset for preset, other in pairs if (other.get("actions"), other.get("data")) == wanted] or shelf


def _ordered(kind: str, like: list[Mapping[str, Any]], registry: Registry) -> list[str]:
    """Parts of a kind, those that presets like this one use most often first."""
    counted = Counter(filter(None, (_use(preset, kind) for preset in like)))
    usable = [entry.spec.name for entry in registry.entries(kind) if entry.state == "ok"]
    return sorted(dict.fromkeys(usable), key=lambda name: (-counted[name], name))


def _first(kind: str, like: list[Mapping[str, Any]], registry: Registry) -> str:
    names = _ordered(kind, like, registry)
    if not names:
        raise CoachError(f"no {kind} is installed - `coach list-plugins --kind {kind}`")
    return FIRST[kind] if FIRST[kind] in names else names[0]


def _table(kind: str, name: str, like: list[Mapping[str, Any]], registry: Registry) -> dict[str, Any]:
    """`use`, and a value for each setting that has no default: as a preset like this one has it, else a sample."""
    given = [preset[kind] for preset in like if _means(preset, kind, name, registry)]
    specs = specs_at((kind,), name, registry).values()
    return {"use": name} | {spec.name: _usual(spec, given) for spec in specs if spec.required}


def _usual(spec: ParamSpec, given: list[Mapping[str, Any]]) -> Any:
    """The value that most of `given` have, of equals the first."""
    from coachcore.presets.writer import inline

    counted = Counter(inline(table[spec.name]) for table in given if spec.name in table)
    return loads(f"value = {counted.most_common(1)[0][0]}")["value"] if counted else _sample(spec)


def _sample(spec: ParamSpec) -> Any:
    """What a required setting takes, to be replaced."""
    from coachcore.presets.values import example

    text = example(spec).removeprefix(f"add {spec.name} = ").partition(" or one of")[0]
    try:
        return loads(f"value = {text}")["value"]
    except TOMLDecodeError:  # a part
        return {"use": "..."}


def written(document: Mapping[str, Any], registry: Registry) -> str:
    """The preset as text, a comment on every setting."""
    from coachcore.presets.writer import inline

    agent, environment = document["agent"], document["environment"]
    where = next((value for key, value in environment.items() if key != "use" and isinstance(value, str)), "")
    summary = f"{agent['use']} on {where or environment['use']}"
    lines = [
        "# What there is besides: coach fill, coach describe KIND/NAME, coach list-plugins.",
        "# Editors complete and check this file with: coach schema > coach.schema.json, and a first line",
        "# that reads  #:schema ./coach.schema.json",
        "coach = 1",
        f"summary = {inline(document.get('summary', summary))}",
        f"seed = {document.get('seed', 0)}",
    ]
    tables = {**document, "schedule": document.get("schedule") or _schedule()}
    for name, table in tables.items():
        if isinstance(table, Mapping):
            lines += ["", *_section(name, table, registry)]
    return "\n".join(lines) + "\n"


def _schedule() -> dict[str, Any]:
    from coachcore.presets.places import RUN

    return {spec.name: spec.default for spec in RUN["schedule"] if spec.name in ("heatup", "train", "evaluate")}


def _section(name: str, table: Mapping[str, Any], registry: Registry) -> Iterator[str]:
    from coachcore.presets.writer import inline, key_text

    specs = specs_at((name,), table.get("use"), registry)
    rows = {
        f"{key_text(key)} = {inline(value)}": _comment(name, key, value, specs, registry)
        for key, value in table.items()
    }
    room = max(map(len, rows), default=0)
    yield f"[{name}]"
    yield from (f"{row:<{room}}  # {comment}" if comment else row for row, comment in rows.items())


def _comment(kind: str, key: str, value: Any, specs: Mapping[str, ParamSpec], registry: Registry) -> str:
    if key in specs:
        return described(specs[key])
    if key == "use":
        return registry.resolve(kind, value).spec.summary.replace("`", "")
    return ""
