"""`coach why`: where a name comes from, what it stands for and who else has it."""

from __future__ import annotations

from collections.abc import Iterator

import click

from coachcore.cli.completion import part_names
from coachcore.cli.find import find
from coachcore.cli.output import wrapped
from coachcore.registry.discover import locator
from coachcore.registry.entry import Entry
from coachcore.registry.manifest import FILE
from coachcore.registry.reader import top
from coachcore.registry.registry import current
from coachcore.specs import KINDS


@click.command()
@click.argument("name", metavar="[KIND/]NAME", shell_complete=part_names)
def why(name: str) -> None:
    """Say where a part's NAME comes from, and who else offers it.

    An old name, a KIND/NAME and a full id are understood too.
    """
    registry = current()
    found = find(registry, name)
    asked = name.rpartition(":")[2].rpartition("/")[2]
    blocks = ["\n".join(_told(entry, asked)) for entry in found]
    troubles = [f"{t.dist}: {t.text}" for t in registry.troubles() if t.dist in {entry.dist for entry in found}]
    click.echo("\n\n".join([*blocks, *troubles]))


def _told(entry: Entry, asked: str) -> Iterator[str]:
    spec = entry.spec
    yield entry.id + (f", for which '{asked}' is an old name" if asked != spec.name else "")
    package = locator()(top(spec.object))
    manifest = package.folder / FILE if package and package.folder else None
    told = {
        "offered by": f"{entry.dist} {entry.version}".strip(),
        "entry point": f"{KINDS[spec.kind]}: {spec.name} = {spec.object}"
        if entry.version
        else "registered while running",
        "package": str(package.folder or "a single module") if package else "not found",
        "manifest": "yes" if manifest is not None and manifest.is_file() else "none; read from the entry point alone",
        "state": f"{entry.state}: {entry.problem}" if entry.problem else entry.state,
        "in a preset": f'use = "{spec.name if entry.state != "clash" else entry.id}"',
    }
    yield from (wrapped(f"{key:11}  {value}", "  ", " " * 13) for key, value in told.items())
