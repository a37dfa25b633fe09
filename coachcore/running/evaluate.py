"""Evaluation: greedy episodes in an environment of its own, which change nothing in the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import attrs
import numpy as np

from coachcore.contracts.environment import VectorEnvironment
from coachcore.running.policy import Policy
from coachcore.types import Obs


class Played(NamedTuple):
    """One finished episode: its place in the list of seeds, undiscounted return of raw rewards, steps."""

    episode: int
    total: float
    length: int


@attrs.frozen
class Score:
    """What some episodes add up to."""

    returns: tuple[float, ...]
    lengths: tuple[int, ...]
    success: float | None = None  # return from which an episode counts as a success, where the environment says so

    @property
    def mean(self) -> float:
        return float(np.mean(self.returns))

    @property
    def std(self) -> float:
        """Standard deviation over the episodes (population)."""
        return float(np.std(self.returns))

    def summary(self) -> dict[str, float]:
        """Plain numbers for an event."""
        reached = {} if self.success is None else {"success": float(np.mean(np.array(self.returns) >= self.success))}
        return {
            "mean": self.mean,
            "std": self.std,
            "min": float(min(self.returns)),
            "max": float(max(self.returns)),
            "length": float(np.mean(self.lengths)),
            "episodes": len(self.returns),
            **reached,
        }


def evaluate(
    policy: Policy,
    environment: VectorEnvironment,
    seeds: Sequence[int],
    *,
    on_step: Callable[[int], None] | None = None,
) -> Score:
    """Play one episode a seed, greedily. `on_step(index)` is called before each action of environment 0."""
    played = sorted(play(policy, environment, seeds, on_step=on_step))
    goal = environment.spaces.success
    return Score(tuple(one.total for one in played), tuple(one.length for one in played), goal)


def play(
    policy: Policy,
    environment: VectorEnvironment,
    seeds: Sequence[int],
    *,
    on_step: Callable[[int], None] | None = None,
) -> Iterator[Played]:
    """Yield episodes as they end.

    Environments that have no seed left are opened again on their last one and
    not counted, so that all can go on stepping together.
    """
    count = environment.count
    waiting = list(enumerate(seeds))
    playing: list[tuple[int, int] | None] = [waiting.pop(0) if waiting else None for _ in range(count)]
    last = [one[1] if one else seeds[0] for one in playing]
    obs = environment.reset(range(count), last)
    totals, lengths, first = np.zeros(count), np.zeros(count, np.int64), np.ones(count, bool)
    while any(playing):
        if on_step and playing[0]:
            on_step(playing[0][0])
        after = environment.step(policy.actions(obs, first))
        totals, lengths, first = totals + after.reward, lengths + 1, after.terminated | after.truncated
        ended = np.flatnonzero(first).tolist()
        obs = after.obs
        if not ended:
            continue
        for env in ended:
            if (one := playing[env]) is not None:
                yield Played(one[0], float(totals[env]), int(lengths[env]))
            playing[env] = waiting.pop(0) if waiting else None
            last[env] = one[1] if (one := playing[env]) else last[env]
        totals[ended], lengths[ended] = 0.0, 0
        obs = _reopened(environment, obs, ended, last)


def _reopened(environment: VectorEnvironment, obs: Obs, envs: list[int], seeds: list[int]) -> Obs:
    fresh = environment.reset(envs, [seeds[env] for env in envs])
    merged = {name: values.copy() for name, values in obs.items()}
    for name, values in fresh.items():
        merged[name][envs] = values
    return merged
