"""Laying presets over each other: what they extend, the file itself, and files given besides."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from re import compile as pattern
from typing import TYPE_CHECKING, Any

import attrs

from coachcore.errors import CoachError, did_you_mean
from coachcore.presets.places import FORMAT, RESERVED, kind_at, named, several
from coachcore.presets.positions import Path, positions
from coachcore.presets.problems import Problem
from coachcore.presets.tree import Node, Origin, positioned

if TYPE_CHECKING:
    from coachcore.registry.registry import Registry

LARGEST = 1 << 20
"""Bytes a preset may have; anything larger is some other file."""

SLOTTED = ("heads", "loss_weights", "gradient_scales")
"""Tables of a network that are by head slot."""

_AT = pattern(r"(.*?) \(at (?:line (\d+), column (\d+)|end of document)\)\Z")


@attrs.define
class Reader:
    """Reads preset files and what they extend; collects problems instead of stopping at the first."""

    registry: Registry
    found: list[Problem] = attrs.field(factory=list)
    rank: int = 0

    def layers(self, source: str, layer: str, opened: tuple[str, ...] = ()) -> Iterator[Node]:
        """The trees of `source`, lowest layer first: what it extends, then itself."""
        file = self.locate(source)
        tree = self.read(file, layer) if file is not None else None
        if file is not None and tree is not None:
            yield from self.extended(tree, file.parent, (*opened, _identity(file)))

    def extended(self, tree: Node, folder: FilePath, opened: tuple[str, ...] = ()) -> Iterator[Node]:
        """What `tree` extends, the lowest first, then `tree`; paths are relative to `folder`."""
        for node in _listed(tree.value.pop("extends", None)):
            yield from self._below(node, folder, opened)
        yield self._ranked(tree)

    def _below(self, node: Node, folder: FilePath, opened: tuple[str, ...]) -> Iterator[Node]:
        if not isinstance(node.value, str):
            self._wrong(node.origin, "`extends` takes the name or path of a preset, or a list of these")
            return
        try:
            target = find(node.value, self.registry, folder)
        except CoachError as error:
            self._wrong(node.origin, error.message)
            return
        if _identity(target) in opened:
            circle = [*opened[opened.index(_identity(target)) :], str(target)]
            names = " -> ".join(FilePath(name).name for name in circle)
            self._wrong(node.origin, f"presets extend each other in a circle: {names} - take one `extends` out")
            return
        layer = f"{target.stem} (extends, depth {max(len(opened), 1)})"
        yield from self.layers(str(target.resolve()), layer, opened)

    def locate(self, source: str) -> FilePath | None:
        """The file of a preset given by name or path; None, and a problem noted, where there is none."""
        try:
            return find(source, self.registry)
        except CoachError as error:
            self._wrong(Origin("file", source), error.message)
            return None

    def read(self, file: FilePath, layer: str) -> Node | None:
        """One file as a tree; None, and a problem noted, where it cannot be read."""
        origin = Origin(layer, shown(file))
        text = self._text(file, origin)
        if text is None:
            return None
        try:
            document = tomllib.loads(text)
        except ValueError as error:  # TOMLDecodeError, or a number with thousands of digits
            self._not_toml(origin, text, str(error))
            return None
        except RecursionError:
            self._wrong(origin._replace(line=1, column=1), "nested too deeply to be a preset")
            return None
        if not document:
            self._wrong(origin._replace(line=1, column=1), f'the preset is empty - start it with "coach = {FORMAT}"')
            return None
        return positioned(document, positions(text), origin)

    def _text(self, file: FilePath, origin: Origin) -> str | None:
        raw = self._bytes(file, origin)
        if raw is None:
            return None
        try:
            return raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            column = len(raw[raw.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
            here = origin._replace(line=line, column=column)
            self._wrong(here, f"not UTF-8 text (byte 0x{raw[error.start]:02x}) - save the file as UTF-8")
            return None

    def _bytes(self, file: FilePath, origin: Origin) -> bytes | None:
        try:
            with file.open("rb") as stream:
                raw = stream.read(LARGEST + 1)
        except IsADirectoryError:
            self._wrong(origin, "this is a folder - name the .toml file in it")
        except OSError as error:
            self._wrong(origin, f"cannot be read ({error.strerror}) - check the path and its permissions")
        else:
            if len(raw) <= LARGEST:
                return raw
            self._wrong(origin, f"larger than {LARGEST // 1024} KiB - this is not a preset")
        return None

    def _not_toml(self, origin: Origin, text: str, error: str) -> None:
        match = _AT.match(error)
        place = (text.count("\n") + 1, len(text) - text.rfind("\n"))  # the end of the document
        if match is not None and match[2]:
            place = (int(match[2]), int(match[3]))
        message = match[1] if match is not None else error
        self._wrong(origin._replace(line=place[0], column=place[1]), f"not TOML: {message}")

    def _ranked(self, tree: Node) -> Node:
        """Give every origin of `tree` the next rank, so that problems come in the order of the layers."""
        self.rank += 1
        stack = [tree]
        while stack:
            node = stack.pop()
            node.origin = node.origin._replace(rank=self.rank)
            node.key = node.key._replace(rank=self.rank)
            inner = node.value
            stack += inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
        return tree

    def _wrong(self, origin: Origin, message: str) -> None:
        self.found.append(Problem(origin._replace(rank=self.rank), message))


def find(source: str, registry: Registry, base: FilePath | None = None) -> FilePath:
    """The file of a preset named by path (relative to `base`) or by the name of an installed one.

    Raises `CoachError`, saying what is near, where there is neither.
    """
    installed = registry.presets()
    if not _is_path(source) and source in installed:
        return installed[source]
    file = (base or FilePath()) / source
    try:
        if file.exists():
            return file
        near = sorted(entry.name for entry in file.parent.glob("*.toml"))
    except OSError as error:
        raise CoachError(f"cannot be read ({error.strerror}) - check the path and its permissions") from None
    what = "file" if _is_path(source) else "preset"
    raise CoachError(f"there is no {what} '{source}' - {did_you_mean(file.name, [*near, *installed], listed=5)}")


def _is_path(source: str) -> bool:
    return source.endswith(".toml") or "/" in source or "\\" in source or source in ("", ".", "..")


def shown(file: FilePath) -> str:
    """A path as people like to read it: relative where it lies below the current folder."""
    try:
        return str(file.resolve().relative_to(FilePath.cwd())) if file.is_absolute() else str(file)
    except (OSError, ValueError):
        return str(file)


def _identity(file: FilePath) -> str:
    return str(file.resolve())


def _listed(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return node.value if isinstance(node.value, list) else [node]


def merge(low: Node, high: Node, registry: Registry, path: Path = ()) -> Node:
    """`high` laid over `low`: tables are merged, everything else is replaced.

    Where `high` chooses another part, `low`'s parameters of that table go.
    """
    if not (isinstance(low.value, dict) and isinstance(high.value, dict)):
        return high
    kind = kind_at(path)
    kept = dict(low.value)
    if kind is not None and _swaps(low, high, kind, registry):
        kept = {key: node for key, node in kept.items() if key in RESERVED.get(kind, ())}
        if kind == "agent":
            kept = _carried(kept, agent_facts(high.value["use"].value, registry))
    for key, node in high.value.items():
        kept[key] = merge(kept[key], node, registry, (*path, key)) if key in kept else node
    if "use" in kept:
        kept = {"use": kept["use"], **kept}
    return Node(kept, high.origin, high.key)


def agent_facts(use: object, registry: Registry) -> Mapping[str, Any]:
    """What the agent of this name says of itself; nothing where there is none."""
    try:
        return registry.resolve("agent", use).spec.facts if isinstance(use, str) else {}
    except CoachError:
        return {}


def _carried(agent: dict[str, Node], facts: Mapping[str, Any]) -> dict[str, Node]:
    """What is kept beside the settings of an agent when another one, of these `facts`, takes its place."""
    many = several(facts)
    kept = {key: node for key, node in agent.items() if many is None or key != ("network" if many else "networks")}
    if "network" in kept:
        kept["network"] = _without_heads(kept["network"])
    networks = kept.get("networks")
    if networks is not None and isinstance(networks.value, dict):
        names = named(facts) if many else networks.value
        same_name = {name: _without_heads(node) for name, node in networks.value.items() if name in names}
        kept["networks"] = Node(same_name, networks.origin, networks.key)
    return kept


def _without_heads(network: Node) -> Node:
    """Slots are the agent's own, so what is said of heads for another agent does not carry over."""
    if not isinstance(network.value, dict):
        return network
    inner = {key: node for key, node in network.value.items() if key not in SLOTTED}
    return Node(inner, network.origin, network.key)


def _swaps(low: Node, high: Node, kind: str, registry: Registry) -> bool:
    before, after = low.value.get("use"), high.value.get("use")
    return before is not None and after is not None and not same(kind, before.value, after.value, registry)


def same(kind: str, one: object, other: object, registry: Registry) -> bool:
    """Whether two names (aliases, full ids) stand for one part."""
    if one == other or not (isinstance(one, str) and isinstance(other, str)):
        return one == other
    try:
        return registry.resolve(kind, one).id == registry.resolve(kind, other).id
    except CoachError:
        return False
