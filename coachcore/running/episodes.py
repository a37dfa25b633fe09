"""The open episodes of N environments: enough to count them and to open them again."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from coachcore.contracts.environment import VectorEnvironment
from coachcore.errors import BadCheckpoint
from coachcore.types import Array, Obs


class OpenEpisodes:
    """Seeds, actions so far and returns of the episodes now open.

    An episode is a function of its seed and its actions, so these are all that
    a checkpoint needs of an environment: `replay` brings it back to the step.
    `played` holds every action since the oldest open episode began.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.seeds = np.zeros(count, np.int64)
        self.starts = np.zeros(count, np.int64)  # where in `played` each episode begins
        self.returns = np.zeros(count)  # raw rewards
        self.played: list[Array] = []

    def begin(self, envs: Array, seeds: Array) -> None:
        """Note that `envs` open new episodes with `seeds`, and forget actions nobody needs any more."""
        self.seeds[envs], self.returns[envs] = seeds, 0.0
        self.starts[envs] = len(self.played)
        cut = int(self.starts.min())
        if cut:
            del self.played[:cut]
            self.starts -= cut

    def note(self, applied: Array, rewards: Array) -> None:
        """One step of every environment: actions ``[N, ...]`` as applied and raw rewards ``[N]``."""
        self.played.append(applied.copy())  # a policy may hand out its own buffer
        self.returns += rewards

    def length(self, env: int) -> int:
        """Steps that the open episode of `env` has had."""
        return len(self.played) - int(self.starts[env])

    @property
    def unplayed(self) -> Array | None:
        """Which episodes have had no step yet, ``[N]`` bool; None where all have."""
        opening = self.starts == len(self.played)
        return opening if opening.any() else None

    @property
    def sound(self) -> bool:
        """Whether every return is a number: one reward that is none spoils its episode's return."""
        if self.count == 1:  # five times as quick as asking NumPy, and asked at every step
            return isfinite(self.returns[0])
        return bool(np.isfinite(self.returns).all())

    def replay(self, environment: VectorEnvironment) -> Obs:
        """Bring `environment` to where these episodes are; the observations ``[N, ...]`` it shows then.

        All N simulators step together, so one whose episode began later idles in
        earlier steps (on its own seed, opened again whenever it ends) until its turn.
        """
        everyone = list(range(self.count))
        obs = {name: values.copy() for name, values in environment.reset(everyone, self.seeds.tolist()).items()}
        for index, actions in enumerate(self.played):
            after = environment.step(actions)
            obs = {name: values.copy() for name, values in after.obs.items()}
            ended = after.terminated | after.truncated
            due = np.flatnonzero((self.starts == index + 1) | (ended & (self.starts > index + 1)))
            if len(due):
                opened = environment.reset(due.tolist(), self.seeds[due].tolist())
                for name, values in opened.items():
                    obs[name][due] = values
        return obs

    def state(self) -> dict[str, Any]:
        played = np.stack(self.played) if self.played else np.zeros((0, self.count))
        kept = {"seeds": self.seeds, "starts": self.starts, "returns": self.returns}
        return {name: values.copy() for name, values in kept.items()} | {"played": played}

    def restore(self, state: dict[str, Any]) -> None:
        if len(state["seeds"]) != self.count:
            raise BadCheckpoint(f"it holds {len(state['seeds'])} environments, the preset asks for {self.count}")
        self.seeds, self.starts = state["seeds"].copy(), state["starts"].copy()
        self.returns = state["returns"].copy()
        self.played = list(state["played"])
