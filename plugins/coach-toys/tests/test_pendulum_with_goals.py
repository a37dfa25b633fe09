"""A pendulum and its goals."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from coach_toys.pendulum_with_goals import PendulumWithGoals
from coachcore.api import BadSetting
from coachcore.testing.environment import EnvironmentConformance


class TestConformance(EnvironmentConformance):
    @pytest.fixture(
        params=[
            PendulumWithGoals(),
            PendulumWithGoals(polar_coordinates=True, random_goals=True),
            PendulumWithGoals(frame_skip=3, time_limit=10),
        ]
    )
    def part(self, request: pytest.FixtureRequest) -> PendulumWithGoals:
        return request.param


def placed(part: PendulumWithGoals, angle: float, speed: float) -> Any:
    environment = part.make(1)
    environment.reset([0], [0])
    environment._angle[:], environment._speed[:] = angle, speed
    return environment


def test_one_step_of_the_physics_by_hand() -> None:
    environment = placed(PendulumWithGoals(), 1.0, 0.5)
    step = environment.step(np.array([[2.0]], np.float32))
    speed = 0.5 + 0.05 * (15.0 * sin(1.0) + 3.0 * 2.0)
    angle = 1.0 + 0.05 * speed
    assert step.obs["observation"][0] == pytest.approx([sin(angle), cos(angle), speed], rel=1e-6)
    assert step.obs["achieved_goal"].tolist() == step.obs["observation"].tolist()
    assert step.obs["desired_goal"].tolist() == [[0.0, 1.0, 0.0]]
    assert step.reward.tolist() == [-1.0]


def test_torque_and_speed_are_bounded() -> None:
    wild, full = (placed(PendulumWithGoals(), 3.0, 0.0).step(np.array([[u]])).obs for u in (9.0, 2.0))
    assert wild["observation"].tolist() == full["observation"].tolist()
    assert placed(PendulumWithGoals(), 1.5, 7.9).step(np.array([[2.0]])).obs["observation"][0, 2] == 8.0


def test_skipped_frames_are_steps_of_the_same_torque() -> None:
    skipping, single = placed(PendulumWithGoals(frame_skip=3), 2.0, 0.0), placed(PendulumWithGoals(), 2.0, 0.0)
    torque = np.array([[1.5]])
    for _ in range(3):
        one = single.step(torque)
    np.testing.assert_array_equal(skipping.step(torque).obs["observation"], one.obs["observation"])


def test_the_goal_is_near_in_every_component() -> None:
    for angle, speed, reached in ((0.05, 0.0, True), (0.08, 0.0, False), (0.0, 0.9, False), (0.06, 0.5, True)):
        environment = placed(PendulumWithGoals(), angle, speed)
        assert bool(environment._reached()[0]) is reached, (angle, speed)
    assert placed(PendulumWithGoals(polar_coordinates=True), -0.07, 0.0)._reached()[0]
    assert not placed(PendulumWithGoals(polar_coordinates=True), -0.08, 0.0)._reached()[0]


def test_angles_are_compared_the_short_way_round() -> None:
    environment = placed(PendulumWithGoals(polar_coordinates=True), pi - 0.01, 0.0)
    environment._goal[:] = (-pi + 0.02, 0.0)
    assert environment._reached()[0]


def test_reaching_it_terminates_or_pays_on() -> None:
    standing = np.array([[0.0]])
    step = placed(PendulumWithGoals(goal_reached_reward=5.0), 0.0, 0.0).step(standing)
    assert (step.reward.tolist(), step.terminated.tolist()) == ([5.0], [True])
    going_on = placed(PendulumWithGoals(terminate_on_goal_reaching=False, time_limit=1), 0.0, 0.0).step(standing)
    assert (going_on.reward.tolist(), going_on.terminated.tolist(), going_on.truncated.tolist()) == (
        [0.0],
        [False],
        [True],
    )


def test_starts_and_goals_are_drawn_as_described() -> None:
    environment = PendulumWithGoals(random_goals=True, polar_coordinates=True).make(300)
    obs = environment.reset(range(300), range(300))
    angle, speed = obs["observation"].T
    assert np.abs(angle).min() > pi / 4 - 1e-6
    assert np.abs(angle).max() > 3
    assert np.abs(speed).max() <= 0.05
    goal = np.abs(obs["desired_goal"]).max(axis=0)
    assert goal[0] <= pi / 8
    assert goal[1] <= 0.2 + 1e-6
    assert goal[0] > 0.35
    assert goal[1] > 0.18


def test_pictures() -> None:
    assert PendulumWithGoals().make(1).render() is None
    environment = PendulumWithGoals().make(1, render=True)
    environment.reset([0], [0])
    environment._angle[:] = pi / 2
    picture = environment.render()
    assert picture is not None
    assert picture.shape == (128, 128, 3)
    assert tuple(picture[64, 100]) == (30, 30, 30)
    assert tuple(picture[64, 30]) == (255, 255, 255)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"goal_reaching_thresholds": (0.1, 0.1)},
            "goal_reaching_thresholds: 2 were given - give 3, for sin, cos and velocity",
        ),
        (
            {"goal_reaching_thresholds": (0.1, 0.1, 1), "polar_coordinates": True},
            "goal_reaching_thresholds: 3 were given - give 2, for angle and velocity",
        ),
        ({"goal_reaching_thresholds": (0.1, 0.0, 1)}, "goal_reaching_thresholds: 0.0 is out of range - must be > 0"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting) as caught:
        PendulumWithGoals(**settings)
    assert str(caught.value) == message
