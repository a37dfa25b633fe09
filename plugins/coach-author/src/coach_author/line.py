"""The four commands, as click sees them."""

from __future__ import annotations

from pathlib import Path

import click

from coach_author import create, trial, validation
from coach_author.sync import Synced
from coach_author.sync import sync as bring_in_step
from coachcore.cli.output import table
from coachcore.errors import CoachError, Problems
from coachcore.specs import KINDS

Folder = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command(short_help="Write manifests from the classes.")
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


@click.command(short_help="Write a new distribution.")
@click.argument("name")
@click.option("--kind", required=True, metavar="KIND", type=click.Choice(list(KINDS)), help="Kind of its part.")
@click.option("--part", default="", metavar="NAME", help="Name of its part (default: that of the distribution).")
@click.option("--into", default=Path(), metavar="FOLDER", type=Folder, help="Where its folder is made (default: here).")
def new(name: str, kind: str, part: str, into: Path) -> None:
    """Write a complete distribution NAME with one working part.

    Its part does something small: change it. With it come a manifest, a test
    by the laws of its kind, a docs page and a CI file.

    Kinds: filter, exploration, layer, embedder, middleware, head, memory,
    agent, environment, schedule, engine, store, transport, orchestrator,
    recorder, evaluator.

    \b
    Example:
      coach plugin new acme-root --kind filter
    """
    folder = create.new(create.Wanted(dist=name, kind=kind, part=part or name), into)
    click.echo(f"wrote {folder} with {kind} '{part or name}'; next:")
    click.echo(f"  python -m pip install -e {folder}[test]\n  coach plugin test {folder}")


@click.command(short_help="Say what is wrong with a distribution.")
@click.argument("path", default=Path(), type=Folder)
@click.option("--limit", default=60.0, show_default=True, metavar="SECONDS", help="Time an import may take.")
def validate(path: Path, limit: float) -> None:
    """Check the distribution in the folder PATH (default: this one).

    Says, a line a problem, where its manifest is not what its classes say, an
    entry point leads nowhere, a setting is undocumented or can be changed, or
    a name is taken; then exits with 2.
    """
    found = validation.problems(path, limit=limit)
    if found:
        raise Problems(found)
    click.echo(f"{path.resolve().name}: sound")


@click.command(short_help="Run its tests and the suites of its kinds.")
@click.argument("path", default=Path(), type=Folder)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def test(context: click.Context, path: Path, arguments: tuple[str, ...]) -> None:
    """Run the tests of the distribution in the folder PATH (default: this one).

    Every part of its manifest is also held to the laws of its kind, as by
    pytest --coach-conformance. ARGUMENTS after -- are handed to pytest.
    """
    context.exit(trial.tested(path, arguments))
