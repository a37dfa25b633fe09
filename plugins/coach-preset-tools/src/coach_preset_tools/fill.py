"""`coach fill PRESET`: the preset with every default written out, its own comments and order kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tomllib import TOMLDecodeError, loads
from typing import TYPE_CHECKING, Any

import click

from coach_preset_tools.table import At, described, difference, merged, source_of, specs_at
from coachcore.cli.completion import preset_names

if TYPE_CHECKING:
    from coachcore.presets.preset import Preset
    from coachcore.presets.tree import Node
    from coachcore.registry.registry import Registry

_WIDTH = 88


@click.command()
@click.argument("preset", shell_complete=preset_names)
@click.option("--diff", is_flag=True, help="Show what is added, as a unified diff.")
def fill(preset: str, *, diff: bool) -> None:
    """Print PRESET with every default written out, each with a line on what it is.

    What was written keeps its comments and its order. A setting without a
    default, which is off unless it is set, is not added.
    """
    from coachcore.presets.preset import load_preset
    from coachcore.registry.registry import current

    loaded = load_preset(preset)
    file, text = source_of(preset, current())
    full = filled(text, file, loaded, current())
    if full is None:
        click.echo("note: this layout cannot be added to, comments and order are not kept", err=True)
        full = rewritten(loaded)
    if diff:
        click.echo(difference(text, full, file.name, "filled") or "nothing to add: every default is written out")
        return
    click.echo(full.rstrip("\n"))


def filled(text: str, file: Path, preset: Preset, registry: Registry) -> str | None:
    """`text` of `file`, the source of `preset`, with its defaults added; None where that would say something else."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text.replace("\r\n", "\n"))
        _Filling(registry).table(document, preset.tree, ())
        full = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, AttributeError, TypeError):  # layouts that the editor of TOML cannot take apart
        return None
    return full if _same(full, file, preset, registry) else None


def rewritten(preset: Preset) -> str:
    """The whole preset in the order of the format, as `coach config` shows it."""
    from coachcore.presets.writer import dump

    return dump(preset.resolved)


def _same(full: str, file: Path, preset: Preset, registry: Registry) -> bool:
    """Whether the new text is the old preset with nothing left to default."""
    from coachcore.presets.check import check
    from coachcore.presets.tree import plain

    try:
        document = loads(full)
    except TOMLDecodeError:
        return False
    tree, found = check(merged(document, file, registry), registry)
    return not found and bool(plain(tree) == preset.resolved)


class _Filling:
    """Adds what is missing to a document, table by table."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def table(self, there: Any, node: Node, path: At) -> None:
        """Add to the table `there` what `node`, the same table resolved, has besides."""
        use = node.value.get("use")
        specs = specs_at(path, use and use.value, self.registry)
        with _closing_apart(there):
            for key, child in node.value.items():
                if key in there:
                    self._within(there[key], child, (*path, key))
                elif _by_default(child):
                    spec = specs.get(key)
                    self._add(there, key, child, (*path, key), described(spec) if spec else "")
                elif isinstance(child.value, dict):
                    self._below(there, key, child, (*path, key))

    def _below(self, there: Any, key: str, node: Node, path: At) -> None:
        """A table that stands in a lower preset: its defaults go into one of the same name here."""
        import tomlkit
        from tomlkit.items import InlineTable

        made = tomlkit.inline_table() if isinstance(there, InlineTable) else tomlkit.table()
        self.table(made, node, path)
        if made:
            there.add(key, made)
            _spaced(made, path)

    def _within(self, there: Any, node: Node, path: At) -> None:
        if isinstance(node.value, dict) and hasattr(there, "keys"):
            self.table(there, node, path)
        elif isinstance(node.value, list):
            for index, item in enumerate(node.value):
                if isinstance(item.value, dict):
                    self._within(there[index], item, (*path, index))

    def _add(self, there: Any, key: str, node: Node, path: At, comment: str) -> None:
        import tomlkit
        from tomlkit.items import InlineTable

        from coachcore.presets.tree import plain
        from coachcore.presets.writer import inline

        value = plain(node)
        apart = not isinstance(there, InlineTable) and isinstance(value, dict) and value
        if apart and (len(path) == 1 or len(f"{key} = {inline(value)}") > _WIDTH or list(_tables(value))):
            made = tomlkit.table()
            there.add(key, made)
            self.table(made, node, path)
            _spaced(made, path)
            return
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value) and len(path) == 1:
            there.add(key, _several(value))
            return
        item = tomlkit.value(inline(value))
        if comment and not isinstance(there, InlineTable):
            item.comment(comment)
            item.trivia.comment_ws = "  "
        there.add(key, item)


@contextmanager
def _closing_apart(table: Any) -> Iterator[None]:
    """Keep the space before the brace of an inline table where it is, whatever is added before it."""
    from tomlkit.items import InlineTable, Whitespace

    body = table.value.body if isinstance(table, InlineTable) else []
    closing = body.pop() if body and isinstance(body[-1][1], Whitespace) else None
    yield
    if closing is not None:
        body.append(closing)


def _spaced(table: Any, path: At) -> None:
    """A blank line after a table that stands among others of its table; elsewhere there is one."""
    import tomlkit
    from tomlkit.items import Table

    if isinstance(table, Table) and len(path) > 1:
        table.add(tomlkit.nl())


def _several(values: list[Any]) -> Any:
    """An array of tables, as ``[[recorders]]`` is written."""
    import tomlkit

    from coachcore.presets.writer import inline

    tables = tomlkit.aot()
    for value in values:
        table = tomlkit.table()
        for key, item in value.items():
            table.add(key, tomlkit.value(inline(item)))
        tables.append(table)
    return tables


def _tables(value: dict[str, Any]) -> Iterator[Any]:
    return (item for item in value.values() if isinstance(item, dict) and item)


def _by_default(node: Node) -> bool:
    """Whether nobody wrote anything here, in no layer."""
    from coachcore.presets.tree import DEFAULT, all_nodes

    return all(inner.origin.layer == DEFAULT for _, inner in all_nodes(node))
