"""`coach why`: where a name comes from, what it stands for, who else has it and what would change that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from coachcore.cli.completion import part_names
from coachcore.cli.find import find
from coachcore.cli.output import for_good, wrapped
from coachcore.registry.choice import Choice
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

    Where several do: which one is meant, and what would change that.
    An old name, a KIND/NAME and a full id are understood too.
    """
    registry = current()
    found = find(registry, name)
    asked = name.rpartition(":")[2].rpartition("/")[2]
    kinds = {kind: [entry for entry in found if entry.spec.kind == kind] for kind in KINDS}
    blocks = ["\n".join(_meaning(asked, group, registry.choice)) for group in kinds.values() if len(group) > 1]
    blocks += ["\n".join(_told(entry, asked, registry.unmistakable(entry))) for entry in found]
    troubles = [f"{t.dist}: {t.text}" for t in registry.troubles() if t.dist in {entry.dist for entry in found}]
    click.echo("\n\n".join([*blocks, *troubles]))


def _meaning(asked: str, group: Sequence[Entry], choice: Choice) -> Iterator[str]:
    """Which of several parts a short name means, and what would change that."""
    meant, where = choice.meant(group)
    told = f"{meant.id}, " + (f"preferred by {where}" if where else "nobody else is left") if meant else "none of these"
    yield wrapped(f"{group[0].spec.kind} '{asked}' means {told}", "", "    ")
    yield from (wrapped(f"{entry.id} is {entry.problem}", "  ", "  ") for entry in group if entry.state == "disabled")
    other = next((entry.id for entry in group if entry != meant), "")
    out = f"write the full id, or coach --prefer {other} (or --block) before the command"
    yield wrapped(f"to change that: {out}, or for good {for_good('prefer', other)}", "  ", "  ")


def _told(entry: Entry, asked: str, use: str) -> Iterator[str]:
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
        "in a preset": f'use = "{use}"',
    }
    yield from (wrapped(f"{key:11}  {value}", "  ", " " * 13) for key, value in told.items())
