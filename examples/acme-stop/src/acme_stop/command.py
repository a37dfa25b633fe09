"""`coach stop`."""

from __future__ import annotations

from pathlib import Path

import click

from acme_stop import FILE
from coachcore.api import CoachError


@click.command()
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--reason", default="asked to stop", show_default=True, help="What the run says it ended for.")
def stop(folders: tuple[Path, ...], reason: str) -> None:
    """Ask the runs in these folders to save and stop at their next event."""
    for folder in folders:
        if not (folder / "preset.toml").is_file():
            raise CoachError("it is not a run folder: there is no preset.toml in it", where=str(folder))
    for folder in folders:
        aside = folder / f".{FILE}.new"
        aside.write_text(f"{reason}\n", encoding="utf-8")
        aside.replace(folder / FILE)
    click.echo(f"asked: {len(folders)}")
