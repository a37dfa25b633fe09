"""`coach run`: train a preset, or go on with a stopped run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from coachcore.cli.check import layering
from coachcore.cli.completion import preset_names

if TYPE_CHECKING:
    from coachcore.presets.preset import Preset


@click.command()
@click.argument("preset", required=False, shell_complete=preset_names)
@layering
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the run (default: the preset's).")
@click.option("--resume", metavar="DIR", type=click.Path(path_type=Path),
              help="Go on with the run in DIR from its latest checkpoint, bit for bit.")  # fmt: skip
@click.option("--frozen", metavar="DIR", type=click.Path(path_type=Path),
              help="Do the run in DIR again in a new folder, or say what is no longer the same.")  # fmt: skip
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="Folder of the run (default: runs/PRESET-TIME-SEED)."
)
@click.option("--orchestrator", metavar="NAME", help="Let this part start the run; --out is the deployment's folder.")
@click.option("--workers", metavar="N", type=click.IntRange(min=1), help="With an orchestrator: how many (default: 1).")
@click.option("--render-only", is_flag=True, help="With an orchestrator: show what it would start, and do not.")
@click.option("--print-network", is_flag=True, help="Show the networks, a line a layer, and do not train.")
@click.pass_context
def run(context: click.Context, /, preset: str | None, resume: Path | None, out: Path | None, **changes: Any) -> None:
    """Train PRESET: the name of an installed preset, or the path of a TOML file.

    Ctrl-C saves everything and says how to go on; a second Ctrl-C stops at once.

    \b
    Examples:
      coach run cartpole-dqn
      coach run cartpole-dqn --print-network
      coach run cartpole-dqn --seed 3 --set agent.learner.learning_rate=1e-3
      coach run --resume runs/cartpole-dqn-20260101-120000-0
      coach run --frozen runs/cartpole-dqn-20260101-120000-0
      coach run my-preset --orchestrator my-cluster --workers 4 --render-only
    """
    from coachcore.door import run as train
    from coachcore.events import figure

    only_print, frozen = changes.pop("print_network"), changes.pop("frozen")
    orchestrator = changes.pop("orchestrator")
    asked = {name: changes.pop(name) for name in ("workers", "render_only")}
    if orchestrator is not None:
        changes["sets"] = (f'orchestrator.use="{orchestrator}"', *changes["sets"])
    _possible(preset or frozen, resume, out, changes)
    if frozen is not None:
        _alone(preset, resume, changes)
    loaded = _loaded(preset, changes)
    if only_print:
        click.echo(_networks(loaded))
        return
    if resume is None and loaded is not None and "orchestrator" in loaded.resolved:
        from coachcore.cli.deploy import deploy

        deploy(loaded, out, **asked)
        return
    if any(asked.values()):
        raise click.UsageError("--workers and --render-only are for an [orchestrator]: name one by --orchestrator")
    if resume is not None:
        _warn(resume)
    outcome = train(loaded, out=out, resume=resume, frozen=frozen)
    best = "" if outcome.best is None else f", best evaluation {figure(outcome.best)}"
    compiled = f", {outcome.compile_seconds:.1f} s spent compiling" if outcome.compile_seconds else ""
    counts = f"{outcome.steps} steps, {outcome.episodes} episodes, {outcome.updates} updates"
    click.echo(f"{outcome.reason} after {counts}{best}{compiled}")
    if outcome.interrupted:
        click.echo(f"saved; go on with: coach run --resume {quote(str(outcome.folder))}")
        context.exit(130)
    click.echo(f"run folder: {outcome.folder}")


def _possible(preset: str | Path | None, resume: Path | None, out: Path | None, changes: Mapping[str, Any]) -> None:
    if preset is None and resume is None:
        raise click.UsageError("name a PRESET, or a run to --resume; `coach presets` lists what is installed")
    if resume is not None and out is not None:
        raise click.UsageError("--out and --resume exclude each other: a resumed run goes on in its own folder")
    if preset is None and any(value not in ((), None) for value in changes.values()):
        raise click.UsageError("a resumed run keeps its settings: drop --set, --with and --seed, or start a new run")


def _alone(preset: str | None, resume: Path | None, changes: Mapping[str, Any]) -> None:
    if preset is not None or resume is not None or any(value not in ((), None) for value in changes.values()):
        raise click.UsageError("a frozen run takes all from its folder: give --out and nothing else beside --frozen")


def _loaded(preset: str | None, changes: Mapping[str, Any]) -> Preset | None:
    """The preset with what the command line changes; what that dropped is told."""
    from coachcore.door import load_preset

    if preset is None:
        return None
    loaded = load_preset(preset, **changes)
    for notice in loaded.notices:
        click.echo(f"note: {notice}", err=True)
    return loaded


def _networks(preset: Preset | None) -> str:
    """The networks of a preset as its engine builds them; raises `UsageError` for a run that is resumed."""
    from coachcore.presets.build import build
    from coachcore.running.machine import Machine

    if preset is None:
        raise click.UsageError("--print-network shows the networks of a PRESET: name one")
    machine = Machine(build(preset))
    try:
        return machine.learner.summary()
    finally:
        machine.close()


def _warn(resume: Path) -> None:
    """Tell what is installed otherwise than when the run started, and whether there is anything to go on from."""
    from coachcore.folder import changes
    from coachcore.running.checkpoint import Checkpoints

    for change in changes(resume):
        click.echo(f"note: {change}; the run may not continue bit for bit", err=True)
    if not Checkpoints(resume / "checkpoints").begun():
        click.echo("note: nothing had been saved, the run starts at its beginning", err=True)
