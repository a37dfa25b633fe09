"""`coach run` with an orchestrator, `coach status` and `coach undeploy`: runs that something else starts."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Any

import click

from coachcore.cli.output import table
from coachcore.errors import CoachError
from coachcore.folder import new_folder
from coachcore.presets.build import build_part
from coachcore.presets.preset import Preset
from coachcore.presets.writer import dump

RECORD = "deployment.json"


def deploy(preset: Preset, out: Path | None, *, workers: int | None, render_only: bool) -> None:
    """Write the resolved preset, less its orchestrator, into a new folder and hand it over; or show what would start.

    The file is there in both cases: what is rendered speaks of it. Raises what the orchestrator raises.
    """
    document = dict(preset.resolved)
    settings, count = document.pop("orchestrator"), workers or 1
    part = build_part(settings, "orchestrator")
    folder = (new_folder(preset.name, document["seed"]) if out is None else out).resolve()
    file = folder / f"{preset.name}.toml"
    try:
        folder.mkdir(parents=True)
        file.write_text(dump(document), encoding="utf-8")
    except OSError as problem:
        raise CoachError(f"cannot deploy from here: {problem.strerror or problem}", where=str(folder)) from None
    if render_only:
        click.echo("\n".join(f"# {name}\n{text.rstrip()}" for name, text in part.render(file, count).items()))
        return
    name, where = part.deploy(file, count), quote(str(folder))
    (folder / RECORD).write_text(json.dumps({"name": name, "workers": count, "orchestrator": settings}, default=str))
    click.echo(f"deployment: {name}\nsee it: coach status {where}\nstop it: coach undeploy {where}")


@click.command()
@click.argument("folder", metavar="DEPLOYMENT", type=click.Path(path_type=Path))
def status(folder: Path) -> None:
    """Show what is running in the DEPLOYMENT whose folder `coach run` made."""
    part, name = _deployed(folder)
    click.echo("\n".join(table(sorted(part.status(name).items()))) or "nothing is running")


@click.command()
@click.argument("folder", metavar="DEPLOYMENT", type=click.Path(path_type=Path))
def undeploy(folder: Path) -> None:
    """Stop all of the DEPLOYMENT whose folder `coach run` made; what it wrote stays."""
    part, name = _deployed(folder)
    part.undeploy(name)
    click.echo(f"{name}: stopped")


def _deployed(folder: Path) -> tuple[Any, str]:
    """The orchestrator that started a deployment, and what it calls it."""
    try:
        record = json.loads((folder / RECORD).read_bytes())
        settings, name = record["orchestrator"], str(record["name"])
    except (OSError, ValueError, KeyError, TypeError):
        raise CoachError(f"it is not a deployment: there is no sound {RECORD} in it", where=str(folder)) from None
    return build_part(settings, "orchestrator"), name
