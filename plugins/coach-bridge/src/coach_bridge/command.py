"""`coach convert OLD_PRESET.py`: an old preset as TOML, and what could not be converted."""

from __future__ import annotations

from pathlib import Path

import click

from coachcore.api import BadData


@click.command("convert")
@click.argument("preset", metavar="OLD_PRESET.py", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Where to write the preset; else it is printed."
)
@click.option("--level", metavar="NAME", help="The level, for a preset that leaves the choice open.")
@click.pass_context
def convert(ctx: click.Context, preset: Path, out: Path | None, level: str | None) -> None:
    """Convert a preset of RL Coach 1.0 to a preset of Coach.

    The file is read, never run. What there is to say is written as comments
    into the preset, and to standard error: notes, and what was left out and
    what to do about it. Exit code 0 when all was converted, 1 when something
    was left out, 2 when the file is no Python or no preset.
    """
    from coach_bridge.conversion import converted

    conversion = converted(_source(preset), str(preset), level)
    if out is None:
        click.echo(conversion.text, nl=False)
    else:
        _write(out, conversion.text)
    for line in conversion.lines:
        click.echo(line, err=True)
    ctx.exit(0 if conversion.complete else 1)


def _source(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadData(f"{_why(error)} - give the file of an old preset", where=str(file)) from None
    except UnicodeDecodeError:
        raise BadData(
            "this is not UTF-8 text, so no Python - give the file of an old preset", where=str(file)
        ) from None


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadData(f"{_why(error)} - give --out a file that can be written", where=str(file)) from None


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
