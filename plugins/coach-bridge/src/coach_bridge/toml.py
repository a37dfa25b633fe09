"""A preset as TOML text, each part in a table of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from json import dumps
from re import compile as pattern
from typing import Any

_INLINE = ("embedders", "heads")
_BARE = pattern(r"[A-Za-z0-9_-]+\Z")


def written(document: Mapping[str, Any]) -> str:
    """The document as TOML: plain values first, then its tables in the order given."""
    return "\n".join(_lines(document, "")).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    below = {key: item for key, item in table.items() if _has_header(key, item, path)}
    for key, item in table.items():
        if key in below:
            continue
        if key in _INLINE:
            yield from (f"{key}.{_named(name)} = {inline(part)}" for name, part in item.items())
        else:
            yield f"{_named(key)} = {inline(item)}"
    for key, item in below.items():
        header = f"{path}.{_named(key)}" if path else _named(key)
        for one in item if isinstance(item, list) else [item]:
            if isinstance(item, list):
                yield from ("", f"[[{header}]]")
            elif any(not _has_header(name, inner, header) for name, inner in one.items()):
                yield from ("", f"[{header}]")
            yield from _lines(one, header)


def _has_header(key: str, item: Any, path: str) -> bool:
    if isinstance(item, list):
        return path in ("", "filters") and bool(item) and all(isinstance(one, Mapping) for one in item)
    nested = path in ("", "agent", "agent.networks")
    return (isinstance(item, Mapping) and nested and key not in _INLINE and "use" not in item) or (
        isinstance(item, Mapping) and path == ""
    )


def inline(value: Any) -> str:
    """One value on one line."""
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{_named(key)} = {inline(item)}" for key, item in value.items()) + " }" if value else "{}"
        )
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    """A TOML string: JSON's escapes are TOML's, but for the delete character."""
    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _named(key: str) -> str:
    return key if _BARE.match(key) else _text(key)
