"""`coach check PRESET...`: every error of a preset in one pass, importing no plugin."""

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
@click.argument("presets", nargs=-1, required=True, metavar="PRESET...", shell_complete=preset_names)
@layering
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How errors are told.")
@click.pass_context
def check(
    ctx: click.Context, presets: tuple[str, ...], sets: tuple[str, ...], withs: tuple[str, ...], form: str
) -> None:
    """Check each PRESET (a path, or the name of an installed preset).

    All errors are told at once, as file:line:col: message. Exit code 0 when
    there are none, else 2. As JSON: an object, or a list of them for several.
    """
    from coachcore.presets.preset import load_preset
    from coachcore.presets.problems import PresetProblems

    code, told = 0, []
    for preset in presets:
        try:
            loaded = load_preset(preset, sets=sets, withs=withs)
        except PresetProblems as problems:
            code = problems.exit_code
            told.append(_found(preset, problems))
            lines = [*problems.lines]
        else:
            told.append(_found(preset, None))
            lines = [f"{preset}: no errors - {_summary(loaded)}"]
            for notice in loaded.notices:
                click.echo(f"note: {notice}", err=True)
        if form == "text":
            click.echo("\n".join(lines))
    if form == "json":
        click.echo(_json(told[0] if len(told) == 1 else told))
    ctx.exit(code)


def _summary(preset: Preset) -> str:
    """What the preset does, in one line."""
    tables: dict[str, Any] = dict(preset.resolved)
    environment = {key: value for key, value in tables["environment"].items() if isinstance(value, str)}
    where = environment.get("id", environment["use"])
    return f"{tables['agent']['use']} on {where} for {tables['schedule']['train']}"


def _found(preset: str, problems: PresetProblems | None) -> dict[str, Any]:
    """What was found, for programs."""
    found = [
        {key: getattr(problem.origin, key) for key in ("file", "line", "column")} | {"message": problem.message}
        for problem in (problems.found if problems else ())
    ]
    return {"preset": preset, "problems": found}


def _json(told: Any) -> str:
    from json import dumps

    return dumps(told, indent=2)
