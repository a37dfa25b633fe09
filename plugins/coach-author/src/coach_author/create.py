"""Writing a new distribution from the templates."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from json import dumps
from keyword import iskeyword, issoftkeyword
from pathlib import Path
from re import fullmatch
from shutil import rmtree
from string import Template
from typing import NamedTuple

from coach_author.sync import sync
from coachcore.api import CoachError
from coachcore.specs import KINDS


class Wanted(NamedTuple):
    """What is to be written: a distribution with one part."""

    dist: str
    kind: str
    part: str

    @property
    def package(self) -> str:
        return self.dist.replace("-", "_")

    @property
    def module(self) -> str:
        return self.part.replace("-", "_")

    @property
    def cls(self) -> str:
        return "".join(word.capitalize() for word in self.part.split("-"))


def new(wanted: Wanted, into: Path) -> Path:
    """Write the distribution into a new folder in `into`; returns the folder.

    Raises `CoachError` for a name that will not do and for a folder that is there already;
    then nothing is written.
    """
    _check_names(wanted)
    folder = into / wanted.dist
    try:
        folder.mkdir()
    except FileExistsError:
        raise CoachError(
            "is there already - choose another name, or --into another folder", where=str(folder)
        ) from None
    except OSError as error:
        raise CoachError(f"cannot be made: {error.strerror}", where=str(folder)) from None
    try:
        for path, text in pages(wanted):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        sync(folder)
    except BaseException:  # also Ctrl-C: half a distribution is of no use, and its folder would be in the way
        rmtree(folder)
        raise
    return folder


def pages(wanted: Wanted) -> Iterator[tuple[str, str]]:
    """Path and text of every file but the manifest, which is written from the class."""
    templates = files("coach_author") / "templates"
    common, own = templates / "common", templates / "kinds" / wanted.kind
    values = _values(wanted, own)
    package = f"src/{wanted.package}"
    for source, target in (
        (common / "pyproject.toml.tmpl", "pyproject.toml"),
        (common / "README.md.tmpl", "README.md"),
        (common / "docs.md.tmpl", f"docs/{wanted.part}.md"),
        (common / "ci.yml.tmpl", ".github/workflows/test.yml"),
        (common / "gitignore.tmpl", ".gitignore"),
        (common / "__init__.py.tmpl", f"{package}/__init__.py"),
        (own / "part.py.tmpl", f"{package}/{wanted.module}.py"),
        (own / "test.py.tmpl", f"tests/test_{wanted.module}.py"),
    ):
        yield target, Template(source.read_text(encoding="utf-8")).substitute(values)
    yield f"{package}/py.typed", ""


def _values(wanted: Wanted, own: Traversable) -> dict[str, str]:
    """What the templates leave open."""
    values = {"dist": wanted.dist, "kind": wanted.kind, "name": wanted.part, "group": KINDS[wanted.kind]}
    values |= {"package": wanted.package, "module": wanted.module, "cls": wanted.cls}
    facts = tomllib.loads((own / "kind.toml").read_text(encoding="utf-8"))
    use = Template((own / "use.toml.tmpl").read_text(encoding="utf-8")).substitute(values)
    return values | {"depends": ", ".join(map(dumps, facts["depends"])), "use": use.rstrip()}


def _check_names(wanted: Wanted) -> None:
    for name in (wanted.dist, wanted.part):
        if not fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
            raise CoachError("a name is lower-case words joined by hyphens, such as 'acme-root'", where=name)
        module = name.replace("-", "_")
        if iskeyword(module) or issoftkeyword(module):
            raise CoachError("is a word of Python itself - choose another name, such as 'acme-root'", where=name)
    package = wanted.package
    if package in sys.stdlib_module_names or find_spec(package) is not None:
        raise CoachError(f"a package '{package}' is installed here already - choose another name", where=wanted.dist)
