"""The acting network in a run: what it thinks now, what it keeps of that, what it remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coachcore.acting import ActingNetwork
from coachcore.contracts.agent import Agent
from coachcore.contracts.engine import Learner
from coachcore.rng import Streams
from coachcore.running.problem import CARRY, FIRST
from coachcore.types import Array, Obs, Proposal


class Actor:
    """Asks the acting network of `learner`, noise from the stream ``noise``; holds nothing that outlives a step.

    `fresh`: what the agent thinks is kept beside what it did. `carry`: how many
    numbers the network remembers; they travel with the observations. `show`, where
    there is one, is what becomes of stored observations before the network sees them.
    """

    show: Callable[[Obs], Obs] | None = None

    def __init__(self, agent: Agent, learner: Learner, streams: Streams, *, fresh: bool, carry: int) -> None:
        self._agent: Any = agent
        self._learner, self._streams = learner, streams
        self.fresh, self.carry = fresh, carry
        self._outputs: Mapping[str, Array] = {}
        self._proposal: Any = None
        self._carried: Any = None
        self.load()

    def load(self) -> None:
        """Act as the learner now stands."""
        program, weights = self._learner.acting()
        self.acting: Any = ActingNetwork(program) if program else self._learner.forward
        self._noise = self._streams["noise"] if not program or program.get("noise") else None
        self.refresh(weights)

    def refresh(self, weights: Array) -> None:
        """Act with these weights ``[P]`` from now on."""
        if isinstance(self.acting, ActingNetwork):
            self.acting.load(weights)

    @property
    def eager(self) -> bool:
        """Whether the network must be asked at every step: to keep what it thinks, or to remember that it was there."""
        return self.fresh or self.carry > 0

    def propose(self, obs: Obs) -> Proposal:
        """What the agent would like to do where it sees `obs` ``[N, ...]``."""
        return self._agent.propose(self._asked(obs, self._noise))  # type: ignore[no-any-return]

    def think(self, obs: Obs) -> Proposal:
        """The same, kept until the next step."""
        self._outputs = self._asked(obs, self._noise)
        self._proposal = self._agent.propose(self._outputs)
        if self.carry:
            self._carried = self._outputs[CARRY].copy()
        return self._proposal  # type: ignore[no-any-return]

    def kept(self, actions: Array) -> Mapping[str, Array]:
        """The agent's columns for the actions ``[N, ...]`` it chose after it last thought."""
        return self._agent.kept(self._outputs, self._proposal, actions)  # type: ignore[no-any-return]

    def value_of(self, obs: Obs) -> Array:
        """What the agent thinks observations ``[N, ...]`` are worth: ``[N]``."""
        return np.array(self._asked(obs)["value"])

    def _asked(self, obs: Obs, noise: Any = None) -> Mapping[str, Array]:
        return self.acting(obs if self.show is None else self.show(obs), noise)  # type: ignore[no-any-return]

    def after(self, obs: Obs) -> Obs:
        """Observations ``[N, ...]`` that follow a step, with what the network remembers of it."""
        if not self.carry:
            return obs
        return {**obs, CARRY: self._carried, FIRST: np.zeros(len(self._carried), np.float32)}

    def opening(self, obs: Obs, count: int) -> Obs:
        """Observations ``[M, ...]`` that open `count` episodes: nothing is remembered."""
        if not self.carry:
            return obs
        return {**obs, CARRY: np.zeros((count, self.carry), np.float32), FIRST: np.ones(count, np.float32)}
