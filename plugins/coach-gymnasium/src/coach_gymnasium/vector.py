"""N Gymnasium environments behind one call, in a plain loop in this process."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from coach_gymnasium.actions import actions
from coach_gymnasium.making import missing
from coach_gymnasium.translate import named, observations
from coachcore.api import Array, BadData, Obs, Spaces, Step

_INFINITY = float("inf")


class Simulators:
    """N running environments; see `coachcore.contracts.environment` for what they keep true."""

    def __init__(self, name: str, envs: Sequence[gymnasium.Env[Any, Any]], keep: Sequence[str] = ()) -> None:
        self.name, self.count = name, len(envs)
        self._envs, self._all = tuple(envs), range(len(envs))
        self._open = True
        try:
            self._shown = observations(envs[0].observation_space, name, keep)
            action, self._told = actions(envs[0].action_space, name)
        except BaseException:  # whatever it was: leave no window or process behind
            self.close()
            raise
        spec = envs[0].spec
        success = None if spec is None else spec.reward_threshold
        self.spaces = Spaces(observation=named(self._shown), action=action, success=success)

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        """Open an episode in each environment named; observations ``[M, ...]``."""
        raws = [self._envs[env].reset(seed=int(seed))[0] for env, seed in zip(envs, seeds, strict=True)]
        return self._read(raws, envs)

    def step(self, actions: Array) -> Step:
        """One step in every environment; `actions` ``[N]`` or ``[N, *shape]``. Raises `BadData`."""
        if self.count == 1:
            return self._step_alone(actions[0])
        raws, rewards, terminated, truncated = [], [], [], []
        for env, action in zip(self._envs, actions, strict=True):
            raw, reward, over, cut, _ = env.step(self._told(action))
            if not -_INFINITY < reward < _INFINITY:  # False for NaN too
                raise self._bad(reward, len(raws))
            raws.append(raw)
            rewards.append(reward)
            terminated.append(over)
            truncated.append(cut)
        obs = self._read(raws, self._all)
        return Step(obs, np.array(rewards, np.float64), np.array(terminated, np.bool_), np.array(truncated, np.bool_))

    def _step_alone(self, action: Any) -> Step:
        """`step` for N = 1, the commonest case: 2 us over the environment itself instead of 5."""
        raw, reward, over, cut, _ = self._envs[0].step(self._told(action))
        if not -_INFINITY < reward < _INFINITY:
            raise self._bad(reward, 0)
        obs = {}
        for one in self._shown:
            obs[one.name] = one.read(raw, self.name, 0)[None]
        return Step(obs, np.array([float(reward)]), _YES if over else _NO, _YES if cut else _NO)

    def render(self) -> Array | None:
        """A picture ``[H, W, 3]`` uint8 of environment 0, or None where it was not made for that."""
        if self._envs[0].render_mode is None:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                picture = self._envs[0].render()
        except gymnasium.error.DependencyNotInstalled as error:
            raise missing(self.name, error) from error
        return np.array(picture, np.uint8)

    def lives(self) -> Array | None:
        """Lives left in each game ``[N]``; None where these are no games of the Arcade Learning Environment."""
        games = [getattr(env.unwrapped, "ale", None) for env in self._envs]
        return None if None in games else np.array([game.lives() for game in games])  # type: ignore[union-attr]

    def close(self) -> None:
        """Let go of everything; closing twice is no error."""
        if self._open:
            self._open = False
            for env in self._envs:
                env.close()

    def _read(self, raws: Sequence[Any], envs: Sequence[int]) -> Obs:
        return {one.name: one.read_all(raws, self.name, envs) for one in self._shown}

    def _bad(self, reward: Any, env: int) -> BadData:
        return BadData(
            f"the reward is {reward} - mend the environment or its options", where=f"{self.name}, environment {env}"
        )


def _flag(value: bool) -> Array:
    flag = np.array([value])
    flag.flags.writeable = False  # handed out again and again, so nobody may write to it
    return flag


_YES, _NO = _flag(True), _flag(False)
