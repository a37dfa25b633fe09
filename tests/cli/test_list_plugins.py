"""`coach list-plugins` over sound and broken distributions."""

from __future__ import annotations

import json
from typing import Any

import pytest

MANIFEST = json.dumps(
    {
        "manifest": 1,
        "api": "1.0",
        "dist": "acme",
        "components": [
            {
                "kind": "filter",
                "name": "plus",
                "object": "acme:Plus",
                "summary": "Adds a ``constant`` to whatever comes along, and says so in a sentence far too long.",
                "aliases": ["PlusFilter"],
                "params": [{"name": "amount", "type": "float", "default": 1.0, "doc": "what is added"}],
            },
            {
                "kind": "filter",
                "name": "sum",
                "object": "acme:Sum",
                "summary": "Sums.",
                "needs": ["not_installed_anywhere"],
            },
            {"kind": "memory", "name": "sieve", "object": "acme:Sieve", "summary": "Forgets."},
        ],
    }
)
POINTS = "[coach.filters]\nplus = acme:Plus\nsum = acme:Sum\n[coach.memories]\nsieve = acme:Sieve\n"


@pytest.fixture
def stocked(shop: Any) -> Any:
    """Two distributions, one of them with a bad manifest."""
    shop.add("acme", points=POINTS, manifest=MANIFEST, code="raise SystemExit(9)")
    shop.add("hurt", points={"minus": "hurt:Minus"}, manifest="{")
    return shop


def test_rows_are_aligned_and_cut_to_the_terminal(stocked: Any) -> None:
    said = stocked("list-plugins")
    assert said.code == 0
    assert said.out == (
        "filter  minus  hurt 1.0\n"
        "filter  plus   acme 1.0  Adds a constant to whatever comes along, and says so...\n"
        "filter  sum    acme 1.0  [unavailable] needs not_installed_anywhere, not inst...\n"
        "\n"
        "memory  sieve  acme 1.0  Forgets.\n"
        "\n"
        "4 parts of 2 kinds in 2 distributions, 1 not usable, 1 trouble with whole distributions\n"
    )
    assert said.err == "coach: trouble with hurt - see `coach list-plugins --broken`\n"


def test_one_kind(stocked: Any) -> None:
    assert stocked("list-plugins", "--kind", "memory").out.startswith(
        "memory  sieve  acme 1.0  Forgets.\n\n1 part of 1 kind"
    )
    said = stocked("list-plugins", "--kind", "memroy")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("coach: there is no kind of part called 'memroy' - did you mean 'memory'?")


def test_long_adds_settings_and_old_names(stocked: Any) -> None:
    lines = stocked("list-plugins", "--long").out.splitlines()
    assert lines[0] == "filter  minus  hurt 1.0"
    assert lines[1] == "    settings not described here; `coach describe filter/minus` asks the part"
    assert lines[2:7] == [
        "filter  plus   acme 1.0",
        "    Adds a constant to whatever comes along, and says so in a sentence far too",
        "    long.",
        "    amount float = 1.0  what is added",
        "    also called PlusFilter",
    ]


def test_json_says_everything(stocked: Any) -> None:
    data = json.loads(stocked("list-plugins", "--json").out)
    assert data["schema"] == 1
    assert [part["id"] for part in data["parts"]] == [
        "hurt/filter:minus",
        "acme/filter:plus",
        "acme/filter:sum",
        "acme/memory:sieve",
    ]
    assert data["parts"][0]["params"] is None
    assert data["parts"][1]["params"][0]["default"] == 1.0
    assert (data["parts"][2]["state"], data["parts"][2]["needs"]) == ("unavailable", ["not_installed_anywhere"])
    assert [trouble["dist"] for trouble in data["troubles"]] == ["hurt"]


def test_broken_tells_only_what_is_amiss_and_why(stocked: Any) -> None:
    said = stocked("list-plugins", "--broken")
    assert said.code == 0
    assert said.err == ""
    text = " ".join(said.out.split())
    assert "acme/filter:sum [unavailable] needs not_installed_anywhere, not installed here" in text
    assert "hurt 1.0: coach_plugin.json: is not JSON" in text
    assert "plus" not in text


def test_where_nothing_is_broken_that_is_said(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"})
    assert shop("list-plugins", "--broken") == (0, "nothing is broken\n", "")


def test_nothing_installed_is_no_error(shop: Any) -> None:
    assert shop("list-plugins") == (0, "0 parts of 0 kinds in 0 distributions\n", "")


def test_a_clash_shows_both(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"})
    shop.add("other", points={"plus": "other:Plus"})
    assert shop("list-plugins").out.count("[clash] the name is also") == 2


def test_parts_of_a_newer_minor_api_are_one_line_a_distribution(shop: Any) -> None:
    manifest = MANIFEST.replace('"1.0"', '"1.99"')
    shop.add("acme", points=POINTS, manifest=manifest)
    said = shop("list-plugins")
    assert said.code == 0
    assert said.err == "coach: acme 1.0: made for Coach API 1.99, this core has 1.0 - a newer coachcore may be needed\n"
