"""Presets: what a run is made from, as plain data that knows where each value came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from coachcore.presets.check import check, default_recorders, newer
from coachcore.presets.layers import Reader, merge
from coachcore.presets.problems import PresetProblems, Problem
from coachcore.presets.tree import DEFAULT, Node, Origin, all_nodes, copied, path_text, plain, rooted

if TYPE_CHECKING:
    from coachcore.registry.registry import Registry


@attrs.frozen(kw_only=True)
class Preset:
    """A sound preset.

    `document` is what was written, all layers merged; `resolved` has every
    default filled in and can itself be loaded as a preset. `origins` says, by
    path (``filters.observation[0].use``), where each resolved value was written.
    """

    name: str
    document: Mapping[str, Any]
    resolved: Mapping[str, Any]
    origins: Mapping[str, Origin] = attrs.field(repr=False)
    notices: tuple[str, ...] = ()  # what a change of parts dropped
    written: Node = attrs.field(repr=False, eq=False)  # `document` as a tree
    tree: Node = attrs.field(repr=False, eq=False)  # `resolved` as a tree

    def changed(self, changes: Mapping[str, Any], *, registry: Registry | None = None) -> Preset:
        """The preset with values changed by path, such as ``{"memory.capacity": 10_000}``, checked again.

        Values are plain data; None takes a value out, so that its default holds.
        Raises `PresetProblems`.
        """
        from coachcore.presets.overrides import Editor

        known = or_installed(registry)
        editor = Editor(copied(self.written), known)
        editor.plainly(changes, _top(self.written) + 1)
        return _checked(self.name, editor.root, known, editor.found, editor.notices)


def load_preset(
    source: str | Path | Mapping[str, Any],
    *,
    sets: Sequence[str] = (),
    withs: Sequence[str | Path] = (),
    seed: int | None = None,
    registry: Registry | None = None,
) -> Preset:
    """Read, layer and check a preset; nothing is built and no plugin imported.

    `source` is a path, the name of an installed preset, or plain data. `withs`
    are files laid over it, `sets` changes such as ``"memory.capacity=10_000"``,
    `seed` replaces the preset's own. Raises `PresetProblems` with every error.
    """
    known = or_installed(registry)
    reader = Reader(known)
    lowest = Node({"recorders": default_recorders(known)}, Origin(DEFAULT, ""), Origin(DEFAULT, ""))
    layers = [lowest, *_main(source, reader)]
    blocked = list(reader.found)
    main = layers[-1].origin
    for file in withs:
        layers += reader.layers(str(file), f"--with {file}")
    found = [*reader.found, *(problem for layer in layers for problem in newer(layer))]
    root = layers[0]
    for layer in layers[1:]:
        root = merge(root, layer, known)
    root = copied(Node(root.value, main, main))
    notices: list[str] = []
    if blocked:
        raise PresetProblems(found)
    if sets:
        from coachcore.presets.overrides import Editor

        editor = Editor(root, known, found, notices)
        editor.arguments(sets, reader.rank + 1)
    if seed is not None:
        here = Origin("--seed", f"--seed {seed}", rank=reader.rank + len(sets) + 1)
        root.value["seed"] = Node(seed, here, here)
    return _checked(_name(source), root, known, found, notices)


def _main(source: str | Path | Mapping[str, Any], reader: Reader) -> list[Node]:
    if isinstance(source, Mapping):
        tree = rooted(source, Origin("data", "the preset"))
        return list(reader.extended(tree, Path()))
    return list(reader.layers(str(source), _name(source)))


def _checked(name: str, written: Node, registry: Registry, found: list[Problem], notices: list[str]) -> Preset:
    tree, wrong = check(written, registry)
    if found or wrong:
        raise PresetProblems([*found, *wrong])
    return Preset(
        name=name,
        document=plain(written, defaults=False),
        resolved=plain(tree),
        origins={path_text(path): node.origin for path, node in all_nodes(tree) if path},
        notices=tuple(notices),
        written=written,
        tree=tree,
    )


def _name(source: str | Path | Mapping[str, Any]) -> str:
    return "preset" if isinstance(source, Mapping) else Path(source).stem


def _top(tree: Node) -> int:
    return max(node.origin.rank for _, node in all_nodes(tree))


def or_installed(registry: Registry | None) -> Registry:
    """The registry given, or that of this process."""
    if registry is not None:
        return registry
    from coachcore.registry.registry import current

    return current()
