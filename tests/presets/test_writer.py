"""What is written as TOML reads back as it was."""

from __future__ import annotations

import math
import tomllib
from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.errors import BadSetting
from coachcore.presets.writer import dump

scalars = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.dates(),
    st.text(st.characters(exclude_categories=["Cs"])),
)
keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(keys, values, max_size=6))
def test_reading_back_gives_the_same(document: dict[str, Any]) -> None:
    assert tomllib.loads(dump(document)) == document


def test_as_people_write_it() -> None:
    document = {
        "coach": 1,
        "agent": {"use": "dqn", "network": {"heads": {"q": {"use": "q"}}}, "double": True},
        "exploration": {"epsilon": {"use": "linear", "start": 1.0}},
        "filters": {"reward": [{"use": "rescale", "factor": 0.1}, {"use": "clipping"}]},
    }
    assert dump(document) == (
        'coach = 1\n\n[agent]\nuse = "dqn"\ndouble = true\n\n[agent.network.heads]\nq = { use = "q" }\n\n'
        '[exploration]\nepsilon = { use = "linear", start = 1.0 }\n\n'
        '[[filters.reward]]\nuse = "rescale"\nfactor = 0.1\n\n[[filters.reward]]\nuse = "clipping"\n'
    )


def test_odd_values() -> None:
    when = {"a": datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC), "b": date(2020, 1, 2), "c": time(1, 2, 3)}
    assert tomllib.loads(dump(when)) == when
    assert math.isnan(tomllib.loads(dump({"a": math.nan}))["a"])
    assert dump({"a": math.inf, "b": -math.inf}) == "a = inf\nb = -inf\n"
    assert dump({}) == ""


def test_what_toml_cannot_hold() -> None:
    with pytest.raises(BadSetting, match="cannot hold None"):
        dump({"a": None})
