"""What is said when something is wrong: every error class, and the messages that are written where it is raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from builder.tree import CORE, ROOT, syntax

FAMILY = "CoachError"


class Said(NamedTuple):
    """One message, with what it holds in braces, and the error that carries it."""

    error: str
    text: str


@cache
def sources() -> tuple[Path, ...]:
    """Every file that may raise; not the suites, whose failures are a test's."""
    found = [*CORE.rglob("*.py"), *ROOT.glob("plugins/*/src/**/*.py")]
    return tuple(sorted(path for path in found if CORE / "testing" not in path.parents))


@cache
def classes() -> dict[str, tuple[Path, ast.ClassDef]]:
    """Every error class of the family, the first one first."""
    known: dict[str, tuple[Path, ast.ClassDef]] = {}
    waiting = [(path, node) for path in sources() for node in syntax(path).body if isinstance(node, ast.ClassDef)]
    while True:
        family = [(p, n) for p, n in waiting if n.name == FAMILY or any(_last(b) in known for b in n.bases)]
        found = {node.name: (path, node) for path, node in family if node.name not in known}
        if not found:
            return known
        known |= found


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


@cache
def raised(path: Path) -> tuple[Said, ...]:
    """The messages of one file, in its order."""
    return tuple(dict.fromkeys(_raised(path)))


def _raised(path: Path) -> Iterator[Said]:
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            error = _last(node.exc.func)
            if error in classes() and node.exc.args and (text := worded(node.exc.args[0])):
                yield Said(error, text)


def worded(node: ast.expr) -> str:
    """A message as it is written; empty where it is put together elsewhere."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.JoinedStr):
        return ""
    told = [str(part.value) if isinstance(part, ast.Constant) else _held(part) for part in node.values]
    return "".join(told) if any(isinstance(part, ast.Constant) for part in node.values) else ""


def _held(node: ast.expr) -> str:
    """What stands in for a value: the name of what it is, or of what it is worked out from."""
    inner = node.value if isinstance(node, ast.FormattedValue) else node
    while isinstance(inner, ast.Subscript | ast.Call | ast.BinOp):
        inner = _inside(inner)
    if not isinstance(inner, ast.Attribute | ast.Name):
        return "<...>"
    name = inner.attr if isinstance(inner, ast.Attribute) else inner.id
    return "did you mean ...? known: ..." if name == "did_you_mean" else f"<{name.strip('_')}>"


def _inside(node: ast.Subscript | ast.Call | ast.BinOp) -> ast.expr:
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.BinOp):
        return node.left
    plain = isinstance(node.func, ast.Name) and node.func.id in ("len", "list", "tuple", "prod", "str", "sorted")
    return node.args[0] if plain and node.args else node.func
