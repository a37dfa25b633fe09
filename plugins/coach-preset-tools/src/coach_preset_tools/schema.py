"""`coach schema`: a JSON Schema of presets, made from what is installed, for the TOML extension of an editor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from coach_preset_tools.table import described
from coachcore.cli.completion import kind_names
from coachcore.errors import CoachError
from coachcore.specs import KINDS

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry
    from coachcore.registry.registry import Registry
    from coachcore.specs import ParamSpec

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The one that editors of TOML know best."""

_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_PLAIN = {"float": "number", "int": "integer", "bool": "boolean", "str": "string", "table": "object"}

Schema = dict[str, Any]


@click.command()
@click.argument("kind", required=False, shell_complete=kind_names)
@click.option("--preset", "whole", is_flag=True, help="Of whole presets; this is so where no KIND is given.")
def schema(kind: str | None, *, whole: bool) -> None:
    """Print a JSON Schema of presets, or of the parts of one KIND, with all that is installed.

    \b
    It accepts every preset that `coach check` accepts; check knows more.
      coach schema > coach.schema.json
    and on top of a preset, for editors that read it there:
      #:schema ./coach.schema.json
    """
    from json import dumps

    from coachcore.registry.registry import current

    if kind is not None and whole:
        raise click.UsageError("give a KIND or --preset, not both")
    made = preset_schema(current()) if kind is None else kind_schema(kind, current())
    click.echo(dumps(made, indent=1, ensure_ascii=False))


def preset_schema(registry: Registry) -> Schema:
    """The schema of a whole preset."""
    from coachcore.presets import places

    parts = {kind: {"$ref": f"#/definitions/{kind}"} for kind in (*places.PARTS, *places.OPTIONAL)}
    properties = {spec.name: setting(spec) for spec in places.HEAD}
    properties |= {"extends": _EXTENDS, **parts, "filters": _filters(registry), "recorders": _list_of("recorder")}
    properties |= {name: _table(specs) for name, specs in places.RUN.items()}
    missing = [kind for kind in places.PARTS if kind != "engine"]
    return {
        "$schema": DIALECT,
        "title": "Coach preset",
        "description": "What a run of Coach is made of.",
        "type": "object",
        "properties": {name: properties[name] for name in places.TOP},
        "additionalProperties": False,
        "required": ["coach"],
        # A preset that extends another need not name what that one names.
        "if": {"not": {"required": ["extends"]}},
        "then": {"required": missing, "properties": {kind: _alone(registry, kind) for kind in missing}},
        "definitions": definitions(registry),
    }


def kind_schema(kind: str, registry: Registry) -> Schema:
    """The schema of the table of one part of `kind`; raises `UnknownName` for a kind that there is not."""
    registry.entries(kind)
    return {
        "$schema": DIALECT,
        "title": f"Coach {kind}",
        "allOf": [{"$ref": f"#/definitions/{kind}"}, _alone(registry, kind)],
        "definitions": definitions(registry),
    }


_EXTENDS = {
    "description": "preset that this one is laid over: a name, a path, or a list of these",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}


def definitions(registry: Registry) -> Schema:
    """What the parts of each kind look like, by kind and by full id."""
    made: Schema = {}
    for kind in KINDS:
        entries = _usable(registry, kind)
        rules = [
            {"if": _named(entry, registry), "then": {"$ref": f"#/definitions/{_pointer(entry)}"}} for entry in entries
        ]
        made[kind] = {
            "type": "object",
            "properties": {"use": _names(entries, kind, registry)},
            **({"allOf": rules} if rules else {}),
        }
        made |= {_pointer(entry): _part(entry, registry) for entry in entries}
    return made


def setting(spec: ParamSpec) -> Schema:
    """One setting: what it is, its default, and what it takes."""
    from coachcore.presets.values import types_of

    told: Schema = {"title": spec.name, "description": described(spec)}
    if spec.default is not None:
        told["default"] = spec.default
    if getattr(spec, "deprecated", ""):
        told |= {"deprecated": True, "description": f"{described(spec)} ({spec.deprecated})"}
    forms = [_form(name, spec) for name in types_of(spec)]
    return told | (forms[0] if len(forms) == 1 and "$ref" not in forms[0] else {"anyOf": forms})


def _form(name: str, spec: ParamSpec) -> Schema:
    """What a value of one type looks like."""
    if name.endswith("[]"):
        return {"type": "array", "items": _form(name.removesuffix("[]"), spec)}
    if name == "schedule":
        return {"anyOf": [{"type": "number", **_bounds(spec)}, {"$ref": "#/definitions/schedule"}]}
    if name in KINDS:
        return {"$ref": f"#/definitions/{name}"}
    if name == "duration":
        return {"type": "string", "pattern": _duration(spec.choices)}
    if name == "evaluate":
        from coachcore.presets.places import EVALUATE

        return _table(EVALUATE)
    form: Schema = {"type": _PLAIN[name]}
    if name == "str" and spec.choices:
        form["enum"] = list(spec.choices)
    return form | (_bounds(spec) if name in ("int", "float") else {})


def _bounds(spec: ParamSpec) -> Schema:
    return {word: getattr(spec, key) for key, word in _BOUNDS.items() if getattr(spec, key) is not None}


def _duration(units: Sequence[str]) -> str:
    from coachcore.clock import UNITS

    words = "|".join(f"{unit.removesuffix('s')}s?" for unit in units or UNITS)
    return rf"^\s*[0-9][0-9_]*\s*({words})\s*$"


def _table(specs: Iterable[ParamSpec]) -> Schema:
    known = list(specs)
    made: Schema = {"type": "object", "properties": {spec.name: setting(spec) for spec in known}}
    made["additionalProperties"] = False
    needed = [spec.name for spec in known if spec.required]
    return made | ({"required": needed} if needed else {})


def _usable(registry: Registry, kind: str) -> list[Entry]:
    return [entry for entry in registry.entries(kind) if entry.state in ("ok", "clash")]


def _words(entry: Entry, registry: Registry) -> list[str]:
    """All that `use` may say to mean this part; first its own name, where that is not another's too."""
    kind, name = entry.spec.kind, entry.spec.name
    short = [word for word in (name, *entry.spec.aliases) if _meant(word, kind, registry) == entry.id]
    return [*short, entry.id, f"{entry.dist}:{name}"]


def _meant(word: str, kind: str, registry: Registry) -> str:
    try:
        return registry.resolve(kind, word).id
    except CoachError:  # two have the name
        return ""


def _names(entries: Sequence[Entry], kind: str, registry: Registry) -> Schema:
    """``use``: the names to choose from, and the other ways of saying them."""
    told = {"title": kind, "description": f"which {kind}"}
    words = [_words(entry, registry) for entry in entries]
    others = [word for one in words for word in one[1:]]
    named = [{"const": one[0], "description": entry.spec.summary} for one, entry in zip(words, entries, strict=True)]
    if not named:
        return {**told, "not": {}}  # none is installed
    return {**told, "anyOf": [*named, {"enum": others, "description": "an old name, or a full id"}]}


def _named(entry: Entry, registry: Registry) -> Schema:
    return {"properties": {"use": {"enum": _words(entry, registry)}}, "required": ["use"]}


def _pointer(entry: Entry) -> str:
    """The place of a part among the definitions; a slash would have to be escaped."""
    return f"{entry.spec.kind}.{entry.dist}.{entry.spec.name}"


def _part(entry: Entry, registry: Registry) -> Schema:
    """The table of one part; of one without a manifest nothing is known."""
    spec = entry.spec
    made: Schema = {"title": spec.name, "description": spec.summary}
    if spec.params is None:
        return made
    made["properties"] = {
        "use": True,
        **{param.name: setting(param) for param in spec.params},
        **_beside(entry, registry),
    }
    return made | {"additionalProperties": False}


def _alone(registry: Registry, kind: str) -> Schema:
    """What a table of this kind needs where no lower layer can have it."""
    rules: list[Schema] = []
    for entry in _usable(registry, kind):
        needed = [spec.name for spec in entry.spec.params or () if spec.required]
        rules += [{"if": _named(entry, registry), "then": {"required": needed}}] if needed else []
    return {"required": ["use"], **({"allOf": rules} if rules else {})}


def _list_of(kind: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/definitions/{kind}"}}


def _filters(registry: Registry) -> Schema:
    """Three pipelines: of rewards, of actions, and of any observation."""

    def pipeline(on: str) -> Schema:
        fit = [entry for entry in _usable(registry, "filter") if _acts(entry, on)]
        items = {"allOf": [{"$ref": "#/definitions/filter"}, {"properties": {"use": _names(fit, "filter", registry)}}]}
        return {"type": "array", "items": items}

    named = {name: pipeline(name) for name in ("reward", "action")}
    return {"type": "object", "properties": named, "additionalProperties": pipeline("observation")}


def _acts(entry: Entry, on: str) -> bool:
    """Also where nothing is known of the filter."""
    acts_on = entry.spec.facts.get("acts_on", on)
    return on in ((acts_on,) if isinstance(acts_on, str) else acts_on)


def _beside(entry: Entry, registry: Registry) -> Schema:
    """What stands beside the settings of an environment or an agent, and is not the part's."""
    from coachcore.presets import places

    if entry.spec.kind == "environment":
        return {places.COUNT.name: setting(places.COUNT)}
    if entry.spec.kind != "agent":
        return {}
    facts = entry.spec.facts
    learner = {"learner": _table(places.LEARNER)}
    if places.several(facts):
        inner = {name: _network(_slots(facts, name), registry) for name in places.named(facts)}
        return {"networks": {"type": "object", "properties": inner, "additionalProperties": False}, **learner}
    if places.several(facts) is None:
        return {"network": _network(None, registry), "networks": {"type": "object"}, **learner}
    return {"network": _network(facts["slots"], registry), **learner}


def _slots(facts: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The head slots of one network; None of one without parts."""
    return {} if name in facts.get("free", ()) else facts["slots"].get(name)


def _network(slots: Mapping[str, Any] | None, registry: Registry) -> Schema:
    """A network's table; a head slot offers the heads that provide what it asks for."""
    from coachcore.presets import places

    made = _table(places.NETWORK)
    heads: Schema = {"type": "object", "additionalProperties": {"$ref": "#/definitions/head"}}
    if slots is not None:
        fitting = {slot: _head(wanted, registry) for slot, wanted in slots.items()}
        heads |= {"properties": fitting, "additionalProperties": False}
    made["properties"] |= {
        "embedders": {"type": "object", "additionalProperties": {"$ref": "#/definitions/embedder"}},
        "middleware": {"$ref": "#/definitions/middleware"},
        "heads": heads,
    }
    return made


def _head(wanted: Any, registry: Registry) -> Schema:
    able = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    heads = _usable(registry, "head")
    fit = [head for head in heads if head.spec.params is None or head.spec.facts.get("provides") in able]
    return {"allOf": [{"$ref": "#/definitions/head"}, {"properties": {"use": _names(fit, "head", registry)}}]}
