"""`coach upgrade PRESET`: parts and settings get the names that they have now; all else stays as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from re import compile as pattern
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from coach_preset_tools.table import At, difference, merged, source_of
from coachcore.cli.completion import preset_names
from coachcore.errors import CoachError

if TYPE_CHECKING:
    from coachcore.presets.tree import Node
    from coachcore.registry.registry import Registry

_WORD = pattern(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""")


class Rename(NamedTuple):
    """One name that is another now: the path of a `use`, or of a key."""

    path: At
    old: str
    new: str
    key: bool  # the name is the key itself, not the value behind it


@click.command()
@click.argument("preset", shell_complete=preset_names)
@click.option("--write", is_flag=True, help="Change the file; without this the change is shown only.")
def upgrade(preset: str, *, write: bool) -> None:
    """Give the parts and settings in PRESET the names that they have now.

    Old names still work for parts; this is for reading. What parts declare is
    what is renamed: their aliases, and settings under the fact `renamed`.
    """
    from coachcore.registry.registry import current

    file, text = source_of(preset, current())
    new = upgraded(text, file, current())
    if new == text:
        click.echo(f"{preset}: nothing to upgrade")
    elif write:
        _write(file, new)
        click.echo(f"{file}: upgraded")
    else:
        click.echo(difference(text, new, file.name, "upgraded"))


def _write(file: Path, text: str) -> None:
    try:
        file.write_bytes(text.encode())
    except OSError as error:
        raise CoachError(f"cannot be written: {error.strerror}", where=str(file)) from None


def upgraded(text: str, file: Path, registry: Registry) -> str:
    """`text` with every old name replaced where it stands; raises `CoachError` where that cannot be done."""
    from coachcore.presets.positions import positions

    try:
        document = tomllib.loads(text)
    except ValueError as error:
        raise CoachError(f"not TOML: {error} - see `coach check`", where=str(file)) from None
    found = list(_renames(document, merged(document, file, registry), (), registry))
    where = positions(text)
    lines = text.split("\n")
    spots = {(where.keys if one.key else where.values)[one.path]: one for one in found}
    for spot in sorted(spots, reverse=True):  # from the end, so that columns before stay true
        line, column, one = lines[spot.line - 1], spot.column - 1, spots[spot]
        match = _WORD.match(line, column)
        if match is not None:
            lines[spot.line - 1] = line[:column] + _written(match[0], one) + line[match.end() :]
    new = "\n".join(lines)
    _sound(new, _expected(document, found), file)
    return new


def _written(old: str, one: Rename) -> str:
    """The new name in the quotes of the old one."""
    quote = old[0] if old[0] in "\"'" else ""
    return f"{quote}{one.new}{quote}"


def _sound(new: str, wanted: Any, file: Path) -> None:
    try:
        same = tomllib.loads(new) == wanted
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise CoachError("a renamed setting is written in several places - rename it by hand", where=str(file))


def _renames(table: Mapping[str, Any], whole: Node | None, path: At, registry: Registry) -> Iterator[Rename]:
    """Every old name in a table and below it; `whole` is the same table with what lies under it in lower layers."""
    below = whole.value if whole is not None and isinstance(whole.value, dict) else {}
    use = table.get("use", below["use"].value if "use" in below else None)
    yield from _of_part(table, use, path, registry)
    for key, item in table.items():
        inner = below.get(key)
        if isinstance(item, Mapping):
            yield from _renames(item, inner, (*path, key), registry)
        elif isinstance(item, list):
            tables = enumerate(item)
            for index, one in ((index, one) for index, one in tables if isinstance(one, Mapping)):
                yield from _renames(one, None, (*path, key, index), registry)


def _of_part(table: Mapping[str, Any], use: object, path: At, registry: Registry) -> Iterator[Rename]:
    from coachcore.presets.places import kind_at

    kind = kind_at(path)
    if kind is None or not isinstance(use, str):
        return
    try:
        entry = registry.resolve(kind, use)
    except CoachError:
        return  # no such part, or two: the checker says so
    front, colon, short = use.rpartition(":")
    if "use" in table and short != entry.spec.name:
        yield Rename((*path, "use"), use, f"{front}{colon}{entry.spec.name}", key=False)
    renamed = entry.spec.facts.get("renamed", {})
    for old in (key for key in table if key in renamed):
        if renamed[old] in table:
            raise CoachError(f"{entry.spec.name} has both '{old}' and '{renamed[old]}', its new name - keep one")
        yield Rename((*path, old), old, renamed[old], key=True)


def _expected(document: Mapping[str, Any], found: list[Rename]) -> Any:
    """The document as it should read afterwards."""
    new = _copied(document)
    for one in sorted(found, key=lambda one: -len(one.path)):  # inner ones first: outer ones change their paths
        holder = new
        for part in one.path[:-1]:
            holder = holder[part]
        if one.key:
            holder[one.new] = holder.pop(one.path[-1])
        else:
            holder["use"] = one.new
    return new


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
