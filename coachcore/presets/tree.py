"""A preset as a tree in which every value knows where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import attrs

from coachcore.presets.positions import Path, Positions, Spot
from coachcore.presets.writer import key_text

DEFAULT = "default"
"""The lowest layer: what the parts themselves say."""


class Origin(NamedTuple):
    """Where a value was written: a layer, and a place in a file or in a ``--set`` argument.

    `line` is 0 for an argument, and `column` too for plain data and defaults.
    """

    layer: str
    file: str
    line: int = 0
    column: int = 0
    rank: int = 0  # of the layer, the lowest first

    def __str__(self) -> str:
        if self.line:
            return f"{self.file}:{self.line}:{self.column}"
        return f"{self.file} (column {self.column})" if self.column else self.file

    def at(self, spot: Spot) -> Origin:
        return self._replace(line=spot.line, column=spot.column)


@attrs.define
class Node:
    """A value (tables and lists hold nodes), the origin of the value and that of the key before it."""

    value: Any
    origin: Origin
    key: Origin


def path_text(path: Path) -> str:
    """``("filters", "observation", 0)`` -> ``filters.observation[0]``."""
    written = ""
    for part in path:
        if isinstance(part, int):
            written += f"[{part}]"
        else:
            written += f".{key_text(part)}" if written else key_text(part)
    return written


def positioned(document: Any, where: Positions, origin: Origin, path: Path = (), *, shift: int = 0) -> Node:
    """The tree of a document read from a text; `shift` moves columns, for a value inside an argument."""

    def place(spots: dict[Path, Spot]) -> Origin:
        spot = spots.get(path)
        if spot is None:
            return origin.at(Spot(1, 1)) if not shift else origin
        return origin._replace(column=spot.column + shift) if shift else origin.at(spot)

    value: Any = document
    if isinstance(document, dict):
        value = {key: positioned(item, where, origin, (*path, key), shift=shift) for key, item in document.items()}
    elif isinstance(document, list):
        value = [positioned(item, where, origin, (*path, i), shift=shift) for i, item in enumerate(document)]
    at = place(where.values)
    return Node(value, at, place(where.keys) if path in where.keys else at)


def rooted(document: Any, origin: Origin, path: Path = ()) -> Node:
    """The tree of plain data, where TOML paths stand for positions; for defaults all share one origin."""
    here = origin if origin.layer == DEFAULT else origin._replace(file=path_text(path) or origin.file)
    value: Any = document
    if isinstance(document, Mapping):
        value = {str(key): rooted(item, origin, (*path, str(key))) for key, item in document.items()}
    elif isinstance(document, list | tuple):
        value = [rooted(item, origin, (*path, i)) for i, item in enumerate(document)]
    return Node(value, here, here)


def plain(node: Node, *, defaults: bool = True) -> Any:
    """The tree as plain data; without `defaults`, only what somebody wrote."""
    if isinstance(node.value, dict):
        kept = {k: n for k, n in node.value.items() if defaults or not _default(n)}
        return {key: plain(item, defaults=defaults) for key, item in kept.items()}
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    return node.value


def _default(node: Node) -> bool:
    """Whether nobody wrote anything here; a default table may hold a written key."""
    if isinstance(node.value, dict) and node.value:
        return all(_default(item) for item in node.value.values())
    return node.origin.layer == DEFAULT


def all_nodes(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every node, tables and lists before what they hold."""
    yield path, node
    if isinstance(node.value, dict):
        for key, item in node.value.items():
            yield from all_nodes(item, (*path, key))
    elif isinstance(node.value, list):
        for index, item in enumerate(node.value):
            yield from all_nodes(item, (*path, index))


def copied(node: Node) -> Node:
    """The tree again, free to be changed."""
    value = node.value
    if isinstance(value, dict):
        value = {key: copied(item) for key, item in value.items()}
    elif isinstance(value, list):
        value = [copied(item) for item in value]
    return Node(value, node.origin, node.key)
