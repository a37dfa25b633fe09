"""The page of commands: the command line's own help, and what plugins add, read as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from builder.tree import ROOT, short, syntax
from builder.words import NOTE
from coachcore.cli.main import coach


def page() -> Iterator[str]:
    """The command line's own help."""
    yield from ("# Commands", "", NOTE, "")
    yield from ("Exit codes: 0 done, 1 a check failed, 2 something the user can mend, 130 stopped by Ctrl-C.", "")
    yield from _command(coach, None, "coach", depth=2)
    yield from ("## Commands that plugins bring", "")
    yield from ("They are there where the distribution is installed; `--help` tells their options.", "")
    for path in sorted(ROOT.glob("plugins/*/src/**/*.py")):
        yield from _brought(path)


def _command(command: click.Command, above: click.Context | None, name: str, *, depth: int) -> Iterator[str]:
    settings = {**command.context_settings, "terminal_width": 78, "max_content_width": 80}  # what 80 columns leave
    context = click.Context(command, info_name=name, parent=above, **settings)
    path = context.command_path
    yield from (f"{'#' * min(depth, 3)} `{path}`", "", "```text", command.get_help(context).rstrip(), "```", "")
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                yield from _command(found, context, inner, depth=depth + 1 if above else depth)


def _brought(path: Path) -> Iterator[str]:
    """The commands that a module's ``coach_commands`` names, with the docstrings of their functions."""
    for hook in syntax(path).body:
        if not isinstance(hook, ast.FunctionDef) or hook.name != "coach_commands":
            continue
        homes = {
            alias.asname or alias.name: (str(node.module), alias.name)
            for node in ast.walk(hook)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        given = [node for node in ast.walk(hook) if isinstance(node, ast.Dict)]
        for key, value in zip(given[0].keys, given[0].values, strict=True) if given else ():
            yield from (f"### `coach {ast.literal_eval(key or ast.Constant(''))}`", "")
            yield from (f"Comes with `{short(path).split('/')[1]}`.", "", "```text")
            yield from (_said(path, homes, ast.unparse(value)), "```", "")


def _said(path: Path, homes: dict[str, tuple[str, str]], value: str) -> str:
    """The docstring of the function that `value` names: ``fill``, or ``line.new`` of the module ``line``."""
    first, _, rest = value.partition(".")
    module, name = homes[first]
    source = path.parents[len(path.relative_to(ROOT).parts) - 4]  # plugins/DIST/src
    file = source / Path(*(module if not rest else f"{module}.{name}").split(".")).with_suffix(".py")
    wanted = rest or name
    found = [node for node in syntax(file).body if isinstance(node, ast.FunctionDef) and node.name == wanted]
    return cleandoc((ast.get_docstring(found[0]) or "").replace("\b\n", ""))
