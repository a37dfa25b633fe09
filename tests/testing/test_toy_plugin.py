"""The toys as a plugin: found by name while registered, whole as a preset, and gone afterwards."""

from __future__ import annotations

import pytest

import coachcore
from coachcore.component import spec_of
from coachcore.errors import UnknownName
from coachcore.presets.preset import load_preset
from coachcore.registry.registry import Registry
from coachcore.spaces import Box, Discrete
from coachcore.testing.toy_plugin import ToyEmbedder, ToyHead, ToyMiddleware, ToyPlugin, toy_preset

OFFERED = {
    "agent": "toy-q",
    "embedder": "toy-as-it-is",
    "engine": "toy-numpy",
    "environment": "toy-signs",
    "exploration": "toy-e-greedy",
    "head": "toy-values",
    "memory": "toy-ring",
    "middleware": "toy-nothing",
    "recorder": "toy-list",
}


@pytest.fixture
def registry() -> Registry:
    made = Registry(paths=[])
    made.register(ToyPlugin(), "toys")
    return made


def test_one_part_of_every_kind_that_a_run_needs(registry: Registry) -> None:
    assert {entry.spec.kind: entry.spec.name for entry in registry.entries()} == OFFERED
    for kind, name in OFFERED.items():
        part = registry.load(kind, name)
        assert spec_of(part).name == name
        part()  # every setting has a default
    assert registry.troubles() == ()


def test_it_offers_what_its_hooks_say(registry: Registry) -> None:
    with pytest.raises(UnknownName, match="no store is called 'toy-ring'"):
        registry.resolve("store", "toy-ring")
    registry.unregister("toys")
    assert registry.entries() == ()


def test_the_preset_is_whole(registry: Registry) -> None:
    preset = load_preset(toy_preset(), registry=registry)
    assert preset.resolved["environment"] == {
        "use": "toy-signs", "count": 1, "length": 10, "limit": 0, "actions": "discrete", "nan_at": 0, "crash_at": 0,
    }  # fmt: skip
    assert preset.resolved["agent"]["network"]["heads"] == {"q": {"use": "toy-values"}}
    assert preset.notices == ()


def test_whole_tables_are_replaced_and_nothing_is_shared(registry: Registry) -> None:
    changed = toy_preset(memory={"use": "toy-ring", "capacity": 7}, filters={})
    assert changed["memory"] == {"use": "toy-ring", "capacity": 7}
    assert changed["filters"] == {}
    changed["agent"]["use"] = "another"
    assert toy_preset()["agent"]["use"] == "toy-q"
    assert load_preset(toy_preset(seed=9), registry=registry).resolved["seed"] == 9


def test_the_toy_engine_builds_no_layers() -> None:
    built = [ToyEmbedder().build(Box((3,)), 1), ToyMiddleware().build(1), ToyHead().build(Discrete(2), 1)]
    assert built == [None, None, None]


def test_it_learns_the_signs_by_name_alone() -> None:
    coachcore.register(ToyPlugin(), "toys")
    try:
        means = [event.data["mean"] for event in coachcore.train(toy_preset()) if event.kind == "evaluation"]
    finally:
        coachcore.unregister("toys")
    assert max(means) == 10.0
