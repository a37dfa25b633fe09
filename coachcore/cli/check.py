"""`coach check PRESET`: every error of a preset in one pass, importing no plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from coachcore.cli.completion import preset_names

if TYPE_CHECKING:
    from coachcore.presets.preset import Preset
    from coachcore.presets.problems import PresetProblems


_SET = click.option(
    "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Override one setting, e.g. agent.discount=0.98."
)
_WITH = click.option("--with", "withs", multiple=True, metavar="FILE", help="Lay another TOML file over the preset.")


def layering(command: Any) -> Any:
    """The options by which a command lays changes over a preset."""
    return _SET(_WITH(command))


@click.command()
@click.argument("preset", shell_complete=preset_names)
@layering
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How errors are told.")
@click.pass_context
def check(ctx: click.Context, preset: str, sets: tuple[str, ...], withs: tuple[str, ...], form: str) -> None:
    """Check PRESET (a path, or the name of an installed preset).

    All errors are told at once, as file:line:col: message. Exit code 0 when
    there are none, else 2.
    """
    from coachcore.presets.preset import load_preset
    from coachcore.presets.problems import PresetProblems

    try:
        loaded = load_preset(preset, sets=sets, withs=withs)
    except PresetProblems as problems:
        click.echo(_json(preset, problems) if form == "json" else "\n".join(problems.lines))
        ctx.exit(problems.exit_code)
    for notice in loaded.notices:
        click.echo(f"note: {notice}", err=True)
    click.echo(_json(preset, None) if form == "json" else f"{preset}: no errors - {_summary(loaded)}")


def _summary(preset: Preset) -> str:
    """What the preset does, in one line."""
    tables: dict[str, Any] = dict(preset.resolved)
    environment = {key: value for key, value in tables["environment"].items() if isinstance(value, str)}
    where = environment.get("id", environment["use"])
    return f"{tables['agent']['use']} on {where} for {tables['schedule']['train']}"


def _json(preset: str, problems: PresetProblems | None) -> str:
    from json import dumps

    found = [
        {
            "file": problem.origin.file,
            "line": problem.origin.line,
            "column": problem.origin.column,
            "message": problem.message,
        }
        for problem in (problems.found if problems else ())
    ]
    return dumps({"preset": preset, "problems": found}, indent=2)
