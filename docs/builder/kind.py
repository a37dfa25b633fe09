"""The page of a kind: its parts, its contract, what a part of it is held to, and one to begin with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Template

from builder.fitting import acting_on, words
from builder.tree import CORE, ROOT, parts_of, syntax, text_of
from builder.words import NOTE, cell, code, linked, marked, members, plural, single
from coachcore.cli.describe import PLACES
from coachcore.registry import hookspecs
from coachcore.specs import KINDS

NETWORK = {"layer": "LayerPart", "embedder": "Embedder", "middleware": "Middleware", "head": "Head"}
"""Kinds whose contracts stand together, and what these are called."""
PLAIN_PLACES = {
    "filter": "`[[filters.NAME]]` for the observation NAME, `[[filters.reward]]` or `[[filters.action]]`",
    "layer": "an item of a setting of type `layer[]`, such as the `scheme` of an embedder or a middleware",
    "schedule": "wherever a setting of type `schedule` stands",
}
TEMPLATES = ROOT / "plugins" / "coach-author" / "src" / "coach_author" / "templates" / "kinds"


def page(kind: str) -> Iterator[str]:
    """What parts of a kind are, which there are, and how one is written."""
    hook, found = hookspecs.DESCRIBE[kind], parts_of(kind)
    specs = _functions(CORE / "registry" / "hookspecs.py")
    yield from (f"# {plural(kind)}", "", NOTE, "")
    yield from (marked(specs[hook]), "")
    yield from (f"- Entry-point group: `{KINDS[kind]}`", f"- Hook: [`{hook}`](hooks.md#{hook})")
    if told := PLAIN_PLACES.get(kind) or PLACES.get(kind):
        yield f"- In a preset: {told if '`' in told else code(told)}"
    yield ""
    yield from _table(kind) if found else ("None comes with this version; the contract is fixed: one can be written.",)
    yield from ("", "## The contract", "", *_contract(kind), *_laws(kind), *_first(kind))
    if found:
        yield from ("```{toctree}", ":hidden:", "", *(f"{kind}/{part.spec.name}" for part in found), "```")


def _table(kind: str) -> Iterator[str]:
    """The parts; filters by what they act on."""
    groups = ("observation", "reward", "action") if kind == "filter" else ("",)
    for group in groups:
        yield from (f"## Of {group}s", "") if group else ()
        yield from ("| name | what it is | comes with |", "|---|---|---|")
        for part in acting_on(group) if group else parts_of(kind):
            more = _provides(part.spec.facts.get("provides"))
            yield f"| {linked(part, '')} | {cell(part.spec.summary)}{more} | `{part.entry.dist}` |"
        yield ""


def _provides(told: object) -> str:
    return f" Provides {', '.join(map(code, words(told)))}." if told else ""


def _contract(kind: str) -> Iterator[str]:
    """What implementers keep true: the Protocols of `coachcore.contracts`, read without importing them."""
    name = "network" if kind in NETWORK else kind
    path = CORE / "contracts" / f"{name}.py"
    yield from (f"From `coachcore.contracts.{name}`.", "")
    for node in syntax(path).body:
        if isinstance(node, ast.ClassDef) and (name != "network" or node.name == NETWORK[kind]):
            yield from (f"### {node.name}", "", marked(ast.get_docstring(node) or ""), "")
            yield from members(node, text_of(path).splitlines())


def _laws(kind: str) -> Iterator[str]:
    """What the conformance suite checks, in the order of the suite."""
    home = "network" if kind in NETWORK else kind
    path = CORE / "testing" / f"{home}.py"
    names = _listed(syntax(path)) or [name for name in _functions(path) if name.startswith("check_")][:-1]
    told = _told(path)
    yield from ("## What a part is held to", "")
    yield from (f"`coachcore.testing.{home}` states these laws.", "")
    yield from ("`coach plugin test` and `pytest --coach-conformance` hold every part of a distribution to them.", "")
    yield from (f"- {_sentence(name)}: {marked(told[name])}" for name in names if name in told)
    yield ""


def _listed(module: ast.Module) -> list[str]:
    """The functions that a suite's ``LAWS`` (or ``CHECKS``) names."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("LAWS", "CHECKS"):
            return [inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)]
    return []


def _functions(path: Path) -> dict[str, str]:
    nodes = [node for node in syntax(path).body if isinstance(node, ast.FunctionDef)]
    return {node.name: " ".join((ast.get_docstring(node) or "").split()) for node in nodes}


def _told(path: Path) -> dict[str, str]:
    """What a module's functions say, its own and those that it imports from the kit."""
    found: dict[str, str] = {}
    for node in syntax(path).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("coachcore.testing."):
            theirs = _functions(CORE.parent / f"{str(node.module).replace('.', '/')}.py")
            found |= {alias.name: theirs[alias.name] for alias in node.names if alias.name in theirs}
    return found | {name: doc for name, doc in _functions(path).items() if doc}


def _sentence(name: str) -> str:
    return name.removeprefix("check_").replace("_", " ")


def _first(kind: str) -> Iterator[str]:
    """What `coach plugin new` writes."""
    path = TEMPLATES / kind / "part.py.tmpl"
    if not path.is_file():
        return
    name = f"acme-{kind}"
    cls = "".join(word.capitalize() for word in name.split("-"))
    text = Template(text_of(path)).safe_substitute(name=name, cls=cls, dist=name, package=name.replace("-", "_"))
    yield from ("## One to begin with", "")
    yield from (f"`coach plugin new {name} --kind {kind}` writes a whole distribution around this {single(kind)}.", "")
    yield from ("[The tutorial](../tutorial.md) goes the rest of the way.", "", "```python", text.rstrip(), "```", "")
