"""Checking where little is installed, or little is known about what is."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from coachcore.api import ComponentSpec, hookimpl
from coachcore.errors import BrokenPlugin, Problems
from coachcore.presets.preset import load_preset
from coachcore.registry.entry import Entry
from coachcore.registry.registry import Registry

WHOLE: dict[str, Any] = {
    "coach": 1,
    "environment": {"use": "track", "id": "short"},
    "agent": {"use": "chooser"},
    "exploration": {"use": "greedy"},
    "memory": {"use": "replay"},
}


def with_agent(toys: ModuleType, facts: dict[str, Any]) -> Registry:
    registry: Registry = toys.registry()
    spec = ComponentSpec("agent", "bare", "nowhere:Bare", facts=facts)
    registry.register(SimpleNamespace(coach_agents=hookimpl(lambda: (spec,))), "bare")
    return registry


def told(document: dict[str, Any], registry: Registry) -> tuple[str, ...]:
    with pytest.raises(Problems) as caught:
        load_preset(document, registry=registry)
    return caught.value.lines


def test_nothing_installed() -> None:
    lines = told(WHOLE, Registry(paths=[]))
    assert "memory.use: no memory is called 'replay' - none is installed" in lines
    assert "the preset: default engine: no engine is called 'tensorflow' - none is installed" in lines
    assert not any("recorder" in line for line in lines)


def test_an_agent_without_a_network_of_its_own(toys: ModuleType) -> None:
    document = WHOLE | {"agent": {"use": "bare"}}
    assert told(document, with_agent(toys, {"slots": {"q": "action-values", "odd": "oddities"}})) == (
        "agent: agent 'bare' needs a head for its slot 'odd' - no installed head provides oddities",
        "agent: agent 'bare' needs a head for its slot 'q' - heads that provide it: dueling-q, q",
        "agent: agent 'bare' needs a middleware - add middleware = { use = \"...\" } to agent.network",
        (
            "agent: agent 'bare' needs an embedder for each observation - "
            'add embedders.observation = { use = "..." } to agent.network'
        ),
    )


def test_an_agent_that_says_nothing_of_slots(toys: ModuleType) -> None:
    torso = {"embedders": {"observation": {"use": "vector"}}, "middleware": {"use": "dense"}}
    document = WHOLE | {"agent": {"use": "bare", "network": torso | {"heads": {"any": {"use": "q"}}}}}
    network = load_preset(document, registry=with_agent(toys, {})).resolved["agent"]["network"]
    assert network["heads"] == {"any": {"use": "q"}}


def test_tables_that_are_none(toys: ModuleType) -> None:
    registry: Registry = toys.registry()
    assert told(WHOLE | {"agent": {"use": "chooser", "network": 3}}, registry) == (
        "agent.network: agent.network must be a table, got 3",
    )
    assert told(WHOLE | {"agent": {"use": "chooser", "learner": 3}, "schedule": "x"}, registry) == (
        "agent.learner: agent.learner must be a table, got 3",
        'schedule: schedule must be a table such as schedule = { use = "x" }, got "x"',
    )
    network = {"heads": 3, "embedders": [], "middleware": 1}
    assert told(WHOLE | {"agent": {"use": "chooser", "network": network}}, registry) == (
        "agent.network.embedders: agent.network.embedders must be a table, got []",
        "agent.network.heads: agent.network.heads must be a table, got 3",
        "agent.network.middleware: agent.network.middleware must be a table, got 1",
    )


def test_wrong_filters_and_recorders(toys: ModuleType) -> None:
    document = WHOLE | {"filters": {"observation": [{"use": "x"}]}, "recorders": [{"use": "y"}]}
    assert [line.partition(" - ")[0] for line in told(document, toys.registry())] == [
        "filters.observation[0].use: no filter is called 'x'",
        "recorders[0].use: no recorder is called 'y'",
    ]


def test_no_memory_serves_the_agent(toys: ModuleType) -> None:
    torso = {"embedders": {"observation": {"use": "vector"}}, "middleware": {"use": "dense"}}
    registry = with_agent(toys, {"data": {"order": "episode"}, "defaults": torso})
    assert told(WHOLE | {"agent": {"use": "bare"}}, registry) == (
        (
            "memory.use: memory 'replay' gives any order, reused, agent 'bare' needs episode order, reused - "
            "no installed memory does"
        ),
    )


def test_a_part_that_cannot_be_used(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Registry = toys.registry()
    resolve = registry.resolve

    def broken(kind: str, name: str) -> Entry:
        entry = resolve(kind, name)
        used = kind in ("memory", "recorder")
        return entry._replace(state="unavailable", problem="needs 'luck', which is not installed") if used else entry

    monkeypatch.setattr(registry, "resolve", broken)
    assert told(WHOLE, registry) == (
        "memory.use: memory 'replay' of toys cannot be used: needs 'luck', which is not installed",
    )


def test_a_part_whose_settings_cannot_be_read(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    registry: Registry = toys.registry()
    params = registry.params

    def broken(entry: Entry) -> Any:
        if entry.spec.kind == "memory":
            raise BrokenPlugin("could not be imported - no luck", where=entry.id)
        return params(entry)

    monkeypatch.setattr(registry, "params", broken)
    assert told(WHOLE, registry) == ("memory.use: toys/memory:replay: could not be imported - no luck",)


def test_one_line_each_whatever_was_written(toys: ModuleType) -> None:
    lines = told(WHOLE | {"a\nb": 1, "seed": "x\ny"}, toys.registry())
    assert len("\n".join(lines).splitlines()) == len(lines) == 2
