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


def two(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"})
    shop.add("other", points={"plus": "other:Plus"})


def test_a_clash_says_that_nobody_is_meant_and_what_would_change_it(shop: Any, monkeypatch: Any) -> None:
    two(shop)
    monkeypatch.setenv("COACH_CONFIG", "mine.toml")
    text = " ".join(shop("why", "plus").out.split())
    assert text.startswith(
        "filter 'plus' means none of these to change that: write the full id, or coach --prefer acme/filter:plus "
        '(or --block) before the command, or for good prefer = ["acme/filter:plus"] under [plugins] in mine.toml'
    )


def test_a_preference_is_named_with_its_place_and_how_to_change_it(shop: Any) -> None:
    two(shop)
    said = shop("--prefer", "other", "why", "plus")
    lines = said.out.splitlines()
    assert (said.code, lines[0]) == (0, "filter 'plus' means other/filter:plus, preferred by --prefer")
    assert "coach --prefer acme/filter:plus" in lines[1]
    assert said.out.count('in a preset  use = "other/filter:plus"') == 1


def test_who_is_left_after_a_block_is_meant(shop: Any) -> None:
    two(shop)
    lines = shop("--block", "acme/filter:plus", "why", "plus").out.splitlines()
    assert lines[:2] == [
        "filter 'plus' means other/filter:plus, nobody else is left",
        "  acme/filter:plus is blocked by --block",
    ]
