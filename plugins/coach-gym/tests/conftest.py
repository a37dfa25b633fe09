"""Environments of both of gym's interfaces, that say what they were told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from coach_gym.environment import Gym
from coach_gym.making import quiet

with quiet():
    gym = pytest.importorskip("gym")


class New(gym.Env):
    """Shows its seed and its count of steps; ends after ten."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - gym's own convention

    def __init__(self, render_mode: str | None = None, fails: str = "") -> None:
        if fails:
            raise ModuleNotFoundError("No module named 'x'", name="x") if fails == "x" else ValueError("two\nlines")
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3, start=1)
        self.render_mode, self.closed = render_mode, 0
        self.count, self.given, self.told = 0, 0, []

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.count, self.given = 0, seed or 0
        return self.seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.count += 1
        self.told.append(action)
        return self.seen(), 0.5, self.count >= 10, False, {}

    def seen(self) -> Any:
        return np.array([self.given % 1000, self.count], np.float32)

    def render(self) -> Any:
        return np.full((3, 4, 3), self.count, np.uint8)

    def close(self) -> None:
        self.closed += 1


class Old(gym.Env):
    """The same before 0.26: four values, and a method for the seed."""

    metadata = {"render.modes": ["rgb_array"]}  # noqa: RUF012 - gym's own convention

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.count, self.given = 0, 0

    def seed(self, seed: int | None = None) -> list[int]:
        self.given = seed or 0
        return [self.given]

    def reset(self) -> Any:
        self.count = 0
        return np.array([self.given % 1000, 0], np.float32)

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        self.count += 1
        cut = self.count == 4 and action == 2
        seen = np.array([self.given % 1000, self.count], np.float32)
        return seen, 0.5, cut or self.count >= 10, {"TimeLimit.truncated": cut} if cut else {}

    def render(self, mode: str = "human") -> Any:
        return np.full((3, 4, 3), self.count, np.uint8) if mode == "rgb_array" else None


class Bare(gym.Env):
    """No way to give a seed at all."""

    observation_space = gym.spaces.Discrete(2)
    action_space = gym.spaces.Discrete(2)

    def reset(self) -> Any:
        return 0

    def step(self, action: Any) -> Any:
        return 0, 0.0, True, {}


def by_function(**given: Any) -> Old:
    return Old(**given)


MADE = {"New-v0": New, "New-v3": New, "Old-v0": Old, "Bare-v0": Bare}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    with quiet():
        for name, cls in MADE.items():
            gym.register(name, cls)
        gym.register("Function-v0", by_function)
    yield
    for name in (*MADE, "Function-v0"):
        del gym.envs.registration.registry[name]


@pytest.fixture
def made() -> Iterator[Callable[..., Any]]:
    """`count` environments, ``New-v0`` unless told otherwise; closed at the end."""
    all_made: list[Any] = []

    def make(count: int = 1, *, render: bool = False, **settings: Any) -> Any:
        all_made.append(Gym(**({"id": "New-v0"} | settings)).make(count, render=render))
        return all_made[-1]

    yield make
    for environment in all_made:
        environment.close()
