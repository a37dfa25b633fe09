"""Plain data as TOML text; reading it back gives the same data."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from re import compile as pattern
from typing import Any

from coachcore.errors import BadSetting

_WIDTH = 88
_SHOWN = 72
_BARE = pattern(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(32), 127)}
_ESCAPES |= {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}


def dump(document: Mapping[str, Any]) -> str:
    """`document` as TOML, in its own order as far as TOML allows (a table's values go before its tables).

    Raises `BadSetting` for a value that TOML cannot hold, such as None.
    """
    lines: list[str] = []
    _table(document, (), lines)
    return "\n".join(lines).strip("\n") + "\n" if lines else ""


def text(value: str) -> str:
    """A TOML basic string."""
    return f'"{value.translate(_ESCAPES)}"'


def key_text(key: str) -> str:
    """A key as TOML writes it: quoted where it must be."""
    return key if _BARE.match(key) else text(key)


def inline(value: Any) -> str:
    """One value on one line."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool | int | float):
        return _number(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key_text(key)} = {inline(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(inline(item) for item in value)}]"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise BadSetting(f"a preset cannot hold {value!r}; use text, numbers, true or false, lists and tables")


def told(value: Any) -> str:
    """A value as an error shows it: short, and whatever it is (plain data may hold what TOML cannot)."""
    try:
        shown = inline(value)
    except BadSetting:
        shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 4]} ..."


def _number(value: float) -> str:
    """Infinities and NaN are `inf` and `nan` in TOML as in Python."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _table(table: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    apart = {key: item for key, item in table.items() if _apart(key, item, path)}
    lines += [f"{key_text(key)} = {inline(item)}" for key, item in table.items() if key not in apart]
    for key, item in apart.items():
        below = (*path, key)
        name = ".".join(key_text(part) for part in below)
        for one in [item] if isinstance(item, Mapping) else item:
            if not isinstance(item, Mapping):
                lines += ["", f"[[{name}]]"]
            elif not item or any(not _apart(k, v, below) for k, v in item.items()):
                lines += ["", f"[{name}]"]
            _table(one, below, lines)


def _apart(key: str, item: Any, path: tuple[str, ...]) -> bool:
    """Does this item get a header of its own? Short tables below the first storey stay on one line."""
    if isinstance(item, Mapping):
        simple = not any(isinstance(inner, Mapping) for inner in item.values())
        return not (path and simple and item and len(f"{key} = {inline(item)}") <= _WIDTH)
    return isinstance(item, list | tuple) and len(item) > 0 and all(isinstance(inner, Mapping) for inner in item)
