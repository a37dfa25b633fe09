"""One table of settings, six outputs: change a default, and all of them change."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import attrs
import pytest

from coachcore.api import component, hookimpl, param
from coachcore.registry.manifest import render

ROOT = Path(__file__).resolve().parents[3]


def part(default):
    @component("filter", "plus", acts_on="reward")
    @attrs.frozen(kw_only=True)
    class Plus:
        """Adds a constant."""

        amount: float = param(default=default, ge=0, doc="what is added")

    return Plus


@pytest.fixture
def page(monkeypatch):
    """A part's settings in the reference, as docs/build.py writes them."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    rows = import_module("builder.words").rows
    return lambda spec: list(rows(spec.params))


@pytest.fixture
def outputs(coach, registry, small, page):
    """All that is said of the part when its default is `amount`."""
    small.write_text(small.read_text() + '\n[[filters.reward]]\nuse = "plus"\n')

    def said(amount):
        cls = part(amount)

        class Acme:
            @hookimpl
            def coach_filters(self):
                return (cls,)

        registry.register(Acme(), "acme")
        spec = cls.__coach__
        definitions = json.loads(coach("schema").out)["definitions"]
        found = {
            "manifest": json.loads(render("acme", [spec]))["components"][0]["params"][0]["default"],
            "listing": f"amount float = {amount}  what is added" in coach("list-plugins", "--long").out,
            "describe": f"  amount float = {amount}" in coach("describe", "filter/plus").out.splitlines(),
            "config": f"amount = {amount}" in coach("config", "small.toml").out.splitlines(),
            "schema": definitions["filter.acme.plus"]["properties"]["amount"]["default"],
            "docs": f"| `amount` | `float` | `{amount}` | >= 0 |  | what is added |" in page(spec),
            "fill": f"amount = {amount}  # what is added" in coach("fill", "small.toml").out.splitlines(),
        }
        registry.unregister("acme")
        return found

    return said


def test_a_default_that_changes_changes_everywhere(outputs):
    for amount in (1.0, 2.5):
        assert outputs(amount) == {
            "manifest": amount,
            "listing": True,
            "describe": True,
            "config": True,
            "schema": amount,
            "docs": True,
            "fill": True,
        }


def test_a_default_that_is_no_longer_allowed_is_refused_where_it_is_used(coach, registry, small):
    """The checker reads the same bounds."""
    small.write_text(small.read_text() + '\n[[filters.reward]]\nuse = "plus"\namount = -1\n')

    class Acme:
        @hookimpl
        def coach_filters(self):
            return (part(1.0),)

    registry.register(Acme(), "acme")
    assert coach("check", "small.toml").out.endswith("amount: -1 is out of range - must be >= 0\n")
