"""The part: conformance, and runs in which simulators die."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

import coachcore
from coach_environments.paced import Paced
from coach_environments.processes import Processes
from coachcore.api import BadSetting, Event, hookimpl
from coachcore.testing.environment import EnvironmentConformance
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset
from coachcore.testing.toys import ToySigns

Make = Callable[..., Any]


class TestConformance(EnvironmentConformance):
    @pytest.fixture(params=[ToySigns(actions="box", limit=4)])  # `tests/conformance` tries discrete ones
    def part(self, request: pytest.FixtureRequest) -> Processes:
        return Processes(environment=request.param)


def test_policies_are_tried_out_on_what_the_environment_inside_says(frail: Make) -> None:
    paced = Paced(environment=frail(), episode_life=True)
    assert Processes(environment=paced).evaluation == Processes(environment=attrs.evolve(paced, episode_life=False))
    assert Processes(environment=frail()).evaluation == Processes(environment=frail())


@pytest.mark.parametrize(("setting", "value"), [("step_limit", 0.0), ("start_limit", -1.0)])
def test_bad_settings(frail: Make, setting: str, value: float) -> None:
    with pytest.raises(BadSetting, match=f"{setting}: {value} is out of range - must be > 0"):
        Processes(environment=frail(), **{setting: value})


class Made:
    """Offers the toys and the made-up environment for a run."""

    def __init__(self, part: Any) -> None:
        self._part = part

    @hookimpl
    def coach_environments(self) -> list[type]:
        return [type(self._part)]


@pytest.fixture
def events(frail: Make) -> Iterator[Callable[..., list[Event]]]:
    """The events of a short run of toys over made-up simulators in two processes."""
    names = [coachcore.register(ToyPlugin(), "toys"), coachcore.register(Made(frail()), "made-up")]
    usual = toy_preset()
    embedder = {"use": "toy-as-it-is"}
    network = usual["agent"]["network"] | {"embedders": {"observation": embedder, "picture": embedder}}

    def run(n_step: int = 1, **failing: Any) -> list[Event]:
        part = frail(**failing)
        inner = {"use": "frail", "how": part.how, "at": part.at, "pardoned": list(part.pardoned)}
        outer = {"use": "processes", "count": 2, "environment": inner}
        learner = {"batch_size": 4, "learning_rate": 1e-6}
        agent = usual["agent"] | {"network": network, "n_step": n_step, "learner": learner}
        schedule = usual["schedule"] | {"heatup": "6 steps", "train": "24 steps"}
        return list(coachcore.train(toy_preset(environment=outer, agent=agent, schedule=schedule)))

    yield run
    for name in names:
        coachcore.unregister(name)


def test_a_run_in_which_a_simulator_dies_is_the_run_in_which_none_does(events: Callable[..., list[Event]]) -> None:
    undisturbed, disturbed = events(), events(how="kill", times=1)
    assert [event for event in disturbed if event.kind != "simulator"] == undisturbed
    told = [dict(event.data) for event in disturbed if event.kind == "simulator"]
    assert [one["cause"] for one in told] == ["it died of signal 9"]
    assert [one["lost"] for one in told] == [False]


@pytest.mark.parametrize("n_step", [1, 3])
def test_a_lost_episode_is_marked_and_the_run_goes_on(events: Callable[..., list[Event]], n_step: int) -> None:
    told = events(n_step, how="exit", at=3)
    episodes = [event.data for event in told if event.kind == "episode"]
    assert len(episodes) == 2 * 4
    assert all(one["lost"] is True for one in episodes)
    assert all(one["length"] == 2 for one in episodes)
    simulators = [event.data["lost"] for event in told if event.kind == "simulator"]
    assert simulators == [False, True] * 2 * 4
    assert told[-1].data["reason"] == "finished"


def test_a_run_is_told_to_be_of_the_environment_inside(events: Callable[..., list[Event]]) -> None:
    start = events()[0]
    assert (start.kind, start.data["environment"]) == ("run-start", "frail")
