"""Which parts an argument of the command line means."""

from __future__ import annotations

from typing import Any

import pytest

from coachcore.cli.find import find
from coachcore.errors import UnknownName

POINTS = "[coach.filters]\nplus = acme:Plus\n[coach.schedules]\nplus = acme:Rising\n"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("plus", ["acme/filter:plus", "other/filter:plus", "acme/schedule:plus"]),
        ("filter/plus", ["acme/filter:plus", "other/filter:plus"]),
        ("filter:plus", ["acme/filter:plus", "other/filter:plus"]),
        ("acme:plus", ["acme/filter:plus", "acme/schedule:plus"]),
        ("acme/filter:plus", ["acme/filter:plus"]),
    ],
)
def test_every_way_to_say_it(shop: Any, text: str, ids: list[str]) -> None:
    shop.add("acme", points=POINTS)
    shop.add("other", points={"plus": "other:Plus"})
    assert [entry.id for entry in find(shop.current(), text)] == ids


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PLUS", "no part is called 'PLUS' - known: plus"),
        ("schedule/minus", "no schedule is called 'minus' - known: plus"),
        ("gone:plus", "no part is called 'plus' - none is installed"),
        ("filtr/plus", "there is no kind of part called 'filtr' - did you mean 'filter'?"),
    ],
)
def test_what_is_not_there(shop: Any, text: str, said: str) -> None:
    shop.add("acme", points=POINTS)
    with pytest.raises(UnknownName) as caught:
        find(shop.current(), text)
    assert str(caught.value).startswith(said)
