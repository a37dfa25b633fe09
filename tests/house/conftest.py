"""The house's own files, read once: a test that takes `core_file`, `plugin_file` or `source_file` runs once a file."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Import:
    """One imported module: `name` in full, and whether it is imported as soon as the file is."""

    name: str
    line: int
    at_once: bool

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]


class Source:
    """One Python file of the house."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path, self.home = path, home
        self.name = str(path.relative_to(ROOT))
        parts = path.relative_to(home).with_suffix("").parts
        self.module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def dist(self) -> Path:
        """The folder of its distribution."""
        return ROOT if self.home == ROOT else self.home.parent

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.name)

    @cached_property
    def imports(self) -> list[Import]:
        """Every import, also those inside functions and under ``if TYPE_CHECKING``."""
        return list(self._imports(self.tree, at_once=True))

    def _imports(self, node: ast.AST, *, at_once: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, child.lineno, at_once) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                yield from (Import(self._full(child, alias.name), child.lineno, at_once) for alias in child.names)
            else:
                later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
                yield from self._imports(child, at_once=at_once and not (later or typing))

    def _full(self, node: ast.ImportFrom, name: str) -> str:
        """``from a.b import c`` imports ``a.b.c`` where that is a module, else ``a.b``."""
        if node.level:
            return "." * node.level + (node.module or "")
        longer = f"{node.module}.{name}"
        place = self.home / Path(*longer.split("."))
        return longer if place.is_dir() or place.with_suffix(".py").is_file() else str(node.module)

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    @cached_property
    def components(self) -> dict[str, tuple[str, str]]:
        """Class name -> kind and name, for every class marked by ``@component("kind", "name")``."""
        found = {}
        for node in self.classes:
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("component"):
                    kind, name = (ast.literal_eval(given) for given in mark.args[:2])
                    found[node.name] = (kind, name)
        return found

    def __repr__(self) -> str:
        return self.name


CORE = [Source(path, ROOT) for path in sorted((ROOT / "coachcore").rglob("*.py"))]
HOMES = sorted((ROOT / "plugins").glob("*/src"))
PLUGINS = [Source(path, home) for home in HOMES for path in sorted(home.rglob("*.py"))]
TESTS = [
    Source(path, home) for home in sorted((ROOT / "plugins").glob("*/tests")) for path in sorted(home.rglob("*.py"))
]
PROJECTS = {path.parent.name: tomllib.loads(path.read_text()) for path in sorted(ROOT.glob("plugins/*/pyproject.toml"))}
SETS = {
    "core_file": CORE,
    "plugin_file": PLUGINS,
    "plugin_test": TESTS,
    "source_file": [*CORE, *PLUGINS],
    "any_file": [*CORE, *PLUGINS, *TESTS],
    "project": list(PROJECTS.items()),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, members in SETS.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, members, ids=[str(each[0] if name == "project" else each) for each in members])


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def core() -> list[Source]:
    return CORE


@pytest.fixture(scope="session")
def plugins() -> list[Source]:
    return PLUGINS


@pytest.fixture(scope="session")
def projects() -> dict[str, dict]:
    return PROJECTS
