"""`coach plugin`: what authors of plugins need."""

from __future__ import annotations

from pathlib import Path

import click

from coachcore.cli.lazy import Lazy, OpenGroup
from coachcore.cli.output import table
from coachcore.errors import CoachError, Problems
from coachcore.registry.sync import Synced
from coachcore.registry.sync import sync as bring_in_step


@click.group(
    cls=OpenGroup,
    before="plugin ",
    table={"sync": Lazy("coachcore.cli.plugin:sync", "Write manifests from the classes.")},
)
def plugin() -> None:
    """Commands for authors of plugins.

    With coach-author installed also: new, validate, test.
    """


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path, exists=True))
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 where a manifest is out of step.")
@click.option("--limit", default=60.0, show_default=True, metavar="SECONDS", help="Time an import may take.")
@click.pass_context
def sync(context: click.Context, paths: tuple[Path, ...], check: bool, limit: float) -> None:
    """Write coach_plugin.json from the classes of the distributions in PATHs.

    A PATH is a folder with a pyproject.toml (default: this one); files among
    the PATHs are passed over, so a pattern will do.

    \b
    Examples:
      coach plugin sync
      coach plugin sync plugins/*
      coach plugin sync --check plugins/*
    """
    folders = [path for path in paths or (Path(),) if path.is_dir()]
    done: list[Synced] = []
    complaints: list[str] = []
    for folder in folders:
        try:
            done += bring_in_step(folder, write=not check, limit=limit)
        except Problems as error:
            complaints += error.lines
        except CoachError as error:
            complaints.append(f"coach: {error}")
    rows = [(one.dist, f"{one.state}; {one.remark}" if one.remark else one.state) for one in done]
    click.echo("\n".join(table(rows)))
    if complaints:
        raise Problems(complaints)
    if any(one.state == "out of step" for one in done):
        context.exit(1)
