"""Whether a value is of the type a setting asks for: strict, and saying what would work."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from coachcore.clock import Duration
from coachcore.component import KINDS, ParamSpec, complaint
from coachcore.errors import BadSetting
from coachcore.presets.tree import Node, plain
from coachcore.presets.writer import inline, told

_WORDS = {
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "str": "text",
    "duration": 'a duration such as "10_000 steps"',
    "table": "a table",
    "schedule": "a number or a schedule (a table with `use`)",
    "evaluate": "a table",
}
_PLURALS = {"float": "numbers", "int": "whole numbers", "bool": "true or false", "str": "texts"}
_PLURALS |= {"duration": "durations", "table": "tables", "schedule": "numbers or schedules"}
_SAMPLES = {"float": "1.0", "int": "1", "bool": "true", "str": '"..."', "duration": '"10_000 steps"', "schedule": "0.1"}


def types_of(spec: ParamSpec) -> tuple[str, ...]:
    """``"float | float[]"`` -> ``("float", "float[]")``."""
    return tuple(part.strip() for part in spec.type.split("|"))


def part_kind(spec: ParamSpec) -> str | None:
    """The kind of part that may stand where this setting (or an item of it) does."""
    names = {name.removesuffix("[]") for name in types_of(spec)}
    return next((kind for kind in KINDS if kind in names), None)


def items_of(spec: ParamSpec) -> ParamSpec | None:
    """An item of a list that stands here, as a setting of its own: ``"str | int[] | layer[]"`` -> ``"int | layer"``."""
    inner = [name.removesuffix("[]") for name in types_of(spec) if name.endswith("[]")]
    return spec._replace(type=" | ".join(inner)) if inner else None


def wording(spec: ParamSpec) -> str:
    """The types in words: ``a number or a list of numbers``."""
    single = [_word(name) for name in types_of(spec) if not name.endswith("[]")]
    item = items_of(spec)
    if item is not None:
        several = [_PLURALS.get(name, f"{name} tables") for name in types_of(item)]
        single.append(f"a list of {' and '.join(several)}")
    return " or ".join(single)


def _word(name: str) -> str:
    return _WORDS.get(name, f"a table that names a part ({name}) with `use`")


def fits(value: Any, name: str) -> bool:
    """Is this single plain value of the type `name`? Nothing is converted: true is no 1, 3.7 no int, "3" no number."""
    if isinstance(value, bool):
        return name == "bool"
    if name in ("float", "schedule"):
        return isinstance(value, int | float) or (name == "schedule" and isinstance(value, Mapping))
    if name == "int":
        return isinstance(value, int)
    if name in ("str", "duration"):
        return isinstance(value, str)
    return isinstance(value, Mapping) and name != "bool" and not name.endswith("[]")


def tidied(value: Any, name: str) -> Any:
    """A fitting value in one form: whole numbers as floats where floats are wanted, durations spelt out."""
    if name in ("float", "schedule") and isinstance(value, int):
        return float(value)
    return str(Duration.parse(value)) if name == "duration" else value


class Fault(NamedTuple):
    """A value, or one item of it, that a setting cannot take."""

    node: Node
    message: str


def faults(node: Node, spec: ParamSpec, label: str = "") -> tuple[str, list[Fault]]:
    """The type that the value has, and everything wrong with it; a list is judged item by item."""
    label, one = label or spec.name, items_of(spec)
    if one is not None and isinstance(node.value, list):
        items = [faults(item, one, f"{label}[{index}]")[1] for index, item in enumerate(node.value)]
        return "list", [fault for found in items for fault in found]
    value = plain(node)
    name = next((name for name in types_of(spec) if fits(value, name)), "")
    message = _wrong(value, name, spec)
    return name, [Fault(node, f"{label}: {message}")] if message else []


def _wrong(value: Any, name: str, spec: ParamSpec) -> str:
    """What is wrong with a single value, in words; empty when nothing is. `name` is its type."""
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return "a whole number must fit into 64 bits"
    if not name:
        return f"expected {wording(spec)}, got {told(value)}{_hint(value, spec)}"
    if name == "duration":
        return _wrong_duration(value, spec)
    return _unbounded(value, spec) or complaint(value, spec._asdict())


def _wrong_duration(value: str, spec: ParamSpec) -> str:
    """`choices` of a duration are the units that it may have."""
    try:
        return complaint(Duration.parse(value), spec._asdict())
    except BadSetting as error:
        return error.message


def _unbounded(value: Any, spec: ParamSpec) -> str:
    bounded = any(bound is not None for bound in (spec.ge, spec.gt, spec.le, spec.lt))
    strange = bounded and isinstance(value, float) and not isfinite(value)
    return f"{inline(value)} is out of range - must be a finite number" if strange else ""


def _hint(value: Any, spec: ParamSpec) -> str:
    """What would work, where the slip is a common one."""
    names = types_of(spec)
    if isinstance(value, str):
        instead = _unquoted(value, names)
    elif names == ("int",) and isinstance(value, float) and value.is_integer():
        instead = str(int(value))
    elif names == ("bool",) and value in (0, 1):
        instead = "true" if value else "false"
    elif names == ("duration",) and isinstance(value, int) and not isinstance(value, bool):
        instead = f'"{value:_} steps" if steps are meant'
    elif names == ("str",) and not isinstance(value, dict | list):
        instead = f'"{inline(value)}" with quotes'
    else:
        instead = ""
    return f" - write {instead}" if instead else ""


def _unquoted(value: str, names: tuple[str, ...]) -> str:
    """What to write for a number or a truth value in quotes."""
    numeric = any(name in ("float", "int", "schedule") for name in names)
    if numeric and _number(value) is not None:
        return f"{value} without quotes"
    if names == ("bool",):
        return f"{value} without quotes" if value in ("true", "false") else "true or false without quotes"
    return ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def example(spec: ParamSpec) -> str:
    """What would work where a required setting is missing."""
    if spec.choices and spec.type != "duration":
        return f"add {spec.name} = {inline(spec.choices[0])} or one of: {', '.join(spec.choices)}"
    sample = _SAMPLES.get(types_of(spec)[0])
    return f"add {spec.name} = {sample}" if sample else f"add {spec.name}, {wording(spec)}"
