"""The page of hooks: each with its docstring and an example that tests call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from builder.tree import CORE, EXAMPLES, syntax, text_of
from builder.words import NOTE, function, marked
from coachcore.registry import hookspecs


def page() -> Iterator[str]:
    """Every hook, in the order of `coachcore.registry.hookspecs`."""
    tree = syntax(CORE / "registry" / "hookspecs.py")
    specs = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("coach_")]
    yield from ("# Hooks", "", NOTE, "", marked(ast.get_docstring(tree) or ""), "")
    yield from (f"There are {len(specs)}. [Plugins](../plugins.md#hooks) shows how a distribution offers them.", "")
    yield from ("| when | hooks, in the order in which they are called |", "|---|---|")
    for when, names in _moments([spec.name for spec in specs]).items():
        yield f"| {when} | {', '.join(f'[`{name}`](#{name})' for name in names)} |"
    yield ""
    for node in specs:
        plain = ast.FunctionDef(**{**vars(node), "decorator_list": []})
        yield from (f"## `{node.name}`", "", *function(plain))
        yield from ("```python", example(node.name), "```", "")


def _moments(names: list[str]) -> dict[str, list[str]]:
    asked = [name for name in names if name in hookspecs.DESCRIBE.values() or name == "coach_presets"]
    command = ["coach_commands", "coach_doctor_checks"]
    return {
        "parts and presets are looked up": asked,
        "a run": [name for name in names if name not in (*asked, *command)],
        "the command line": command,
    }


def example(hook: str) -> str:
    """An implementation: written by hand where there is such a file, else the class of a part is handed out."""
    path = EXAMPLES / "hooks" / f"{hook}.py"
    if path.is_file():
        return text_of(path).strip()
    kind = next(kind for kind, name in hookspecs.DESCRIBE.items() if name == hook)
    module, cls = f"acme_{kind}", f"Acme{kind.capitalize()}"
    lines = (f"from {module} import {cls}", "from coachcore.api import hookimpl", "", "", "@hookimpl")
    return "\n".join((*lines, f"def {hook}():", f"    return [{cls}]"))
