"""A trained policy by itself: observations in, actions out, in NumPy alone where the network allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.contracts.agent import Agent
from coachcore.contracts.exploration import ExplorationPolicy
from coachcore.errors import Mismatch
from coachcore.running.pipeline import Pipelines
from coachcore.running.problem import CARRY, FIRST
from coachcore.types import Array, Moment, Obs, Proposal, Rows


@attrs.define(kw_only=True)
class Policy:
    """The greedy policy of an agent, with its filters before and its action mapping after.

    Filter statistics stand still; what a filter remembers within an episode
    moves on in this copy (call `reset` between episodes, or pass `first`).
    """

    agent: Agent
    exploration: ExplorationPolicy
    pipelines: Pipelines
    acting: Callable[[Obs], Mapping[str, Array]]
    filters: dict[str, Any]
    explorer: Any
    rng: np.random.Generator
    count: int = 1
    carry: int = 0  # numbers that a recurrent network remembers between steps
    _carried: Any = attrs.field(default=None, init=False)
    _opened: bool = attrs.field(default=False, init=False)

    def reset(self) -> None:
        """The next observation given to `act` opens an episode."""
        self._opened = False

    def act(self, obs: Array | Obs) -> Any:
        """The action for one observation as the environment gives it (unbatched; an array, or arrays by name).

        Returns an int for discrete actions and an array ``[*shape]`` otherwise.
        Raises `Mismatch` for a shape that the policy was not trained on.
        """
        named = obs if isinstance(obs, Mapping) else {"observation": obs}
        spaces = self.pipelines.raw.observation
        types = {name: space.dtype for name, space in spaces.items()}
        batch = {name: np.asarray(values, types.get(name))[None] for name, values in named.items()}
        self._check(batch)
        action = self.actions(batch, np.array([not self._opened]))[0]
        self._opened = True
        return action.item() if np.ndim(action) == 0 else action

    def actions(self, obs: Obs, first: Array) -> Array:
        """Actions ``[N, ...]`` for observations ``[N, ...]``; `first` ``[N]`` marks those that open an episode."""
        seen = self.pipelines.show(self.filters, self._observed(obs, first))
        moment = Moment(self.rng, 0, evaluating=True)
        space = self.pipelines.spaces.action
        propose = self._remembering(seen, first) if self.carry else lambda: self.agent.propose(self.acting(seen))
        _, actions = self.exploration(self.explorer, propose, space, len(first), moment)
        rows = Rows(np.arange(len(first)), first=False, evaluating=True)
        return self.pipelines.applied(self.filters, actions, rows, evaluating=True)

    def _remembering(self, seen: Obs, first: Array) -> Callable[[], Proposal]:
        """What the agent would like, by a network that remembers: it is asked at every step."""
        if self._carried is None or len(self._carried) != len(first):
            self._carried = np.zeros((len(first), self.carry), np.float32)
        kept = np.where(first[:, None], np.float32(0.0), self._carried)
        outputs = self.acting({**seen, CARRY: kept, FIRST: first.astype(np.float32)})
        proposal, self._carried = self.agent.propose(outputs), outputs[CARRY].copy()
        return lambda: proposal

    def _observed(self, obs: Obs, first: Array) -> Obs:
        if not self.pipelines.observation:
            return obs
        if first.all() or not first.any():
            rows = Rows(np.arange(len(first)), first=bool(first.all()), evaluating=True)
            return self.pipelines.observe(self.filters, obs, rows, evaluating=True)
        merged: dict[str, Array] = {}
        for opening in (True, False):
            envs = np.flatnonzero(first == opening)
            part = {name: values[envs] for name, values in obs.items()}
            rows = Rows(envs, first=opening, evaluating=True)
            seen = self.pipelines.observe(self.filters, part, rows, evaluating=True)
            for name, values in seen.items():
                merged.setdefault(name, np.empty((len(first), *values.shape[1:]), values.dtype))[envs] = values
        return merged

    def _check(self, batch: Obs) -> None:
        spaces = self.pipelines.raw.observation
        for name, space in spaces.items():
            if name not in batch:
                raise Mismatch(f"observation '{name}' is missing; got {', '.join(sorted(batch))}")
            if batch[name].shape[1:] != space.shape:
                raise Mismatch(
                    f"observation '{name}' has shape {batch[name].shape[1:]}, the policy expects {space.shape}"
                )
