"""The pages of Python names and installed presets, and the index."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from builder.tree import ROOT, layered, parts_of, presets, syntax
from builder.words import NOTE, cell, function, linked, marked, plural
from coachcore.specs import KINDS


def python() -> Iterator[str]:
    """The names for scripts, and those for authors of plugins."""
    import coachcore

    yield from ("# Python names", "", NOTE, "", "## `coachcore`", "")
    yield from ("What a script or a notebook needs.", "")
    for name in coachcore.__all__:
        yield from _public(coachcore._HOMES[name], name)  # noqa: SLF001 - the table is what makes the names public
    yield from ("## `coachcore.api`", "", "What authors of plugins import; nothing else of the core is promised.", "")
    yield from ("| name | what it is |", "|---|---|")
    api = import_module("coachcore.api")
    yield from (f"| `{name}` | {cell(_first_line(getattr(api, name)))} |" for name in api.__all__)


def _public(module: str, name: str) -> Iterator[str]:
    tree = syntax(ROOT / f"{module.replace('.', '/')}.py")
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name)
    yield from (f"### `{name}`", "")
    if isinstance(node, ast.FunctionDef):
        yield from function(node)
        return
    yield from (marked(ast.get_docstring(node) or ""), "")
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            yield from function(part)


def _first_line(thing: Any) -> str:
    ours = getattr(thing, "__module__", "").startswith("coachcore")
    return (thing.__doc__ or "").strip().partition("\n")[0] if ours else ""


def installed_presets() -> Iterator[str]:
    """What `coach run` can be given by name."""
    yield from ("# Installed presets", "", NOTE, "")
    yield from ("What `coach run NAME` can be given when all distributions of this tree are installed.", "")
    yield from ("| preset | what it is | agent | environment | reaches | within |", "|---|---|---|---|---|---|")
    yield from (_preset(name, layered(path)) for name, path in presets().items())


def _preset(name: str, data: Mapping[str, Any]) -> str:
    goal, agent, environment = data.get("validation", {}), data.get("agent", {}), data.get("environment", {})
    within = str(goal.get("within", "")).replace("_", ",")
    where = environment.get("id", environment.get("use", ""))
    return (
        f"| `{name}` | {cell(data.get('summary', ''))} | `{agent.get('use', '')}` | `{where}` "
        f"| {goal.get('reward', '')} | {within} |"
    )


def index() -> Iterator[str]:
    """Everything that the reference has."""
    yield from ("# Reference", "", NOTE, "")
    yield from ("Every part, setting, hook and command, from the same tables that the checker reads.", "")
    yield from (f"- [{plural(kind)}]({kind}.md): {_names(kind)}" for kind in KINDS if parts_of(kind))
    without = [kind for kind in KINDS if not parts_of(kind)]
    if without:
        linked_kinds = ", ".join(f"[{plural(kind).lower()}]({kind}.md)" for kind in without)
        yield f"- Kinds with a contract and no part yet: {linked_kinds}"
    yield from ("", "```{toctree}", ":maxdepth: 1", "")
    yield from ("presets", "settings", "commands", "python", "hooks", "errors", *KINDS, "```")


def _names(kind: str) -> str:
    return ", ".join(linked(part, "") for part in parts_of(kind))
