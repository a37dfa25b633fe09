"""Changing a preset from the command line: ``--set path=VALUE``, ``path+=VALUE`` and ``~path``.

A value is TOML; a single word that is not is taken as text. ``+=`` adds to a
list (an array adds each of its items), ``[i]`` names an item of one. Choosing
another part drops the parameters that the new part does not have, with a notice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from re import compile as pattern
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import attrs

from coachcore.errors import CoachError, did_you_mean
from coachcore.presets.layers import agent_facts, same
from coachcore.presets.places import RESERVED, kind_at, several
from coachcore.presets.positions import Path, positions
from coachcore.presets.problems import Problem
from coachcore.presets.tree import Node, Origin, path_text, positioned, rooted
from coachcore.presets.values import faults

if TYPE_CHECKING:
    from coachcore.registry.registry import Registry
    from coachcore.specs import ParamSpec

_KEY = pattern(r"""\s*([A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*')\s*""")
_INDEX = pattern(r"\[\s*([0-9]+)\s*\]\s*")
_WORD = pattern(r"[A-Za-z][A-Za-z0-9_-]*\Z")


class Wrong(CoachError):
    """An argument that cannot be read or applied; `column` counts from 1 in the argument."""

    def __init__(self, message: str, column: int) -> None:
        self.column = column
        super().__init__(message)


class Change(NamedTuple):
    """One argument, read: `path` with the column of each of its parts, what to do, and the value."""

    path: Path
    columns: tuple[int, ...]
    action: Literal["set", "add", "remove"]
    node: Node  # the value; for a removal only its origin counts


def parse(argument: str, origin: Origin) -> Change:
    """Read one argument; raises `Wrong`."""
    removing = argument.startswith("~")
    path, columns, end = _path(argument, 1 if removing else 0)
    rest = argument[end:]
    here = origin._replace(column=columns[-1])
    if removing:
        if rest:
            raise Wrong(f"nothing may follow a path to remove, got '{rest}' - write ~{path_text(path)}", end + 1)
        return Change(path, columns, "remove", Node(None, here, here))
    sign = "+=" if rest.startswith("+=") else "="
    if not rest.startswith(sign):
        raise Wrong("expected '=' and a value, such as memory.capacity=10_000", end + 1)
    start = end + len(sign)
    node = _value(argument, start, origin)
    return Change(path, columns, "add" if sign == "+=" else "set", Node(node.value, node.origin, here))


def _plain_change(text: str, value: Any, origin: Origin) -> Change:
    path, columns, end = _path(text, 0)
    if end != len(text):
        raise Wrong(f"'{text}' is not a path - write one such as memory.capacity", end + 1)
    if value is None:
        return Change(path, columns, "remove", Node(None, origin, origin))
    return Change(path, columns, "set", rooted(value, origin, path))


def _path(argument: str, start: int) -> tuple[Path, tuple[int, ...], int]:
    path: list[str | int] = []
    columns: list[int] = []
    at = start
    while True:
        match = _KEY.match(argument, at)
        if match is None:
            raise Wrong("expected a key - write a path such as memory.capacity or filters.observation[0].use", at + 1)
        columns.append(match.start(1) + 1)
        path.append(_unquoted(match[1], at))
        at = match.end()
        while (index := _INDEX.match(argument, at)) is not None:
            columns.append(index.start() + 1)
            path.append(int(index[1]))
            at = index.end()
        if not argument.startswith(".", at):
            return tuple(path), tuple(columns), at
        at += 1


def _unquoted(raw: str, at: int) -> str:
    if raw[0] not in "\"'":
        return raw
    try:
        return str(tomllib.loads(f"key = {raw}")["key"])
    except tomllib.TOMLDecodeError:
        raise Wrong(f"{raw} is not a quoted key that TOML can read", at + 1) from None


def _value(argument: str, start: int, origin: Origin) -> Node:
    raw = argument[start:]
    try:
        document = tomllib.loads(f"v = {raw}")
    except (ValueError, RecursionError):
        document = {}
    if set(document) == {"v"}:
        return _positioned(document, raw, origin, start)
    if _WORD.match(raw):
        here = origin._replace(column=start + 1)
        return Node(raw, here, here)
    quoted = raw.replace("\\", "\\\\").replace('"', '\\"')
    hint = f"quote text: --set '{argument[:start]}\"{quoted}\"'" if raw.strip() else "write one after the sign"
    raise Wrong(f"'{raw}' is not a TOML value - {hint}", start + 1)


def _positioned(document: dict[str, Any], raw: str, origin: Origin, start: int) -> Node:
    where = positions(f"v = {raw}")
    tree = positioned(document, where, origin, shift=start - len("v = "))
    found: Node = tree.value["v"]
    return found


@attrs.define
class Editor:
    """Applies changes to a tree; collects problems and notices."""

    root: Node
    registry: Registry
    found: list[Problem] = attrs.field(factory=list)
    notices: list[str] = attrs.field(factory=list)

    def arguments(self, arguments: Sequence[str], rank: int) -> None:
        """Apply each ``--set`` argument in order."""
        for number, argument in enumerate(arguments):
            origin = Origin(f"--set {argument}", f"--set {argument}", rank=rank + number)
            self._guarded(origin, partial(parse, argument, origin))

    def plainly(self, changes: Mapping[str, Any], rank: int) -> None:
        """Set each path to plain data; None removes what is there."""
        for text, value in changes.items():
            origin = Origin("changed", text, rank=rank)
            self._guarded(origin, partial(_plain_change, text, value, origin))

    def _guarded(self, origin: Origin, read: Callable[[], Change]) -> None:
        try:
            self.apply(read())
        except Wrong as error:
            here = origin._replace(column=error.column) if origin.layer.startswith("--set") else origin
            self.found.append(Problem(here, error.message))

    def apply(self, change: Change) -> None:
        """Apply one change; raises `Wrong` where there is nothing to change."""
        holder = self._holder(change)
        last, column = change.path[-1], change.columns[-1]
        if change.action == "remove":
            self._existing(holder, last, change.path, column)
            del holder.value[last]
        elif change.action == "add":
            self._add(holder, change)
        else:
            self._assign(holder, change)

    def _holder(self, change: Change) -> Node:
        """The table or list that holds the last part of the path; tables on the way are made."""
        node = self.root
        for depth, part in enumerate(change.path[:-1]):
            following = change.path[depth + 1]
            if isinstance(part, str) and isinstance(node.value, dict) and part not in node.value:
                if change.action == "remove" or isinstance(following, int):
                    self._existing(node, part, change.path[: depth + 1], change.columns[depth])
                column = change.columns[depth] if change.node.key.column else 0
                here = change.node.key._replace(column=column)
                node.value[part] = Node({}, here, here)
            node = self._existing(node, part, change.path[: depth + 1], change.columns[depth])
            if not isinstance(node.value, list if isinstance(following, int) else dict):
                wanted = "a list" if isinstance(following, int) else "a table"
                raise Wrong(f"{path_text(change.path[: depth + 1])} is not {wanted}", change.columns[depth + 1])
        return node

    def _existing(self, holder: Node, part: str | int, path: Path, column: int) -> Node:
        try:
            found: Node = holder.value[part]
        except KeyError:
            above = path_text(path[:-1]) or "the preset"
            hint = did_you_mean(str(part), holder.value) if holder.value else "it is empty"
            raise Wrong(f"there is no '{part}' in {above} - {hint}", column) from None
        except IndexError:
            raise Wrong(f"{path_text(path[:-1])} has {len(holder.value)} items - count from [0]", column) from None
        return found

    def _add(self, holder: Node, change: Change) -> None:
        last = change.path[-1]
        items = change.node.value if isinstance(change.node.value, list) else [change.node]
        if isinstance(last, str) and last not in holder.value:
            holder.value[last] = Node(list(items), change.node.origin, change.node.key)
            return
        old = self._existing(holder, last, change.path, change.columns[-1])
        if not isinstance(old.value, list):
            raise Wrong(f"{path_text(change.path)} is not a list - use = to replace it", change.columns[-1])
        holder.value[last] = Node([*old.value, *items], change.node.origin, change.node.key)

    def _assign(self, holder: Node, change: Change) -> None:
        last = change.path[-1]
        if isinstance(last, int):
            self._existing(holder, last, change.path, change.columns[-1])
        elif last == "use":
            self._drop_foreign(holder, change)
        holder.value[last] = change.node

    def _drop_foreign(self, table: Node, change: Change) -> None:
        """Another part was chosen: what it does not know or cannot take goes, and a notice says so."""
        kind, old, new = kind_at(change.path[:-1]), table.value.get("use"), change.node.value
        if kind is None or old is None or same(kind, old.value, new, self.registry):
            return
        try:
            specs = self.registry.params(self.registry.resolve(kind, new))
        except (CoachError, AttributeError):
            return  # no such part, or no text: the checker says so
        known = {spec.name: spec for spec in specs}
        ours = ["use", *RESERVED.get(kind, ())]
        many = several(agent_facts(new, self.registry)) if kind == "agent" else None
        if many is not None:
            ours.remove("network" if many else "networks")
        foreign = [key for key in table.value if key not in ours and _foreign(table.value[key], known.get(key))]
        for key in foreign:
            del table.value[key]
        if foreign:
            self.notices.append(f"{path_text(change.path)}: {old.value} -> {new} drops {', '.join(foreign)}")


def _foreign(node: Node, spec: ParamSpec | None) -> bool:
    return spec is None or bool(faults(node, spec)[1])
