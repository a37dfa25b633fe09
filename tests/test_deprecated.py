"""Old names and old settings: they work, and say once what to use instead."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import ModuleType

import attrs
import pytest

from coachcore.clock import Clock
from coachcore.component import component, param, params_of, spec_of
from coachcore.deprecated import CoachWarning, Deprecated, old_names, warn_once
from coachcore.registry.manifest import spec_from, to_json

RATE = Deprecated("1.1", "2.0", "rate")


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    warn_once.cache_clear()
    yield
    warn_once.cache_clear()


@component("schedule", "falling")
@attrs.frozen(kw_only=True)
class Falling:
    """Falls."""

    rate: float = param(default=0.5, doc="share lost a step")
    decay: float = param(default=0.5, doc="as rate", deprecated=("1.1", "2.0", "rate"))
    steps: list[float] = param(factory=list, type="float[]", doc="where", deprecated=("1.2", "2.0", "marks"))


def test_the_way_out_as_text() -> None:
    assert str(RATE) == "deprecated since 1.1, gone in 2.0 - use rate"
    assert str(Deprecated("1", "2", "coachcore.clock:Clock")).endswith("use coachcore.clock.Clock")


def test_an_old_name_leads_to_its_successor_and_warns_once_where_it_is_used() -> None:
    module = ModuleType("shop")
    module.__getattr__ = old_names("shop", {"Timer": Deprecated("1.1", "2.0", "coachcore.clock:Clock")})  # type: ignore[method-assign]
    said = "shop.Timer is deprecated since 1.1, gone in 2.0 - use coachcore.clock.Clock"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert module.Timer is Clock
        assert module.Timer is Clock
    assert [(str(one.message), one.category, one.filename) for one in told] == [(said, CoachWarning, __file__)]


def test_a_name_that_never_was_is_missing_as_ever() -> None:
    with pytest.raises(AttributeError, match="module 'shop' has no attribute 'Tmer'"):
        old_names("shop", {})("Tmer")


def test_who_does_not_use_an_old_setting_hears_nothing() -> None:
    assert Falling(rate=0.1) == Falling(rate=0.1, decay=0.5, steps=[])


def test_who_uses_an_old_setting_is_told_once_a_setting() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for value in (0.1, 0.2):
            assert Falling(decay=value, steps=[1.0]).decay == value
    assert [str(one.message) for one in told] == [
        "setting 'decay' of Falling is deprecated since 1.1, gone in 2.0 - use rate",
        "setting 'steps' of Falling is deprecated since 1.2, gone in 2.0 - use marks",
    ]
    assert {one.filename for one in told} == {__file__}


def test_the_manifest_says_so_too() -> None:
    assert [one.deprecated for one in params_of(Falling)][:2] == ["", str(RATE)]
    table = to_json(spec_of(Falling))
    assert ["deprecated" in one for one in table["params"]] == [False, True, True]
    assert spec_from(table).params == params_of(Falling)
