"""Columns, colours and widths: how listings become text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from coachcore.specs import ParamSpec

SCHEMA = 1
"""Version of the form of every ``--json`` output."""


def as_json(**told: Any) -> str:
    """What a ``--json`` output says, with the version of its form."""
    from json import dumps

    return dumps({"schema": SCHEMA, **told}, indent=1, ensure_ascii=False)


def width() -> int:
    """Columns of the terminal (or of ``COLUMNS``); 80 where there is none."""
    said = os.environ.get("COLUMNS", "")
    try:
        columns = int(said) if said.isdecimal() else os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # no standard output, closed, or not a terminal
        columns = 0
    return max(40, columns or 80)


def table(rows: Iterable[Sequence[str]], *, last: int = 20) -> list[str]:
    """Rows as aligned lines; the last column is cut to fit, but keeps at least `last` characters."""
    cells = [tuple(row) for row in rows]
    if not cells:
        return []
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]) - 1)]
    room = max(last, width() - sum(widths) - 2 * len(widths))
    return ["  ".join([*map(str.ljust, row, widths), cut(row[-1], room)]).rstrip() for row in cells]


def cut(text: str, room: int) -> str:
    """The text in at most `room` characters."""
    return text if len(text) <= room else text[: room - 3].rstrip(" ,;:") + "..."


def wrapped(text: str, indent: str, hanging: str = "") -> str:
    """The text over as many lines as it takes, all but the first indented by `hanging` too.

    It breaks at spaces only, so that a name such as e-greedy stays whole (and takes a third of `textwrap`'s time).
    """
    room, lines, line, start = width(), [], indent, indent
    for word in text.replace("\n", " ").split(" "):
        grown = f"{line} {word}" if line != start else start + word
        if len(grown) > room and line != start:
            lines.append(line.rstrip())
            start = indent + hanging
            grown = start + word
        line = grown
    return "\n".join([*lines, line.rstrip()])


def toml(value: Any) -> str:
    """A plain value as TOML; a table is written inline. None, which TOML lacks, becomes ``unset``."""
    from json import dumps

    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return dumps(value, ensure_ascii=False) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    text = repr(value).replace("e-0", "e-").replace("e+", "e")
    return f"{value:_}" if isinstance(value, int) and abs(value) >= 10_000 else text


def setting(param: ParamSpec) -> str:
    """One setting in a line: ``epsilon schedule = 0.1``; a required one has no value."""
    return f"{param.name} {param.type}" + ("" if param.required else f" = {toml(param.default)}")


def for_good(key: str, word: str) -> str:
    """How the user's configuration says so for every command: ``block = ["acme"] under [plugins] in FILE``."""
    from coachcore.registry.choice import place

    return f'{key} = ["{word}"] under [plugins] in {place() or "the file that COACH_CONFIG names"}'


def bare(text: str) -> str:
    """A docstring's line without its backquotes, as a terminal shows it best."""
    return text.replace("`", "")


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: ``1 part``, ``2 parts``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
