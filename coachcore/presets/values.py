"""Whether a value is of the type a setting asks for: strict, and saying what would work."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from coachcore.clock import Duration
from coachcore.component import KINDS, ParamSpec, complaint
from coachcore.errors import BadSetting
from coachcore.presets.tree import Node, plain
from coachcore.presets.writer import inline

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


def types_of(spec: ParamSpec) -> tuple[str, ...]:
    """``"float | float[]"`` -> ``("float", "float[]")``."""
    return tuple(part.strip() for part in spec.type.split("|"))


def part_kind(spec: ParamSpec) -> str | None:
    """The kind of part that may stand where this setting (or an item of it) does."""
    names = {name.removesuffix("[]") for name in types_of(spec)}
    return next((kind for kind in KINDS if kind in names), None)


def wording(spec: ParamSpec) -> str:
    """The types in words: ``a number or a list of numbers``."""
    return " or ".join(_word(name) for name in types_of(spec))


def _word(name: str) -> str:
    if name.endswith("[]"):
        inner = name.removesuffix("[]")
        return f"a list of {_PLURALS.get(inner, inner + ' tables')}"
    return _WORDS.get(name, f"a table that names a part ({name}) with `use`")


def fits(value: Any, name: str) -> bool:
    """Is this plain value of the type `name`? Nothing is converted: true is no 1, 3.7 no int, "3" no number."""
    if name.endswith("[]"):
        return isinstance(value, list) and all(fits(item, name.removesuffix("[]")) for item in value)
    if isinstance(value, bool):
        return name == "bool"
    if name in ("float", "schedule"):
        return isinstance(value, int | float) or (name == "schedule" and isinstance(value, Mapping))
    if name == "int":
        return isinstance(value, int)
    if name in ("str", "duration"):
        return isinstance(value, str)
    return isinstance(value, Mapping) and name != "bool"


def tidied(value: Any, name: str) -> Any:
    """A fitting value in one form: whole numbers as floats where floats are wanted, durations spelt out."""
    if isinstance(value, list):
        return [tidied(item, name.removesuffix("[]")) for item in value]
    if name in ("float", "schedule") and isinstance(value, int):
        return float(value)
    return str(Duration.parse(value)) if name == "duration" else value


def fault(node: Node, spec: ParamSpec) -> tuple[str, str]:
    """What is wrong with the value (empty when nothing is), and the type that it has."""
    value = plain(node)
    if any(isinstance(item, int) and abs(item) >= 1 << 63 for item in (value if isinstance(value, list) else [value])):
        return "a whole number must fit into 64 bits", ""
    name = next((name for name in types_of(spec) if fits(value, name)), "")
    if not name:
        return f"expected {wording(spec)}, got {inline(value)}{_hint(value, spec)}", ""
    if name == "duration":
        try:
            Duration.parse(value)
        except BadSetting as error:
            return error.message, ""
    return _unbounded(value, spec) or complaint(value, spec._asdict()), name


def _unbounded(value: Any, spec: ParamSpec) -> str:
    bounded = any(bound is not None for bound in (spec.ge, spec.gt, spec.le, spec.lt))
    values = value if isinstance(value, list) else [value]
    strange = next((item for item in values if isinstance(item, float) and not isfinite(item)), None)
    if strange is None or not bounded:
        return ""
    return f"{inline(strange)} is out of range - must be a finite number"


def _hint(value: Any, spec: ParamSpec) -> str:
    """What would work, where the slip is a common one."""
    names = types_of(spec)
    numeric = any(name in ("float", "int", "schedule") for name in names)
    if isinstance(value, str):
        if numeric and _number(value) is not None:
            return f" - write {value} without quotes"
        return " - write true or false without quotes" if names == ("bool",) else ""
    if names == ("int",) and isinstance(value, float) and value.is_integer():
        return f" - write {int(value)}"
    if names == ("bool",) and value in (0, 1):
        return f" - write {'true' if value else 'false'}"
    if names == ("duration",) and isinstance(value, int | float) and not isinstance(value, bool):
        return f' - write "{int(value):_} steps" if steps are meant' if isfinite(value) else ""
    if names == ("str",) and not isinstance(value, dict | list):
        return f' - write "{inline(value)}" with quotes'
    return ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def example(spec: ParamSpec) -> str:
    """What would work where a required setting is missing."""
    if spec.choices:
        return f"add {spec.name} = {inline(spec.choices[0])} or one of: {', '.join(spec.choices)}"
    samples = {"float": "1.0", "int": "1", "bool": "true", "str": '"..."', "duration": '"10_000 steps"', "schedule": "0.1"}
    sample = samples.get(types_of(spec)[0])
    return f"add {spec.name} = {sample}" if sample else f"add {spec.name}, {wording(spec)}"
