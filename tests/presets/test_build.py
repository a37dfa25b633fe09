"""Building: parts as the preset describes them, and refusals with their place."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from coachcore.clock import Duration
from coachcore.component import Fixed
from coachcore.errors import BrokenPlugin, Problems
from coachcore.presets.build import build, build_part
from coachcore.presets.preset import load_preset
from coachcore.registry.registry import Registry
from coachcore.settings import EvaluateSettings, NetworkSettings


def made(parts: Registry, *sets: str, name: str = "track-chooser") -> Any:
    return build(load_preset(name, sets=sets, registry=parts), parts)


def refused(parts: Registry, *sets: str) -> tuple[str, ...]:
    with pytest.raises(Problems) as caught:
        made(parts, *sets)
    return caught.value.lines


def test_every_part_is_there(parts: Registry, toys: ModuleType) -> None:
    experiment = made(parts, "environment.count=3", "filters.reward+={use='rescale',factor=2}", "seed=7")
    assert experiment.name == "track-chooser"
    assert experiment.seed == 7
    assert experiment.environments == 3
    assert experiment.environment == toys.Track(id="short", length=10)
    assert experiment.agent == toys.Chooser(double=True)
    assert experiment.networks["main"].embedders == {"observation": toys.Vector()}
    assert experiment.networks["main"].heads == {"q": toys.Q()}
    assert experiment.learner.batch_size == 2
    assert experiment.learner.learning_rate == Fixed(2.5e-4)
    assert experiment.exploration.epsilon == toys.Linear(start=0.5, end=0.1, steps=1000)
    assert experiment.memory == toys.Replay(capacity=40_000)
    assert experiment.filters.observation == {"observation": (toys.Scaling(factor=(0.5, 2.0)),)}
    assert experiment.filters.reward == (toys.Rescale(factor=2.0),)
    assert experiment.filters.action == ()
    assert experiment.schedule.evaluate == EvaluateSettings(every="500 steps")
    assert experiment.schedule.train == Duration(5_000, "steps")
    assert experiment.validation.reward == 10.0
    assert list(experiment.recorders) == ["jsonl", "terminal"]
    assert experiment.document["agent"]["discount"] == 0.99
    assert experiment.store is None


def test_a_part_by_itself(parts: Registry, toys: ModuleType) -> None:
    """From its table in a resolved preset, with the parts inside it."""
    table = load_preset("track-chooser", registry=parts).resolved["exploration"]
    assert build_part(table, "exploration", parts).epsilon == toys.Linear(start=0.5, end=0.1, steps=1000)
    with pytest.raises(Problems, match="no exploration is called 'gone'"):
        build_part({"use": "gone"}, "exploration", parts)


def test_schedules_inside_schedules(parts: Registry, toys: ModuleType) -> None:
    value = "{use='piecewise', schedules=[0.5, {use='linear',start=0.5,end=0,steps=4}]}"
    piecewise = made(parts, f"exploration.epsilon={value}", f"agent.learner.learning_rate={value}")
    wanted = toys.Piecewise(schedules=(Fixed(0.5), toys.Linear(start=0.5, end=0.0, steps=4)))
    assert piecewise.exploration.epsilon == wanted
    assert piecewise.learner.learning_rate == wanted


def test_an_agent_with_two_heads(parts: Registry, toys: ModuleType) -> None:
    experiment = made(parts, name="track-walker")
    assert experiment.networks["main"].heads == {"policy": toys.Policy(), "value": toys.Value(units=32)}
    assert experiment.validation is not None


def test_settings_of_the_network(parts: Registry) -> None:
    experiment = made(parts, "agent.network.loss_weights.value=0.5", "agent.network.merge=sum", name="track-walker")
    assert list(experiment.networks) == ["main"]
    assert experiment.networks["main"].settings == NetworkSettings(loss_weights={"value": 0.5}, merge="sum")


def test_several_networks(more: Registry, toys: ModuleType) -> None:
    rate = "agent.networks.temperature.learning_rate_factor=2"
    networks = made(more, "agent.use=duo", "exploration={use='greedy'}", rate, "agent.networks.actor.l2=0.1").networks
    assert list(networks) == ["actor", "critic", "temperature"]
    assert networks["actor"].heads == {"policy": toys.Point()}
    assert networks["actor"].settings == NetworkSettings(l2=0.1)
    assert networks["critic"].embedders == {"observation": toys.Vector(), "action": toys.Vector(scheme="empty")}
    assert networks["critic"].middleware == toys.Stack()
    temperature = networks["temperature"]
    assert (temperature.embedders, temperature.middleware, temperature.heads) == ({}, None, {})
    assert temperature.settings == NetworkSettings(learning_rate_factor=2.0)


def test_layers_of_a_scheme_are_parts(more: Registry, toys: ModuleType) -> None:
    scheme = "agent.network.middleware={use='stack',scheme=[64,{use='thick',units=3},{use='drop'}]}"
    network = made(more, scheme).networks["main"]
    assert network.middleware == toys.Stack(scheme=(64, toys.Thick(units=3), toys.Drop()))
    assert network.middleware.scheme[1] == toys.Thick(units=3, slope=0.5)


def test_a_layer_that_refuses_is_told_with_path_and_place(more: Registry, toys: ModuleType, monkeypatch: Any) -> None:
    def load(kind: str, name: str) -> type:
        if kind == "layer":
            raise BrokenPlugin("could not be imported - no luck")
        return whole(kind, name)

    whole = more.load
    preset = load_preset(
        "track-chooser", sets=["agent.network.middleware={use='stack',scheme=[1,{use='drop'}]}"], registry=more
    )
    monkeypatch.setattr(more, "load", load)
    with pytest.raises(Problems) as caught:
        build(preset, more)
    (line,) = caught.value.lines
    assert line.endswith("(column 54): agent.network.middleware.scheme[1]: could not be imported - no luck")


def test_without_validation(parts: Registry) -> None:
    assert made(parts, "~validation").validation is None


def test_what_a_part_refuses_is_told_with_path_and_place(parts: Registry) -> None:
    lines = refused(parts, "environment.id=moon", "memory.split=[1,2,3]")
    assert lines[0].endswith("track-chooser.toml:4:2: environment: there is no track on the moon")
    assert lines[1] == "--set memory.split=[1,2,3] (column 14): memory.split: more than two shares"


def test_a_part_that_cannot_be_loaded(parts: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = load_preset("track-chooser", registry=parts)

    def load(kind: str, name: str) -> type:
        raise BrokenPlugin("could not be imported - no luck", where=f"toys/{kind}:{name}")

    monkeypatch.setattr(parts, "load", load)
    with pytest.raises(Problems) as caught:
        build(preset, parts)
    told = [line.rpartition("/")[2] for line in caught.value.lines]
    assert "track-chooser.toml:16:7: exploration: could not be imported - no luck" in told
    assert "default engine: engine: could not be imported - no luck" in told
    assert len(told) == 11


def test_a_schedule_that_cannot_be_loaded(parts: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = load_preset("track-chooser", registry=parts)
    whole = parts.load

    def load(kind: str, name: str) -> type:
        if kind == "schedule":
            raise BrokenPlugin("could not be imported - no luck")
        return whole(kind, name)

    monkeypatch.setattr(parts, "load", load)
    with pytest.raises(Problems) as caught:
        build(preset, parts)
    (line,) = caught.value.lines
    assert line.endswith("track-chooser.toml:17:19: exploration.epsilon: could not be imported - no luck")


def test_the_installed_registry_is_the_usual_one(parts: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coachcore.registry.registry.current", lambda: parts)
    assert build(load_preset("track-chooser")).name == "track-chooser"
