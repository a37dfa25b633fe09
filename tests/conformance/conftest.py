"""Every installed part of a module's `KIND`, one test each: a plugin is tested by being installed."""

from __future__ import annotations

from functools import cache

import pytest

from coachcore.registry.registry import Registry
from coachcore.testing.examples import Example, examples


@cache
def registry_as_installed() -> Registry:
    """Read once; what other tests register at run time does not show here."""
    return Registry()


@cache
def installed(kind: str) -> tuple[Example, ...]:
    return tuple(examples(registry_as_installed(), kind))


def cases(kind: str) -> list[object]:
    """The parts of `kind` by their full ids; where there is none, one skipped case that says so."""
    found = installed(kind)
    if not found:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=f"no {kind} is installed"))]
    return [
        pytest.param(one.part, id=one.id, marks=[pytest.mark.skip(reason=one.trouble)] if one.trouble else [])
        for one in found
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", cases(metafunc.module.KIND))
    if "law" in metafunc.fixturenames:
        laws = metafunc.module.LAWS
        metafunc.parametrize("law", laws, ids=[law.__name__.removeprefix("check_") for law in laws])


@pytest.fixture(scope="session")
def registry() -> Registry:
    return registry_as_installed()


@pytest.fixture(scope="session")
def agents() -> list[object]:
    """Every agent that could be made."""
    return [one.part for one in installed("agent") if not one.trouble]
