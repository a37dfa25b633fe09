"""N environments, each stepped by itself, frame after frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coachcore.api import Array, Box, Discrete, Generator, Mismatch, Obs, Step, spec_of

if TYPE_CHECKING:
    from coach_environments.paced import Paced

_NEVER = np.inf


class PacedSimulators:
    """Holds N environments of one simulator: those that are through with a step early must not go on with the rest."""

    def __init__(self, part: Paced, count: int, *, render: bool) -> None:
        self.count = count
        self._all: list[_Paced] = []
        try:
            for env in range(count):
                self._all.append(_Paced(part, part.environment.make(1, render=render and env == 0)))
            _check(part, self._all[0].held)
        except BaseException:  # whatever it was: leave no window or process behind
            self.close()
            raise
        self.spaces = self._all[0].held.spaces

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        return _joined([self._all[env].reset(int(seed)) for env, seed in zip(envs, seeds, strict=True)])

    def step(self, actions: Array) -> Step:
        steps = [one.step(actions[env : env + 1]) for env, one in enumerate(self._all)]
        if self.count == 1:
            return steps[0]
        reward, over, cut = (np.concatenate(parts) for parts in zip(*(step[1:4] for step in steps), strict=True))
        lost = [step.lost for step in steps]
        found = None if all(one is None for one in lost) else np.array([one is not None and one[0] for one in lost])
        return Step(_joined([step.obs for step in steps]), reward, over, cut, found)

    def render(self) -> Array | None:
        return self._all[0].held.render()  # type: ignore[no-any-return]

    def close(self) -> None:
        for one in self._all:
            one.held.close()

    def news(self) -> list[Mapping[str, Any]]:
        """What the environments inside have to tell, see `coachcore.contracts.environment`."""
        told = ((env, getattr(one.held, "news", list)()) for env, one in enumerate(self._all))
        return [{**item, "env": env} for env, items in told for item in items]


class _Paced:
    """One environment of one simulator, and where its episode stands."""

    def __init__(self, part: Paced, held: Any) -> None:
        self.held, self._part = held, part
        self._rng = np.random.Generator(np.random.PCG64(0))
        self._last: Array = np.zeros(0)  # the action of the frame before
        self._steps = 0
        self._lives = 0

    def reset(self, seed: int) -> Obs:
        self._rng = _chance(seed)
        obs = self._opened(seed)
        while obs is None:  # the episode ended before it was shown
            obs = self._opened(int(self._rng.integers(0, 2**31 - 1)))
        self._steps = 0
        if self._part.episode_life:
            self._lives = self._left()
        return obs

    def step(self, action: Array) -> Step:
        """`action` ``[1, ...]`` for as many frames as it lasts, fewer where the episode ends."""
        part, total, seen = self._part, 0.0, []
        for frame in range(part.frame_skip):
            after = self._frame(action)
            total += float(after.reward[0])
            if frame >= part.frame_skip - part.maximum_over:
                seen.append(after.obs)
            if after.terminated[0] or after.truncated[0]:
                break
        self._steps += 1
        over = bool(after.terminated[0])
        if part.episode_life and not over and after.lost is None:
            over = self._left() < self._lives
        cut = bool(after.truncated[0]) or self._steps >= (part.time_limit or _NEVER)
        obs = after.obs if len(seen) < 2 else _greatest(seen)
        return Step(obs, np.array([total]), np.array([over]), np.array([cut and not over]), after.lost)

    def _frame(self, action: Array) -> Step:
        chance = self._part.repeat_action_probability
        if chance and self._rng.random() < chance:
            action = self._last
        self._last = action.copy()
        return self.held.step(action)  # type: ignore[no-any-return]

    def _opened(self, seed: int) -> Obs | None:
        """What is seen after the first actions; None where the episode ended in them."""
        obs: Obs = self.held.reset([0], [seed])
        nothing = _idle(self.held.spaces.action)
        self._last = nothing
        drawn = int(self._rng.integers(0, self._part.no_ops + 1)) if self._part.no_ops else 0
        for action in (*[nothing] * drawn, *(np.array([one]) for one in self._part.opening)):
            after = self.held.step(action)
            if after.terminated[0] or after.truncated[0]:
                return None
            obs, self._last = after.obs, action
        return obs

    def _left(self) -> int:
        return int(self.held.lives()[0])


def _check(part: Paced, held: Any) -> None:
    """Whether the settings make sense for this environment; raises `Mismatch`."""
    name, action = spec_of(part.environment).name, held.spaces.action
    if part.episode_life and getattr(held, "lives", lambda: None)() is None:
        raise Mismatch(f"'{name}' does not count lives here - leave it out", where="environment.episode_life")
    if part.no_ops and not isinstance(action, Discrete | Box):
        kind = type(action).__name__
        raise Mismatch(
            f"what does nothing among {kind} actions is not known - leave it out", where="environment.no_ops"
        )
    most = action.n if isinstance(action, Discrete) else 0
    wrong = [one for one in part.opening if one >= most]
    if wrong and most:
        raise Mismatch(f"{wrong[0]} is not an action of 0 to {most - 1}", where="environment.opening")
    if wrong:
        raise Mismatch(f"the actions of '{name}' are not discrete - leave it out", where="environment.opening")


def _idle(action: Any) -> Array:
    """The action ``[1, ...]`` that does nothing: the first of discrete ones, or what is nearest to 0."""
    if isinstance(action, Box):
        return np.clip(np.zeros((1, *action.shape), np.float32), action.low, action.high)
    return np.zeros((1, *action.shape), np.int64)


def _chance(seed: int) -> Generator:
    """A stream that has nothing to do with what the environment draws from the same seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(1,))))


def _joined(parts: Sequence[Obs]) -> Obs:
    """Observations ``[1, ...]`` one under the other."""
    return parts[0] if len(parts) == 1 else {name: np.concatenate([obs[name] for obs in parts]) for name in parts[0]}


def _greatest(seen: Sequence[Obs]) -> Obs:
    return {name: np.maximum.reduce([obs[name] for obs in seen]) for name in seen[0]}
