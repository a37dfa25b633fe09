"""A pendulum that is to be brought to an angle and a speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from coach_toys.drawing import BLACK, WHITE
from coachcore.api import Array, BadSetting, Box, Obs, Spaces, Step, component, param

GRAVITY, MASS, LENGTH = 10.0, 1.0, 1.0
TORQUE, SPEED, SECONDS = 2.0, 8.0, 0.05
"""Largest torque and speed, and how long one step of the physics lasts."""

_PICTURE, _ROD = 128, 48


def _one_each(part: Any, _field: Any, thresholds: tuple[float, ...]) -> None:
    wanted = 2 if part.polar_coordinates else 3
    names = "angle and velocity" if wanted == 2 else "sin, cos and velocity"
    if thresholds and len(thresholds) != wanted:
        raise BadSetting(f"{len(thresholds)} were given - give {wanted}, for {names}", where="goal_reaching_thresholds")


@component("environment", "pendulum-with-goals", aliases=("PendulumWithGoals",))
@attrs.frozen(kw_only=True)
class PendulumWithGoals:
    """A rod on a motor too weak to lift it at once; the goal is to stand upright, or an angle and speed drawn anew.

    With the angle a from upright, w'(t) = 3 g / (2 l) sin a + 3 / (m l^2) u for the torque
    u in [-2, 2], in steps of 0.05 s, the speed first; g = 10, l = m = 1, |w| <= 8. Episodes begin at an
    angle from 45 to 315 degrees and a speed within 0.05.

    Observations: ``observation`` and ``achieved_goal`` are (sin a, cos a, w), or (a, w) with
    `polar_coordinates`; ``desired_goal`` is the same of the goal. The goal is reached where
    every component is within its threshold.

    Levy et al., Learning multi-level hierarchies with hindsight, 2018, arXiv:1712.00948. The
    old environment needed MuJoCo, and reported running out of time as the end of the task.
    """

    polar_coordinates: bool = param(default=False, doc="show the angle itself instead of its sine and cosine")
    goal_reaching_thresholds: tuple[float, ...] = param(
        default=(),
        gt=0,
        check=_one_each,
        doc="how near each component must come; left out: 0.075, and 0.75 for the velocity",
    )
    goal_not_reached_penalty: float = param(default=-1.0, doc="reward of a step that does not reach the goal")
    goal_reached_reward: float = param(default=0.0, doc="reward of a step that reaches the goal")
    terminate_on_goal_reaching: bool = param(default=True, doc="whether reaching the goal ends the episode")
    time_limit: int = param(default=1_000, ge=1, doc="actions after which an episode is truncated", unit="steps")
    frame_skip: int = param(default=1, ge=1, doc="steps of the physics that each action lasts")
    random_goals: bool = param(
        default=False, doc="draw the goal within 22.5 degrees of upright and a speed within 0.2, instead of standing"
    )

    def make(self, count: int, *, render: bool = False) -> Pendulums:
        return Pendulums(self, count, render=render)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """How near each component must come."""
        return self.goal_reaching_thresholds or (*[0.075] * (1 if self.polar_coordinates else 2), 0.75)


class Pendulums:
    """N pendulums; the angle is 0 upright and lies in [-pi, pi)."""

    def __init__(self, part: PendulumWithGoals, count: int, *, render: bool) -> None:
        high = (np.pi, SPEED) if part.polar_coordinates else (1.0, 1.0, SPEED)
        names = ("angle", "velocity") if part.polar_coordinates else ("sin", "cos", "velocity")
        shown = Box((len(high),), -np.array(high), np.array(high), names=names)
        seen = dict.fromkeys(("observation", "achieved_goal", "desired_goal"), shown)
        self.spaces = Spaces(observation=seen, action=Box((1,), -TORQUE, TORQUE, names=("torque",)))
        self.count, self._part, self._render = count, part, render
        self._angle, self._speed = np.full(count, np.pi / 2), np.zeros(count)  # [N]
        self._goal = np.zeros((count, 2))  # [N, 2] angle and speed
        self._steps = np.zeros(count, np.int64)  # [N] since the episode began

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        for env, seed in zip(envs, seeds, strict=True):
            rng = np.random.Generator(np.random.PCG64(int(seed)))
            self._angle[env] = _turned(rng.uniform(np.pi / 4, 7 * np.pi / 4))
            self._speed[env] = rng.uniform(-0.05, 0.05)
            aim = rng.uniform((-np.pi / 8, -0.2), (np.pi / 8, 0.2))
            self._goal[env] = aim if self._part.random_goals else 0.0
            self._steps[env] = 0
        return {name: values[list(envs)] for name, values in self._seen().items()}

    def step(self, actions: Array) -> Step:
        part, torque = self._part, np.clip(actions[:, 0].astype(np.float64), -TORQUE, TORQUE)
        for _ in range(part.frame_skip):
            pull = 1.5 * GRAVITY / LENGTH * np.sin(self._angle) + 3.0 / (MASS * LENGTH**2) * torque
            self._speed = np.clip(self._speed + SECONDS * pull, -SPEED, SPEED)
            self._angle = _turned(self._angle + SECONDS * self._speed)
        self._steps = self._steps + 1
        obs = self._seen()
        reached = self._reached()
        over = reached if part.terminate_on_goal_reaching else np.zeros(self.count, bool)
        rewards = np.where(reached, part.goal_reached_reward, part.goal_not_reached_penalty)
        return Step(obs, rewards, over, ~over & (self._steps >= part.time_limit))

    def render(self) -> Array | None:
        """A black rod on white."""
        if not self._render:
            return None
        picture = np.full((_PICTURE, _PICTURE, 3), WHITE, np.uint8)
        along = np.linspace(0, _ROD, 4 * _ROD)
        down = (_PICTURE // 2 - along * np.cos(self._angle[0])).astype(int)
        right = (_PICTURE // 2 + along * np.sin(self._angle[0])).astype(int)
        for thick in (-1, 0, 1):
            picture[down + thick, right] = picture[down, right + thick] = BLACK
        return picture

    def close(self) -> None:
        """Nothing to let go of."""

    def _reached(self) -> Array:
        """``[N]`` bool."""
        away = np.abs(self._shown(self._angle, self._speed) - self._shown(*self._goal.T))
        if self._part.polar_coordinates:
            away[:, 0] = np.abs(_turned(self._angle - self._goal[:, 0]))  # the short way round
        return np.all(away <= np.array(self._part.thresholds), axis=1)

    def _seen(self) -> dict[str, Array]:
        """Fresh observations, each ``[N, 3]`` or ``[N, 2]``."""
        now = self._shown(self._angle, self._speed).astype(np.float32)
        goal = self._shown(*self._goal.T).astype(np.float32)
        return {"observation": now, "achieved_goal": now.copy(), "desired_goal": goal}

    def _shown(self, angle: Array, speed: Array) -> Array:
        parts = (angle, speed) if self._part.polar_coordinates else (np.sin(angle), np.cos(angle), speed)
        return np.stack(parts, axis=1)


def _turned(angle: Any) -> Any:
    """The same angle in [-pi, pi)."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
