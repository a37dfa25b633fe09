"""The `coach` command: its table of commands, and how errors leave it."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import click

from coachcore import __version__
from coachcore.cli.lazy import Lazy, OpenGroup
from coachcore.deprecated import CoachWarning
from coachcore.errors import CoachError, Problems
from coachcore.signals import listen
from coachcore.threads import one_thread_each

_AS_EVER = warnings.formatwarning
COMMANDS = {
    "run": Lazy("coachcore.cli.run:run", "Train a preset, or go on with a stopped run."),
    "evaluate": Lazy("coachcore.cli.evaluate:evaluate", "Let the policy of a run play, greedily."),
    "status": Lazy("coachcore.cli.deploy:status", "Show what an orchestrator has started."),
    "undeploy": Lazy("coachcore.cli.deploy:undeploy", "Stop what an orchestrator has started."),
    "check": Lazy("coachcore.cli.check:check", "Say everything that is wrong with a preset."),
    "presets": Lazy("coachcore.cli.presets:presets", "List the installed presets."),
    "list-plugins": Lazy("coachcore.cli.list_plugins:list_plugins", "List every installed part."),
    "describe": Lazy("coachcore.cli.describe:describe", "Show one part: its settings and an example."),
    "why": Lazy("coachcore.cli.why:why", "Say where a name comes from and who else has it."),
    "doctor": Lazy("coachcore.cli.doctor:doctor", "Try every plugin in a process of its own."),
    "plugin": Lazy("coachcore.cli.plugin:plugin", "Commands for authors of plugins."),
    "completion": Lazy("coachcore.cli.completion:completion", "Print the shell's completion script."),
}


def _chosen(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> None:
    """Tell the registry before a command is looked up, which may be a plugin's."""
    if words and not context.resilient_parsing:
        from coachcore.registry.registry import current

        current().choose(option.name, words)  # type: ignore[arg-type]


def _words(name: str, text: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    return click.option(name, multiple=True, metavar="DIST|ID", callback=_chosen, expose_value=False, help=text)


@click.command(
    "coach",
    cls=OpenGroup,
    table=COMMANDS,
    elsewhere=dict.fromkeys(("config", "init", "fill", "schema", "upgrade"), "coach-preset-tools"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="coach", message="%(prog)s %(version)s")
@_words("--prefer", "Where several offer a name, mean this one's.")
@_words("--block", "Do as if this were not installed.")
def coach() -> None:
    """Reinforcement learning in which every part is a plugin.

    With coach-preset-tools installed also: config, init, fill, schema, upgrade.
    """


def main() -> None:
    """Run the command line and exit: 0 done, 2 something the user can mend, 130 stopped by Ctrl-C."""
    one_thread_each()  # before anything imports NumPy: BLAS threads that spin cost a hundred times what they save
    if "_COACH_COMPLETE" in os.environ:
        coach.main(prog_name="coach")
    listen()
    warnings.formatwarning = _note
    code = invoke(sys.argv[1:])
    if "numpy" not in sys.modules:  # only read and told: at exit Python need not look through all that for garbage
        gc.freeze()
    sys.exit(code)


def _note(message: Warning | str, category: type[Warning], *place: Any, **line: Any) -> str:
    """A warning of Coach in one line, any other as ever."""
    return f"note: {message}\n" if issubclass(category, CoachWarning) else _AS_EVER(message, category, *place, **line)


def invoke(arguments: list[str]) -> int:
    """Run one command; its exit code. Whatever the user can mend is said in one line, without a traceback."""
    try:
        code = _called(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has left (`coach list-plugins | head`); Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except CoachError as error:
        lines = error.lines if isinstance(error, Problems) else (f"coach: {error}",)
        click.echo("\n".join(lines), err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("coach: stopped", err=True)
        return 130
    except Exception as error:
        # Whatever a plugin's part may raise that nobody foresaw: said in one line like everything else.
        if os.environ.get("COACH_TRACEBACK"):
            raise
        click.echo(f"coach: {_unexpected(error)}", err=True)
        return 2
    return code


def _unexpected(error: Exception) -> str:
    """Where and what, for an error that nobody foresaw: the line that raised it."""
    from traceback import extract_tb

    raised = extract_tb(error.__traceback__)[-1]
    named = " ".join(str(error).split()) or "no message"
    return (
        f"{raised.filename}:{raised.lineno}: {type(error).__name__}: {named} - "
        "mend the part that raised it; COACH_TRACEBACK=1 shows the way there"
    )


def _called(arguments: list[str]) -> int:
    try:
        # Not `coach.main`: it turns Ctrl-C into something of its own, and prints an empty line first.
        with coach.make_context("coach", arguments) as context:
            coach.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except SystemExit as end:
        raise CoachError(f"a part asked the whole program to exit ({end.code!r}) - mend that part") from None
    return 0
