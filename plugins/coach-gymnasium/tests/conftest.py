"""Environments of the tests' own: they show what they are told to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces as gym

from coach_gymnasium.environment import Gymnasium


class Scripted(gymnasium.Env):
    """Shows what it is told to show, from one buffer that it writes again and again."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - Gymnasium's own convention

    def __init__(
        self, kind: str = "box", value: float = 0.0, reward: float = 1.0, render_mode: str | None = None
    ) -> None:
        self.render_mode, self.value, self.paid, self.closed = render_mode, value, reward, 0
        self.buffer = np.zeros(3, np.float64)
        self.told: list[Any] = []
        box = gym.Box(-10.0, 10.0, (3,), np.float64)
        self.observation_space = {
            "box": box,
            "image": gym.Box(0, 255, (4, 4, 3), np.uint8),
            "no bytes": gym.Box(0, 255, (4, 4, 3), np.uint8),
            "discrete": gym.Discrete(4, start=10),
            "dict": gym.Dict({"place": box, "room": gym.Discrete(2)}),
            "text": gym.Dict({"mission": gym.Text(5)}),
            "mixed": gym.Dict({"place": box, "mission": gym.Text(5)}),
            "graph": gym.Dict({"place": box, "roads": gym.Graph(gym.Box(0, 1, (1,)), None)}),
            "tuple": gym.Tuple(
                (
                    gym.Dict({"left": gym.MultiDiscrete([2, 3]), "right": gym.MultiBinary(2)}),
                    gym.Text(2, charset="abc"),
                )
            ),
            "short": gym.Box(-10.0, 10.0, (2,), np.float64),
        }[kind]
        self.kind = kind
        self.action_space: gym.Space[Any] = gym.Discrete(2, start=5)

    def shown(self) -> Any:
        self.buffer += 0.25
        self.buffer[1] = self.value
        if self.kind == "discrete":
            return np.int64(12)
        if self.kind == "image":
            return np.full((4, 4, 3), 7, np.uint8)
        if self.kind == "no bytes":
            return np.full((4, 4, 3), self.value)
        if self.kind == "tuple":
            return {"left": np.array([1, 1]), "right": np.array([1, 0], np.int8)}, "ba"
        if self.kind == "mixed":
            return {"place": self.buffer, "mission": "go"}
        return {"place": self.buffer, "room": 1} if self.kind == "dict" else self.buffer

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.buffer[:] = 0.0
        return self.shown(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.told.append(action)
        return self.shown(), self.paid, False, False, {}

    def render(self) -> Any:
        return np.full((8, 9, 3), 200, np.uint8)

    def close(self) -> None:
        self.closed += 1


class Steered(Scripted):
    def __init__(self, whole: bool = False, **given: Any) -> None:
        super().__init__(**given)
        self.action_space = gym.Box(0, 3, (2,), np.int64) if whole else gym.Box(-1.0, 1.0, (2,), np.float64)


@pytest.fixture(autouse=True)
def scripted() -> Iterator[type[Scripted]]:
    """The class behind ``Scripted-v0``, ``-v2`` (ends after 20 steps) and ``-v10``; ``Steered-v0`` takes a box."""
    gymnasium.register("Scripted-v0", Scripted)
    gymnasium.register("Scripted-v2", Scripted, max_episode_steps=20)
    gymnasium.register("Scripted-v10", Scripted)
    gymnasium.register("Steered-v0", Steered)
    yield Scripted
    for name in ("Scripted-v0", "Scripted-v2", "Scripted-v10", "Steered-v0"):
        del gymnasium.registry[name]


@pytest.fixture
def made() -> Callable[..., Any]:
    """`count` environments, ``Scripted-v0`` unless told otherwise."""

    def make(count: int = 1, **settings: Any) -> Any:
        return Gymnasium(**({"id": "Scripted-v0"} | settings)).make(count)

    return make
