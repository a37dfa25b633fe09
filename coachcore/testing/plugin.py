"""The kit as a pytest plugin: ``--coach-conformance``, honest suites, and the fixtures `coachbox` and `leak_guard`.

It is loaded into every pytest run of an environment that has Coach, so what is heavy is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from coachcore.testing.coachbox import CoachBox

FLAG = "--coach-conformance"
MANIFEST = "coach_plugin.json"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flag."""
    group = parser.getgroup("coach")
    group.addoption(FLAG, action="store_true", help="hold every part of the distribution's manifest to Coach's suites")


def pytest_configure(config: pytest.Config) -> None:
    """With the flag, the manifests of the distributions that are tested are collected too."""
    if config.getoption(FLAG):
        from coachcore.testing.collect import manifests

        given = [Path(config.invocation_params.dir, arg.partition("::")[0]) for arg in config.args]
        found = manifests(given)
        if not found:
            raise pytest.UsageError(f"{FLAG}: no {MANIFEST} is in {given[0]} - run `coach plugin sync` there first")
        config.args += [str(path) for path in found if not any(path.is_relative_to(one) for one in given)]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A manifest, with the flag: one test a part and law."""
    if file_path.name != MANIFEST or not parent.config.getoption(FLAG):
        return None
    from coachcore.testing.collect import ManifestFile

    return ManifestFile.from_parent(parent, path=file_path)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> Iterator[None]:
    """Beside a conformance class that lacks standard tests, a test that fails and names them."""
    made: Any = yield
    if made is not None and isinstance(obj, type) and any(one.__name__.endswith("Conformance") for one in obj.__mro__):
        from coachcore.testing.collect import Tampered
        from coachcore.testing.honesty import missing

        found = missing(obj)
        if found:
            mended = Tampered.from_parent(collector, name=f"{name}-asks-all", found=found)
            return [*(made if isinstance(made, list) else [made]), mended]  # type: ignore[return-value]
    return made  # type: ignore[no-any-return]


@pytest.fixture
def leak_guard() -> Iterator[None]:
    """The test leaves no environment variable, random state, thread or open file behind."""
    from coachcore.testing.leaks import nothing_left_behind

    with nothing_left_behind():
        yield


@pytest.fixture
def coachbox(tmp_path: Path) -> CoachBox:
    """A folder for made-up distributions, and the `coach` command that sees these alone."""
    from coachcore.testing.coachbox import CoachBox as Box

    return Box(tmp_path / "coachbox")
