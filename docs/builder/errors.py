"""The page of errors: classes, exit codes, and every message that is written where it is raised."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from builder import messages
from builder.tree import CORE, ROOT, short, text_of
from builder.words import NOTE, code, marked
from coachcore.errors import CoachError

GALLERY = ROOT / "tests" / "presets" / "gallery"


def page() -> Iterator[str]:
    """What is said when something is wrong, and by what."""
    yield from ("# Errors", "", NOTE, "")
    yield from ("[When something is wrong](../errors.md) tells what to do about the common ones.", "")
    yield from ("What a user can mend is a `CoachError`, told in one line:", "")
    yield from ("`where - what, with the value - what would work`.", "")
    yield from ("In the messages below, `<name>` stands for a value.", "")
    yield from ("| exit code | meaning |", "|---|---|", "| 0 | done |", "| 1 | a check failed |")
    yield from (f"| {CoachError.exit_code} | something that the user can mend; nothing already written is lost |",)
    yield from ("| 130 | stopped by Ctrl-C or SIGTERM, after everything was saved |", "")
    for name, (path, node) in messages.classes().items():
        yield from _class(name, path, node)
    yield from _checker()


def _class(name: str, path: Path, node: ast.ClassDef) -> Iterator[str]:
    module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    above = ", ".join(ast.unparse(one) for one in node.bases)
    yield from (f"## `{name}`", "", f"`{module}.{name}`, a kind of `{above}`.", "")
    yield from (marked(ast.get_docstring(node) or ""), "")
    found = [(one, said.text) for one in messages.sources() for said in messages.raised(one) if said.error == name]
    ours = [(one, text) for one, text in found if CORE in one.parents]
    if ours:
        yield from ("| message | what would work | from |", "|---|---|---|")
        yield from (_row(text, one) for one, text in ours)
        yield ""
    others = len(found) - len(ours)
    if others:
        yield from (f"Parts of this tree raise it with {others} more messages: see the page of each.", "")


def _row(text: str, path: Path) -> str:
    what, _, helps = text.partition(" - " if " - " in text else "; ")
    return f"| {code(what)} | {code(helps) if helps else ''} | `{short(path)}` |"


def _checker() -> Iterator[str]:
    """Lines of the checker, from the gallery of wrong presets that its tests keep."""
    yield from ("## What the checker says", "")
    yield from ("Lines that wrong presets deserve, word for word; the parts in them are made up.", "", "```text")
    told = (line for path in sorted(GALLERY.glob("*.txt")) for line in text_of(path).splitlines())
    kinds: dict[str, str] = {}
    for line in told:
        kinds.setdefault(_shape(line), line)
    yield from (*kinds.values(), "```", "")


def _shape(line: str) -> str:
    """A line without its position and its values: of lines of one shape, one is shown."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+|known: .*", "", line.partition(": ")[2])
