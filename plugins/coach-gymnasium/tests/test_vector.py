"""Stepping, bad data, pictures, and closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from coach_gymnasium.environment import Gymnasium
from coachcore.api import BadData, BadSetting

Make = Callable[..., Any]


@pytest.mark.parametrize("count", [1, 2])
def test_a_step_by_hand(made: Make, count: int) -> None:
    """Slow twin: the same episodes played with gymnasium alone."""
    ours, alone = made(count, id="CartPole-v1"), gymnasium.make("CartPole-v1")
    last = count - 1
    np.testing.assert_array_equal(ours.reset(range(count), [3] * count)["observation"][last], alone.reset(seed=3)[0])
    for action in [0, 1, 1] * 30:
        step = ours.step(np.full(count, action))
        obs, reward, terminated, truncated, _ = alone.step(action)
        np.testing.assert_array_equal(step.obs["observation"][last], obs)
        assert (step.reward[last], step.terminated[last], step.truncated[last]) == (reward, terminated, truncated)
        if terminated:
            break
    assert terminated


def test_time_limit_truncates_and_does_not_terminate(made: Make) -> None:
    environment = made(2, max_episode_steps=2)
    environment.reset([0, 1], [1, 2])
    first, second = environment.step(np.array([0, 1])), environment.step(np.array([0, 1]))
    assert first.truncated.tolist() == [False, False]
    assert second.truncated.tolist() == [True, True]
    assert second.terminated.tolist() == [False, False]
    assert second.obs["observation"].tolist() == [[0.75, 0.0, 0.75]] * 2  # the third thing shown, not the first again


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (
            1,
            {"reward": float("nan")},
            "Scripted-v0, environment 0: the reward is nan - mend the environment or its options",
        ),
        (
            3,
            {"reward": float("inf")},
            "Scripted-v0, environment 0: the reward is inf - mend the environment or its options",
        ),
    ],
)
def test_bad_rewards(made: Make, count: int, options: dict[str, Any], message: str) -> None:
    environment = made(count, options=options)
    environment.reset(range(count), range(count))
    with pytest.raises(BadData) as caught:
        environment.step(np.zeros(count, int))
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_bad_observations_name_the_environment(made: Make, value: float) -> None:
    environment = made(2)
    environment.reset([0, 1], [0, 0])
    environment._envs[1].unwrapped.value = value
    with pytest.raises(BadData) as caught:
        environment.step(np.array([0, 0]))
    assert str(caught.value) == (
        f"Scripted-v0, environment 1: observation 'observation' holds {value} at place 1 - "
        f"mend the environment or its options"
    )


def test_render() -> None:
    part = Gymnasium(id="Scripted-v0")
    assert part.make(1).render() is None
    environment = part.make(2, render=True)
    environment.reset([0, 1], [0, 0])
    picture = environment.render()
    assert picture is not None
    assert (picture.shape, picture.dtype, picture.max()) == ((8, 9, 3), np.uint8, 200)


def test_render_cartpole_without_a_screen() -> None:
    environment = Gymnasium(id="CartPole-v1").make(1, render=True)
    environment.reset([0], [0])
    picture = environment.render()
    environment.close()
    assert picture is not None
    assert picture.shape == (400, 600, 3)
    assert len(np.unique(picture)) > 2  # a cart, a pole and a line on white


def test_render_without_pygame(scripted: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: Any) -> None:
        raise gymnasium.error.DependencyNotInstalled(
            'pygame is not installed, run `pip install "gymnasium[classic-control]"`'
        )

    monkeypatch.setattr(scripted, "render", refuse)
    environment = Gymnasium(id="Scripted-v0").make(1, render=True)
    environment.reset([0], [0])
    with pytest.raises(BadSetting, match=r"pip install 'gymnasium\[classic-control\]'"):
        environment.render()


def test_close_reaches_every_environment_once(made: Make) -> None:
    environment = made(3)
    inner = [env.unwrapped for env in environment._envs]
    environment.close()
    environment.close()
    assert [env.closed for env in inner] == [1, 1, 1]


class Game:
    """Counts lives as the Arcade Learning Environment does."""

    def __init__(self, left: int) -> None:
        self._left = left

    def lives(self) -> int:
        return self._left


def test_lives_are_counted_where_the_game_counts_them(made: Make, scripted: type[Any]) -> None:
    environment = made(2)
    assert environment.lives() is None
    for env, left in zip(environment._envs, (3, 1), strict=True):
        env.unwrapped.ale = Game(left)
    assert environment.lives().tolist() == [3, 1]
