"""What a part is: a frozen attrs class whose fields are its settings, its TOML keys and its documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import attrs

from coachcore.deprecated import Deprecated, warn_once
from coachcore.errors import BadSetting, did_you_mean
from coachcore.specs import API, KINDS, ComponentSpec, ParamSpec

__all__ = [
    "API",
    "KINDS",
    "NOTHING",
    "ComponentSpec",
    "Fixed",
    "FloatOrVector",
    "IntOrVector",
    "ParamSpec",
    "Schedule",
    "complaint",
    "component",
    "param",
    "params_of",
    "plain",
    "range_text",
    "spec_of",
]

NOTHING = attrs.NOTHING
T = TypeVar("T")

FloatOrVector = float | tuple[float, ...]
IntOrVector = int | tuple[int, ...]
Schedule = Any
"""A setting that may change over time: built to a callable from step to value (see `contracts.schedule`)."""


def param(  # noqa: PLR0913 - all by keyword: what a setting may say of itself
    *,
    doc: str,
    default: Any = NOTHING,
    factory: Callable[[], Any] | None = None,
    type: str = "",  # noqa: A002 - the word authors expect
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    choices: Iterable[str] = (),
    unit: str = "",
    check: Callable[[Any, Any, Any], None] | None = None,
    deprecated: tuple[str, str, str] | None = None,
) -> Any:
    """A setting of a part.

    `type` is worked out from the annotation; give it to say ``duration``, or to
    name a kind of part (``schedule``). Bounds and `choices` are checked when the
    part is made and, from the manifest, when a preset is checked. `check` is an
    attrs validator for whatever these cannot say. A schedule takes a plain
    number too, which then never changes. `deprecated` says since which version,
    until which and what to use instead, see `coachcore.deprecated.Deprecated`;
    whoever sets it to something other than its default is told once.
    """
    facts: dict[str, Any] = {"doc": doc, "type": type, "unit": unit, "choices": tuple(choices)}
    facts["deprecated"] = str(Deprecated(*deprecated)) if deprecated else ""
    facts |= {"ge": ge, "gt": gt, "le": le, "lt": lt}
    validators = [_within] if check is None else [_within, check]
    given: dict[str, Any] = {"default": default} if factory is None else {"factory": factory}
    converter = _CONVERTERS.get(type, _tidy)
    if default is None:  # a setting that may be left out, also where it is a schedule
        converter = attrs.converters.optional(converter)
    return attrs.field(metadata={"coach": facts}, validator=validators, converter=converter, **given)


def component(
    kind: str,
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    since: str = "0.1",
    stability: str = "stable",
    needs: tuple[str, ...] = (),
    **facts: Any,
) -> Callable[[type[T]], type[T]]:
    """Mark a frozen attrs class as the part `name` of `kind`; registers nothing, imports nothing.

    An entry point in the kind's group (or a `coach_<kinds>` hook) is what makes
    it known. `facts` say what other parts must know without importing this one:
    ``acts_on`` for filters, ``provides`` for heads, ``slots`` for agents.
    """
    if kind not in KINDS:
        raise BadSetting(f"there is no kind of part called {kind!r} - {did_you_mean(kind, KINDS)}")

    def mark(cls: type[T]) -> type[T]:
        described: bool = attrs.has(cls)
        if not described:
            raise BadSetting(
                f"{cls.__qualname__} must be an attrs class: put @attrs.frozen(kw_only=True) below @component"
            )
        summary = (cls.__doc__ or "").strip().partition("\n")[0]
        where = f"{cls.__module__}:{cls.__qualname__}"
        spec = ComponentSpec(kind, name, where, summary, aliases, since, stability, needs, facts, params_of(cls))
        cls.__coach__ = spec  # type: ignore[attr-defined]
        return cls

    return mark


def params_of(cls: type) -> tuple[ParamSpec, ...]:
    """The settings of an attrs class as data, in the order of its fields."""
    return tuple(_spec(field) for field in attrs.fields(cls) if field.init)


def spec_of(part: Any) -> ComponentSpec:
    """The spec of a part or of its class; raises `BadSetting` for anything else."""
    spec = getattr(part, "__coach__", None)
    if spec is None:
        raise BadSetting(f"{part!r} is not a part: it lacks @component")
    return spec  # type: ignore[no-any-return]


def _spec(field: Any) -> ParamSpec:
    facts = dict(field.metadata.get("coach", {}))
    declared = facts.pop("type", "") or _type_name(field.type)
    required = field.default is attrs.NOTHING
    default = None if required else field.default
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        default = default.factory()  # type: ignore[union-attr]
    return ParamSpec(field.name, declared, required, plain(default), **facts)


_TYPE_NAMES = {float: "float", int: "int", bool: "bool", str: "str", "float": "float", "int": "int"}
_TYPE_NAMES |= {"bool": "bool", "str": "str", "FloatOrVector": "float | float[]", "IntOrVector": "int | int[]"}
_TYPE_NAMES |= {"Schedule": "schedule", "Duration": "duration", "Duration | None": "duration"}


def _type_name(annotation: Any) -> str:
    """The TOML type an annotation stands for: ``"tuple[float, ...] | None"`` -> ``"float[]"``."""
    if annotation in _TYPE_NAMES:
        return _TYPE_NAMES[annotation]
    text = annotation if isinstance(annotation, str) else str(annotation)
    names = [_single(part.strip()) for part in text.split("|") if part.strip() not in ("None", "NoneType")]
    return " | ".join(dict.fromkeys(names)) or _single(text)  # nothing but None is no type


def _single(text: str) -> str:
    if text in _TYPE_NAMES:
        return _TYPE_NAMES[text]
    if text.startswith("tuple[") and text.endswith(", ...]"):
        return _single(text[6:-6]) + "[]"
    if text.removeprefix("collections.abc.").startswith(("Mapping[", "dict[")):
        return "table"
    raise BadSetting(
        f"a setting cannot be annotated {text!r}; use float, int, bool, str, a tuple of these, or param(type=...)"
    )


def plain(value: Any) -> Any:
    """A setting as TOML-like data: tuples become lists, parts become tables with `use`, durations text."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Fixed):
        return value.value
    if hasattr(value, "__coach__"):
        given = {f.name: getattr(value, f.name) for f in attrs.fields(type(value)) if f.init}
        return {"use": value.__coach__.name} | {k: plain(v) for k, v in given.items() if v is not None}
    if attrs.has(type(value)) and type(value).__name__ != "Duration":
        return {f.name: plain(getattr(value, f.name)) for f in attrs.fields(type(value)) if f.init}
    return value if value is None or isinstance(value, int | float | bool | str) else str(value)


@attrs.frozen
class Fixed:
    """A schedule that never changes: what a plain number becomes where a schedule may stand."""

    value: float

    def __call__(self, step: float) -> float:  # noqa: ARG002 - the same at every step
        return self.value


def _schedule(value: Any) -> Any:
    if isinstance(value, bool) or not (callable(value) or isinstance(value, int | float)):
        raise BadSetting(f"expected a number or a schedule, got {value!r}")
    return value if callable(value) else Fixed(float(value))


def _schedules(value: Any) -> Any:
    return tuple(_schedule(item) for item in value)


def _duration(value: Any) -> Any:
    from coachcore.clock import Duration

    return None if value is None else Duration.parse(value)


def _tidy(value: Any) -> Any:
    return tuple(_tidy(item) for item in value) if isinstance(value, list | tuple) else value


_CONVERTERS: dict[str, Any] = {"schedule": _schedule, "schedule[]": _schedules, "duration": _duration}

_BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "ge": (">=", lambda value, bound: value >= bound),
    "gt": (">", lambda value, bound: value > bound),
    "le": ("<=", lambda value, bound: value <= bound),
    "lt": ("<", lambda value, bound: value < bound),
}


def range_text(spec: Mapping[str, Any]) -> str:
    """The accepted range in words: ``"> 0 and <= 1"``; empty when unbounded."""
    return " and ".join(f"{sign} {spec[key]:g}" for key, (sign, _) in _BOUNDS.items() if spec.get(key) is not None)


def complaint(value: Any, facts: Mapping[str, Any]) -> str:
    """What is wrong with one value's range or choice, in words; empty when nothing is."""
    given = value if isinstance(value, tuple | list) else (value,)
    values = [item for item in given if not hasattr(item, "__coach__")]  # a part is judged by itself
    choices = facts.get("choices") or ()
    for word in values:
        if choices and (counted := getattr(word, "unit", "")) and counted not in choices:  # the units of a duration
            return f"'{counted}' cannot be counted here; use one of {', '.join(choices)}"
        if choices and isinstance(word, str) and word not in choices:
            return f"'{word}' is not a choice here - {did_you_mean(word, choices)}"
    for number in (getattr(item, "amount", item) for item in values):
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        if any(facts.get(key) is not None and not holds(number, facts[key]) for key, (_, holds) in _BOUNDS.items()):
            return f"{number!r} is out of range - must be {range_text(facts)}"
    return ""


def _within(_part: Any, field: Any, value: Any) -> None:
    values = value if isinstance(value, tuple) else (value,)
    numbers = tuple(item.value if isinstance(item, Fixed) else item for item in values)
    found = complaint(numbers, field.metadata["coach"])
    if found:
        raise BadSetting(found, where=field.name)
    gone = field.metadata["coach"]["deprecated"]
    if gone and plain(value) != _spec(field).default:
        warn_once(f"setting '{field.name}' of {type(_part).__name__} is {gone}", 5)
