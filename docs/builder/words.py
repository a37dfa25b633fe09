"""From data and docstrings to Markdown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from builder.tree import Part
from coachcore.cli.output import toml
from coachcore.component import range_text
from coachcore.specs import ParamSpec

NOTE = "<!-- Written by docs/build.py; do not edit. -->"
PAPER = re.compile(r"arXiv:(\d{4}\.\d{4,5})|(?:doi:)?(10\.\d{4,}/[^\s,;)]*[^\s,;).])", re.IGNORECASE)
PLURALS = {"memory": "Memories", "exploration": "Exploration policies"}


def plural(kind: str) -> str:
    """What parts of a kind are called together."""
    return PLURALS.get(kind, f"{kind.capitalize()}s")


def single(kind: str) -> str:
    """What one part of a kind is called."""
    return "exploration policy" if kind == "exploration" else kind


def marked(text: str) -> str:
    """A docstring as Markdown: the two ways of marking code become one, and papers are linked."""
    return PAPER.sub(lambda found: f"[{found[0]}]({address(found)})", text.replace("``", "`"))


def address(found: re.Match[str]) -> str:
    """Where a paper lies."""
    return f"https://arxiv.org/abs/{found[1]}" if found[1] else f"https://doi.org/{found[2]}"


def papers(text: str) -> list[str]:
    """Links to the papers that a docstring names."""
    return list(dict.fromkeys(f"[{found[0]}]({address(found)})" for found in PAPER.finditer(text)))


def cell(text: str) -> str:
    """Text inside a table."""
    return marked(text).replace("|", "\\|").replace("\n", " ")


def code(value: object) -> str:
    """A value as code, inside a table too."""
    told = f"`` {value} ``" if "`" in str(value) else f"`{value}`"
    return told.replace("|", "\\|").replace("\n", " ")


def fact(value: Any) -> str:
    """A fact of a part."""
    if isinstance(value, str):
        return code(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(map(code, value))
    return code(toml(value))


def linked(part: Part, above: str = "../") -> str:
    """A part's name, leading to its page; `above` leads from the page it stands on to `docs/reference`."""
    return f"[`{part.spec.name}`]({above}{part.page})"


def listed(found: Iterable[Part], above: str = "../") -> str:
    """Parts in a line."""
    return ", ".join(linked(part, above) for part in found)


def rows(params: Iterable[ParamSpec]) -> Iterator[str]:
    """A table of settings."""
    yield "| setting | type | default | range | unit | what it is |"
    yield "|---|---|---|---|---|---|"
    for param in params:
        default = "required" if param.required else "unset" if param.default is None else code(toml(param.default))
        limits = ", ".join(filter(None, (range_text(param._asdict()), *(code(toml(word)) for word in param.choices))))
        doc = cell(param.doc) + (f" ({param.deprecated})" if param.deprecated else "")
        told = (code(param.type), default, cell(limits), param.unit, doc)
        yield f"| `{param.name}` | {' | '.join(told)} |"


def function(node: ast.FunctionDef) -> Iterator[str]:
    """A function's signature and docstring."""
    yield from ("```python", signature(node), "```", "")
    doc = ast.get_docstring(node)
    yield from ((marked(doc), "") if doc else ())


def signature(node: ast.FunctionDef) -> str:
    """A function's first lines, without its body."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    marks = [f"@{ast.unparse(mark)}\n" for mark in node.decorator_list]
    return f"{''.join(marks)}def {node.name}({ast.unparse(node.args)}){returns}".replace("'", '"')


def members(node: ast.ClassDef, lines: list[str]) -> Iterator[str]:
    """A class's fields together, with the comments beside them; then its methods."""
    fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    if fields:
        told = [line.strip() for part in fields for line in lines[part.lineno - 1 : part.end_lineno]]
        yield from ("```python", *told, "```", "")
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield from function(part)
