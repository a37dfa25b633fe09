"""`coach why`: where a name comes from."""

from __future__ import annotations

from typing import Any


def test_where_a_part_comes_from(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"}, code="raise SystemExit(9)")
    said = shop("why", "plus")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "acme/filter:plus"
    assert "  offered by   acme 1.0" in lines
    assert "  entry point  coach.filters: plus = acme:Plus" in lines
    assert "  manifest     none; read from the entry point alone" in lines
    assert '  in a preset  use = "plus"' in lines


def test_an_old_name_says_what_it_stands_for(shop: Any) -> None:
    part = '{"kind": "filter", "name": "plus", "object": "acme:Plus", "aliases": ["PlusFilter"]}'
    manifest = f'{{"manifest": 1, "api": "1.0", "dist": "acme", "components": [{part}]}}'
    shop.add("acme", points={"plus": "acme:Plus"}, manifest=manifest)
    said = shop("why", "filter/PlusFilter").out
    assert said.splitlines()[0] == "acme/filter:plus, for which 'PlusFilter' is an old name"
    assert "  manifest     yes" in said


def test_all_who_have_the_name_and_what_ails_them(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"}, manifest="{")
    shop.add("other", points={"plus": "gone:Plus"})
    said = " ".join(shop("why", "plus").out.split())
    assert "acme/filter:plus" in said
    assert "clash: the name is also other/filter:plus" in said
    assert "broken: its package 'gone' cannot be found" in said
    assert 'in a preset use = "acme/filter:plus"' in said
    assert "package not found" in said
    assert "acme: coach_plugin.json: is not JSON" in said


def test_an_unknown_name(shop: Any) -> None:
    said = shop("why", "plus")
    assert (said.code, said.err) == (2, "coach: no part is called 'plus' - none is installed\n")
