"""An environment of gym as one of Gymnasium: the same spaces, under the names that are maintained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium import spaces as modern

from coachcore.api import Mismatch


class Modern(gymnasium.Env[Any, Any]):
    """Hands everything on; of the five values of a step gym 0.26 and Gymnasium mean the same."""

    def __init__(self, env: Any) -> None:
        self.old = env
        self.observation_space, self.action_space = space_of(env.observation_space), space_of(env.action_space)
        self.render_mode, self.spec = env.render_mode, env.spec

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.old.reset(seed=seed)  # type: ignore[no-any-return]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.old.step(action)  # type: ignore[no-any-return]

    def render(self) -> Any:
        return self.old.render()

    def close(self) -> None:
        self.old.close()

    @property
    def unwrapped(self) -> Any:
        """The environment itself, such as a game that counts lives."""
        return self.old.unwrapped


_MAKERS: dict[str, Callable[[Any], modern.Space[Any]]] = {
    "Box": lambda old: modern.Box(old.low, old.high, old.shape, old.dtype),
    "Dict": lambda old: modern.Dict({name: space_of(one) for name, one in old.spaces.items()}),
    "Discrete": lambda old: modern.Discrete(int(old.n), start=int(getattr(old, "start", 0))),
    "MultiBinary": lambda old: modern.MultiBinary(old.n),
    "MultiDiscrete": lambda old: modern.MultiDiscrete(old.nvec),
    "Text": lambda old: modern.Text(old.max_length, min_length=old.min_length, charset=old.character_set),
    "Tuple": lambda old: modern.Tuple([space_of(one) for one in old.spaces]),
}


def space_of(old: Any) -> modern.Space[Any]:
    """The same space of Gymnasium; raises `Mismatch` for a kind that it does not have."""
    maker = _MAKERS.get(type(old).__name__)
    if maker is None:
        raise Mismatch(f"a {type(old).__name__} space of gym is not known; known: {', '.join(_MAKERS)}")
    return maker(old)
