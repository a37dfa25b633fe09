"""Frames, lives and limits, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from coach_environments.paced import Paced
from coachcore.api import Array, Box, Discrete, Mismatch, MultiSelect, Spaces, Step, component, param

Make = Callable[..., Any]


@component("environment", "counting")
@attrs.frozen(kw_only=True)
class Counting:
    """Shows what it was told so far; frame f pays f and flickers: only even frames show its second number."""

    length: int = param(default=12, doc="frames of an episode")
    box: str = param(default="", doc="kind of actions")
    heard: list[Any] = attrs.field(factory=list, init=False, eq=False)  # every simulator that was made

    def make(self, count: int, *, render: bool = False) -> Any:
        assert count == 1
        self.heard.append(One(self, render=render))
        return self.heard[-1]


class One:
    count = 1

    def __init__(self, part: Counting, *, render: bool) -> None:
        kinds = {"": Discrete(4), "box": Box((2,), 0.5, 1.0), "buttons": MultiSelect(3)}
        self.spaces = Spaces(observation={"observation": Box((2,))}, action=kinds[part.box])
        self.part, self.shows, self.told, self.seeds, self.closed = part, render, [], [], 0

    def reset(self, envs: Any, seeds: Any) -> dict[str, Array]:
        self.seeds.append(seeds[0])
        self.told = []
        return self.seen()

    def step(self, actions: Array) -> Step:
        assert len(self.told) < self.part.length, "stepped past the end"
        self.told.append(actions[0].tolist())
        over = np.array([len(self.told) == self.part.length])
        return Step(self.seen(), np.array([float(len(self.told))]), over, np.zeros(1, bool))

    def seen(self) -> dict[str, Array]:
        frame = len(self.told)
        return {"observation": np.array([[frame, 10.0 if frame % 2 == 0 else 0.0]], np.float32)}

    def lives(self) -> Array:
        return np.array([3 - len(self.told) // 5])

    def render(self) -> Array | None:
        return np.zeros((2, 2, 3), np.uint8) if self.shows else None

    def close(self) -> None:
        self.closed += 1


def made(count: int = 1, inner: dict[str, Any] | None = None, **settings: Any) -> tuple[Any, list[One]]:
    part = Counting(**(inner or {}))
    environment = Paced(environment=part, **settings).make(count)
    environment.reset(range(count), range(20, 20 + count))
    return environment, part.heard


def test_an_action_lasts_some_frames_and_their_rewards_add_up() -> None:
    environment, (one,) = made(frame_skip=4)
    step = environment.step(np.array([2]))
    assert one.told == [2, 2, 2, 2]
    assert step.obs["observation"].tolist() == [[4.0, 10.0]]
    assert step.reward.tolist() == [1.0 + 2.0 + 3.0 + 4.0]
    assert environment.step(np.array([1])).reward.tolist() == [5.0 + 6.0 + 7.0 + 8.0]


def test_an_end_cuts_an_action_short() -> None:
    environment, (one,) = made(inner={"length": 6}, frame_skip=4)
    environment.step(np.array([0]))
    step = environment.step(np.array([3]))
    assert one.told == [0, 0, 0, 0, 3, 3]
    assert (step.reward.tolist(), step.terminated.tolist(), step.truncated.tolist()) == ([11.0], [True], [False])


def test_environments_of_which_one_ends_earlier_are_not_stepped_on() -> None:
    environment, simulators = made(2, inner={"length": 6}, frame_skip=4)
    environment.step(np.array([0, 0]))
    environment.reset([1], [5])
    step = environment.step(np.array([1, 2]))
    assert (step.terminated.tolist(), step.reward.tolist()) == ([True, False], [11.0, 10.0])
    assert [len(one.told) for one in simulators] == [6, 4]


@pytest.mark.parametrize(("over", "seen"), [(1, [3.0, 0.0]), (2, [3.0, 10.0]), (3, [3.0, 10.0])])
def test_the_maximum_of_the_last_frames_is_seen(over: int, seen: list[float]) -> None:
    environment, _ = made(frame_skip=3, maximum_over=over)
    assert environment.step(np.array([0])).obs["observation"].tolist() == [seen]


def test_repeated_actions() -> None:
    environment, (one,) = made(repeat_action_probability=1.0)
    for action in (1, 2, 3):
        environment.step(np.array([action]))
    assert one.told == [0, 0, 0]  # the one before the first did nothing
    environment, (one,) = made(inner={"length": 2_000}, repeat_action_probability=0.25)
    for index in range(1_000):
        environment.step(np.array([index % 4]))
    repeated = np.mean(np.array(one.told) != np.arange(1_000) % 4)
    assert repeated == pytest.approx(0.25, abs=0.055)  # four deviations


def test_no_ops_are_drawn_from_the_seed() -> None:
    part = Counting()
    environment = Paced(environment=part, no_ops=3).make(1)
    frames = [int(environment.reset([0], [seed])["observation"][0, 0]) for seed in range(60)]
    assert sorted(set(frames)) == [0, 1, 2, 3]
    assert part.heard[0].seeds == list(range(60))
    again = [int(environment.reset([0], [seed])["observation"][0, 0]) for seed in range(60)]
    assert again == frames


def test_what_does_nothing_in_a_box_is_nearest_to_zero() -> None:
    part = Counting(box="box")
    environment = Paced(environment=part, no_ops=3).make(1)
    for seed in range(5):
        environment.reset([0], [seed])
        assert all(action == [0.5, 0.5] for action in part.heard[0].told)


def test_an_opening_that_ends_the_episode_begins_another() -> None:
    part = Counting(length=3)
    environment = Paced(environment=part, no_ops=4).make(1)
    frames = [int(environment.reset([0], [seed])["observation"][0, 0]) for seed in range(40)]
    assert max(frames) == 2
    assert len(part.heard[0].seeds) > 40


def test_an_opening() -> None:
    environment, (one,) = made(opening=(3, 1))
    assert one.told == [3, 1]
    environment.step(np.array([2]))
    assert one.told == [3, 1, 2]


def test_a_lost_life_terminates_and_the_next_episode_is_a_new_game() -> None:
    environment, (one,) = made(episode_life=True, frame_skip=2)
    ends = [bool(environment.step(np.array([0])).terminated[0]) for _ in range(3)]
    assert ends == [False, False, True]  # the fifth frame costs a life
    assert environment.reset([0], [7])["observation"].tolist() == [[0.0, 10.0]]
    assert one.seeds == [20, 7]


def test_the_limit_truncates_and_an_end_in_the_last_step_terminates() -> None:
    environment, _ = made(inner={"length": 3}, time_limit=2)
    steps = [environment.step(np.array([0])) for _ in range(2)]
    assert [step.truncated.tolist() for step in steps] == [[False], [True]]
    assert not steps[1].terminated[0]
    environment, _ = made(inner={"length": 2}, time_limit=2)
    last = [environment.step(np.array([0])) for _ in range(2)][-1]
    assert (last.terminated.tolist(), last.truncated.tolist()) == ([True], [False])


def test_pictures_news_and_closing() -> None:
    part = Counting()
    environment = Paced(environment=part).make(2, render=True)
    assert environment.render() is not None
    assert [one.shows for one in part.heard] == [True, False]
    assert environment.news() == []
    part.heard[1].news = lambda: [{"env": 0, "cause": "made up"}]
    assert environment.news() == [{"env": 1, "cause": "made up"}]
    environment.close()
    assert [one.closed for one in part.heard] == [1, 1]


def test_a_lost_step_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    environment, simulators = made(2, frame_skip=3, episode_life=True)
    monkeypatch.setattr(simulators[1], "lives", lambda: pytest.fail("who is lost is not asked"))
    shown = simulators[1].seen()
    gone = Step(shown, np.zeros(1), np.array([False]), np.array([True]), np.array([True]))
    monkeypatch.setattr(simulators[1], "step", lambda _: gone)
    step = environment.step(np.array([0, 0]))
    assert step.lost.tolist() == step.truncated.tolist() == [False, True]


def test_what_cannot_be_made_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Counting(box="buttons")
    with pytest.raises(Mismatch) as caught:
        Paced(environment=part, no_ops=1).make(2)
    assert str(caught.value) == (
        "environment.no_ops: what does nothing among MultiSelect actions is not known - leave it out"
    )
    assert [one.closed for one in part.heard] == [1, 1]
