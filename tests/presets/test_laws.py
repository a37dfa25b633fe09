"""Whatever is written, loading says what is wrong or gives a preset; it never fails in another way."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coachcore.errors import Problems
from coachcore.presets.build import build
from coachcore.presets.preset import Preset, load_preset
from coachcore.presets.writer import dump
from coachcore.registry.registry import Registry

NAMES = ["use", "coach", "seed", "environment", "agent", "engine", "exploration", "memory", "filters", "schedule"]
NAMES += ["checkpoint", "validation", "recorders", "extends", "network", "learner", "embedders", "middleware", "heads"]
NAMES += ["observation", "reward", "action", "q", "evaluate", "every", "epsilon", "sigma", "capacity", "split", "end"]
NAMES += ["networks", "actor", "critic", "temperature", "scheme", "units", "l2", "loss_weights", "batch_size"]
NAMES += [
    "learning_rate",
    "discount",
    "double",
    "id",
    "length",
    "options",
    "count",
    "factor",
    "start",
    "steps",
    "train",
]
PARTS = ["track", "chooser", "walker", "vector", "dense", "q", "dueling-q", "policy", "greedy", "e-greedy", "noisy"]
PARTS += ["replay", "rollout", "linear", "piecewise", "scaling", "rescale", "clipping", "tensorflow", "csv", "toys:q"]
PARTS += ["duo", "trio", "either", "stack", "lstm", "thick", "drop", "point", "pair", "bell", "dice", "drift", "whole"]

plain = st.one_of(
    st.sampled_from(PARTS),
    st.sampled_from(["5 steps", "track-chooser", "short", "moon"]),
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
)
keys = st.one_of(st.sampled_from(NAMES), st.text(max_size=2))
values = st.recursive(
    plain, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)), max_leaves=25
)
arguments = st.one_of(
    st.text(max_size=40), st.builds("{}{}{}".format, keys, st.sampled_from(["=", "+=", "[0]="]), plain)
)
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def loaded(source: Any, parts: Registry, *sets: str) -> Preset | None:
    """The preset, or None where it is wrong; then every problem is one line."""
    try:
        preset = load_preset(source, sets=sets, registry=parts)
        build(preset, parts)
    except Problems as problems:
        lines = problems.lines
    else:
        return preset
    assert lines
    assert [line for line in lines if len(line.splitlines()) != 1 or not line.isprintable()] == []
    return None


@quick
@given(st.dictionaries(keys, values, max_size=8))
def test_any_plain_data(more: Registry, document: dict[str, Any]) -> None:
    preset = loaded({"extends": "track-chooser", **document}, more)
    if preset is not None:
        assert load_preset(preset.resolved, registry=more).resolved == preset.resolved


@quick
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), values)
def test_any_value_anywhere(more: Registry, path: list[str], value: Any) -> None:
    for key in reversed(path):
        value = {key: value}
    preset = loaded({"extends": "track-chooser"} | value, more)
    if preset is not None:
        again = load_preset(tomllib.loads(dump(preset.resolved)), registry=more)
        assert dump(again.resolved) == dump(preset.resolved)


@quick
@given(st.lists(st.sampled_from(NAMES), max_size=3), values, st.sampled_from(["duo", "trio", "either", "nobody"]))
def test_any_value_in_networks(more: Registry, path: list[str], value: Any, agent: str) -> None:
    for key in reversed(path):
        value = {key: value}
    greedy = {"extends": "track-chooser", "exploration": {"use": "greedy"}}
    for table in ("network", "networks"):
        preset = loaded(greedy | {"agent": {"use": agent, table: value}}, more)
        if preset is not None:
            again = load_preset(tomllib.loads(dump(preset.resolved)), registry=more)
            assert dump(again.resolved) == dump(preset.resolved)


@quick
@given(arguments, st.sampled_from(["", "~", "memory.", "filters.", "exploration.epsilon"]))
def test_any_argument(more: Registry, argument: str, start: str) -> None:
    preset = loaded("track-chooser", more, start + argument)
    assert preset is None or preset.name == "track-chooser"


@quick
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
def test_any_bytes(more: Registry, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "any.toml"
    for start in (b"", b"coach = 1\n", b'coach = 1\nextends = "track-chooser"\n'):
        file.write_bytes(start + content)
        preset = loaded(file, more)
        assert preset is None or preset.document["coach"] == 1
