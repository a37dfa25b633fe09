from collections.abc import Mapping

import click

from coachcore.api import hookimpl


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
def size(folder: str) -> None:
    """Say how large a run's folder is."""
    from pathlib import Path

    total = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    click.echo(f"{folder}: {total / 2**20:.1f} MiB")


@hookimpl
def coach_commands() -> Mapping[str, click.Command]:
    """`coach size FOLDER`."""
    return {"size": size}
