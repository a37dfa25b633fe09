"""`coach config PRESET`: what a preset comes to, and where each value was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from coach_preset_tools.table import At
from coachcore.cli.check import layering
from coachcore.cli.completion import preset_names

if TYPE_CHECKING:
    from coachcore.presets.preset import Preset
    from coachcore.presets.tree import Node, Origin

_WIDTH = 80


@click.command()
@click.argument("preset", shell_complete=preset_names)
@layering
@click.option("--explain", is_flag=True, help="Say of each value which layer, and which place in it, it came from.")
def config(preset: str, sets: tuple[str, ...], withs: tuple[str, ...], *, explain: bool) -> None:
    """Show PRESET with every layer merged and every default filled in, as TOML."""
    from coachcore.presets.preset import load_preset
    from coachcore.presets.writer import dump

    loaded = load_preset(preset, sets=sets, withs=withs)
    for notice in loaded.notices:
        click.echo(f"note: {notice}", err=True)
    click.echo("\n".join(explained(loaded)) if explain else dump(loaded.resolved).rstrip("\n"))


def explained(preset: Preset) -> Iterator[str]:
    """The layers, the lowest first; then each table with the origin of each of its values."""
    yield "# layers, the lowest first"
    layers = _layers(preset)
    for number, line in enumerate(layers.values()):
        yield f"#   {number}  {line}"
    for header, rows in _groups(preset, list(layers)):
        yield ""
        if header:
            yield f"[{header}]"
        widest = max(len(key) for key, _, _ in rows)
        column = max([len(value) for _, value, _ in rows if len(value) <= _room(widest, rows)], default=0)
        for key, value, where in rows:
            yield from _row(f"{key:<{widest}} = ", value, column, where)


def _row(key: str, value: str, column: int, where: str) -> Iterator[str]:
    """One value and its origin on one line, or the origin below where both do not fit."""
    line = f"{key}{value:<{column}}  # {where}"
    if len(value) <= column and len(line) <= _WIDTH:
        yield line
        return
    yield f"{key}{value}"
    yield f"{'':<{len(key) + column}}  # {where}"


def _room(widest: int, rows: list[tuple[str, str, str]]) -> int:
    """How long a value may be so that it, its key and the longest origin fit side by side."""
    return max(_WIDTH - widest - len(" =   # ") - max(len(where) for _, _, where in rows), 8)


def _layers(preset: Preset) -> dict[tuple[int, str], str]:
    """Every layer by rank and name, the lowest first, as a line of text."""
    from coachcore.presets.tree import DEFAULT, all_nodes

    named: dict[tuple[int, str], str] = {(0, DEFAULT): "defaults of the parts"}
    for tree in (preset.written, preset.tree):
        for _, node in all_nodes(tree):
            origin = node.origin
            if origin.layer != DEFAULT:
                file = f": {origin.file}" if origin.line else ""
                named.setdefault((origin.rank, origin.layer), f"{origin.layer}{file}")
    return {key: named[key] for key in sorted(named)}


def _groups(preset: Preset, layers: list[tuple[int, str]]) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Values by the table they stand in: (table, [(key, value, origin)])."""
    from coachcore.presets.tree import path_text, plain
    from coachcore.presets.writer import inline

    groups: dict[str, list[tuple[str, str, str]]] = {}
    for path, node in leaves(preset.tree):
        depth = len(path) - (2 if isinstance(path[-1], int) else 1)  # an item stands beside the settings of its table
        row = (path_text(path[depth:]), inline(plain(node)), _where(node.origin, layers))
        groups.setdefault(path_text(path[:depth]), []).append(row)
    yield from groups.items()


def leaves(node: Node, path: At = ()) -> Iterator[tuple[At, Node]]:
    """Every value that is not a (filled) table or a list of tables, in order, with its path."""
    if isinstance(node.value, dict) and node.value:
        for key, item in node.value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(node.value, list) and any(isinstance(item.value, dict) for item in node.value):
        for index, item in enumerate(node.value):
            yield from leaves(item, (*path, index))
    else:
        yield path, node


def _where(origin: Origin, layers: list[tuple[int, str]]) -> str:
    """A short origin: a file's name without its folders, or the number of a layer that is no file."""
    if origin.line:
        return f"{origin.file.replace(chr(92), '/').rpartition('/')[2]}:{origin.line}:{origin.column}"
    if origin.rank == 0:
        return origin.file  # "default of ..."
    return f"layer {layers.index((origin.rank, origin.layer))}" + (f", column {origin.column}" if origin.column else "")
