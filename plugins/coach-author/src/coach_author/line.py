"""The three commands, as click sees them."""

from __future__ import annotations

from pathlib import Path

import click

from coach_author import create, trial, validation
from coachcore.errors import Problems
from coachcore.specs import KINDS

Folder = click.Path(path_type=Path, exists=True, file_okay=False)


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
