"""`coach_plugin.json`: what a distribution offers, as data beside its package; written by `coach plugin sync`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from re import fullmatch
from typing import Any, NamedTuple

from coachcore.errors import CoachError
from coachcore.registry.entry import REFUSED, standing
from coachcore.specs import API, KINDS, ComponentSpec, ParamSpec

FILE = "coach_plugin.json"
VERSION = 1
_PARAM_KEYS = frozenset(ParamSpec._fields)
_BOUNDS = frozenset(("ge", "gt", "le", "lt"))
_SPEC_KEYS = frozenset(ComponentSpec._fields)


class Manifest(NamedTuple):
    """A manifest, read. For another major API only `api` and `dist` are known: the rest may have another form."""

    dist: str
    api: str
    components: Mapping[tuple[str, str], ComponentSpec]  # by kind and name
    presets: str = ""  # folder of presets, relative to the package
    hooks: bool = False  # does the `coach.plugins` module implement hooks?


def read(path: Path) -> Manifest:
    """The manifest at `path`; raises `CoachError` saying what is wrong with it, and where."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise CoachError(f"cannot be read: {error.strerror}", where=path.name) from None
    except (ValueError, RecursionError) as error:
        raise _bad(f"is not JSON: {error}") from None
    return _manifest(data)


def _manifest(data: Any) -> Manifest:
    _want(isinstance(data, dict), "should be one object")
    api, dist = data.get("api"), data.get("dist")
    _want(isinstance(api, str) and fullmatch(r"\d+\.\d+", api), f'has no API version such as "1.0": {api!r}')
    _want(isinstance(dist, str), "does not name its distribution")
    state, newer = standing(api)
    if state in REFUSED:
        return Manifest(dist, api, {})
    _want(data.get("manifest") == VERSION, f"has form {data.get('manifest')!r}, this core reads form {VERSION}")
    presets, components = data.get("presets", ""), data.get("components", [])
    _want(isinstance(presets, str) and _inside(presets), f"presets should be a folder of the package, got {presets!r}")
    _want(isinstance(components, list), "components should be a list")
    parts = filter(None, map(_understood, components)) if newer else components
    specs = [spec_from(part) for part in parts]
    return Manifest(dist, api, {(spec.kind, spec.name): spec for spec in specs}, presets, data.get("hooks") is True)


def _understood(part: Any) -> Any:
    """A part that a newer minor version of the API describes, without what it added; None for a kind it added."""
    if not isinstance(part, dict) or not isinstance(part.get("params", []), list):
        return part
    params = [_only(param, _PARAM_KEYS) for param in part.get("params", [])]
    return _only(part, _SPEC_KEYS) | {"params": params} if str(part.get("kind")) in KINDS else None


def _only(table: Any, keys: frozenset[str]) -> Any:
    return {key: value for key, value in table.items() if key in keys} if isinstance(table, dict) else table


def spec_from(data: Any) -> ComponentSpec:
    """A part from its manifest form; raises `CoachError`."""
    _want(isinstance(data, dict), "a component should be an object, got {!r}", data)
    name, odd = data.get("name"), data.keys() - _SPEC_KEYS
    for key in ("kind", "name", "object"):
        _want(isinstance(data.get(key), str), "{}: {} should be text", name, key)
    for key in ("summary", "since", "stability"):
        _want(isinstance(data.get(key, ""), str), "{}: {} should be text", name, key)
    _want(data["kind"] in KINDS, "{}: there is no kind of part called {!r}", name, data["kind"])
    _want(not odd, "{}: unknown key {!r}", name, min(odd, default=""))
    facts, params = data.get("facts", {}), data.get("params", [])
    _want(isinstance(facts, dict) and isinstance(params, list), "{}: facts should be a table and params a list", name)
    lists = {key: _texts(data.get(key, []), name, key) for key in ("aliases", "needs")}
    return ComponentSpec(**{**data, **lists, "params": tuple([_param(param, name) for param in params])})


def _param(data: Any, owner: Any) -> ParamSpec:
    _want(isinstance(data, dict), "{}: a parameter should be an object, got {!r}", owner, data)
    name, odd = data.get("name"), data.keys() - _PARAM_KEYS
    _want(isinstance(name, str) and isinstance(data.get("type"), str), "{}: a parameter needs a name and a type", owner)
    _want(not odd, "{}.{}: unknown key {!r}", owner, name, min(odd, default=""))
    for key in data.keys() & _BOUNDS:
        _want(isinstance(data[key], int | float), "{}.{}: {} should be a number", owner, name, key)
    if "choices" in data:
        return ParamSpec(**{**data, "choices": _texts(data["choices"], f"{owner}.{name}", "choices")})
    return ParamSpec(**data)


def _texts(value: Any, owner: Any, key: str) -> tuple[str, ...]:
    sound = isinstance(value, list) and all([isinstance(item, str) for item in value])  # noqa: C419 - half the time
    _want(sound, "{}: {} should be a list of texts", owner, key)
    return tuple(value)


def _inside(folder: str) -> bool:
    return not (folder.startswith(("/", "\\")) or ":" in folder or ".." in folder.replace("\\", "/").split("/"))


def _want(holds: Any, complaint: str, *values: Any) -> None:
    """Complain unless it `holds`; `values` are put into the text only then, since this runs for every setting."""
    if not holds:
        raise _bad(complaint.format(*values) if values else complaint)


def _bad(complaint: str) -> CoachError:
    return CoachError(f"{complaint} - run `coach plugin sync`", where=FILE)


def to_json(spec: ComponentSpec) -> dict[str, Any]:
    """A part in its manifest form: what is empty or at its default is left out."""
    table = _filled(spec._asdict())
    table["params"] = [_param_table(param) for param in spec.params or ()]
    return table


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value not in ("", None, [], (), {})}


def _param_table(param: ParamSpec) -> dict[str, Any]:
    table = _filled(param._asdict())
    if not param.required:
        del table["required"]
        table["default"] = param.default
    return table


def render(dist: str, specs: list[ComponentSpec], *, presets: str = "", hooks: bool = False) -> str:
    """The manifest's text: the same for the same parts, whatever order they come in."""
    head: dict[str, Any] = {"manifest": VERSION, "api": f"{API[0]}.{API[1]}", "dist": dist}
    if hooks:
        head["hooks"] = True
    if presets:
        head["presets"] = presets
    head["components"] = [to_json(spec) for spec in sorted(specs, key=lambda spec: (spec.kind, spec.name))]
    return json.dumps(head, indent=1, ensure_ascii=False) + "\n"
