"""Filters in a row: how observations, rewards and actions pass through them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.component import spec_of
from coachcore.contracts.experiment import Filters
from coachcore.contracts.filter import Filter
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Space, Spaces
from coachcore.types import Array, Obs, Rows, State


@attrs.frozen
class Chain:
    """Filters in the order that values meet them, each bound to the space that it is given.

    `lasting` marks filters whose state must stand still in evaluation; an
    ``episodic`` filter (frame stacking) remembers within an episode and has to
    move on there too, on the evaluation's own copy.
    """

    filters: tuple[Filter, ...]
    befores: tuple[Space, ...]
    lasting: tuple[bool, ...]

    def init(self, count: int) -> list[State]:
        return [rule.init(before, count) for rule, before in zip(self.filters, self.befores, strict=True)]

    def __call__(
        self, states: list[State], values: Array, rows: Rows, *, evaluating: bool = False
    ) -> tuple[list[State], Array]:
        """States and values ``[M, ...]`` after every filter."""
        after = []
        for rule, state, lasting in zip(self.filters, states, self.lasting, strict=True):
            moved, values = rule(state, values, rows)
            after.append(state if evaluating and lasting else moved)
        return after, values


def _unit(space: Box) -> Box:
    if not space.bounded:
        raise Mismatch(
            "the agent needs actions with finite bounds, these are open - bound them with the action filter "
            "'linear-box-to-box'",
            where="filters.action",
        )
    return Box(space.shape, -1.0, 1.0, names=space.names)


def _chain(filters: Iterable[Filter], before: Space) -> tuple[Chain, Space]:
    befores = []
    rules = tuple(filters)
    for rule in rules:
        befores.append(before)
        before = rule.space(before)
    return Chain(rules, tuple(befores), tuple(not spec_of(rule).facts.get("episodic") for rule in rules)), before


@attrs.frozen
class Pipelines:
    """All three directions, and the spaces that the agent sees behind them."""

    observation: Mapping[str, Chain]  # only the names that have filters
    reward: Chain
    action: Chain  # in the order that an action meets them: agent side first
    raw: Spaces  # as the environment shows them
    spaces: Spaces
    outer: Space  # of actions behind the filters, before they become units

    @classmethod
    def of(cls, filters: Filters, spaces: Spaces, *, unit: bool = False) -> Pipelines:
        """Bind `filters` to the environment's `spaces`; raises `Mismatch` where one does not fit.

        With `unit`, an agent sees a box of actions as [-1, 1] on every side.
        """
        unknown = set(filters.observation) - set(spaces.observation)
        if unknown:
            there = ", ".join(sorted(spaces.observation))
            raise Mismatch(f"no observation is called '{min(unknown)}'; there is {there}", where="filters")
        chains, seen = {}, dict(spaces.observation)
        for name, rules in filters.observation.items():
            if rules:
                chains[name], seen[name] = _chain(rules, spaces.observation[name])
        reward, reward_space = _chain(filters.reward, spaces.reward)
        outward, action_space = _chain(filters.action, spaces.action)
        inward = Chain(outward.filters[::-1], outward.befores[::-1], outward.lasting[::-1])
        if not isinstance(reward_space, Box):
            raise Mismatch(f"a reward filter must leave rewards in a box, got {reward_space}", where="filters.reward")
        agents = _unit(action_space) if unit and isinstance(action_space, Box) else action_space
        seen_spaces = Spaces(observation=seen, action=agents, reward=reward_space)
        return cls(chains, reward, inward, spaces, seen_spaces, action_space)

    def init(self, count: int) -> dict[str, Any]:
        """Every filter's state before the first step."""
        return {
            "observation": {name: chain.init(count) for name, chain in self.observation.items()},
            "reward": self.reward.init(count),
            "action": self.action.init(count),
        }

    def observe(self, states: dict[str, Any], obs: Obs, rows: Rows, *, evaluating: bool = False) -> Obs:
        """Observations ``[M, ...]`` as the agent sees them; `states` moves on in place."""
        if not self.observation:
            return obs
        seen = dict(obs)
        for name, chain in self.observation.items():
            kept, seen[name] = chain(states["observation"][name], obs[name], rows, evaluating=evaluating)
            states["observation"][name] = kept
        return seen

    def rewarded(self, states: dict[str, Any], rewards: Array, rows: Rows) -> Array:
        """Rewards ``[M]`` as the agent sees them (training only: evaluation counts raw rewards)."""
        if not self.reward.filters:
            return rewards
        states["reward"], rewards = self.reward(states["reward"], rewards, rows)
        return rewards

    def applied(self, states: dict[str, Any], actions: Array, rows: Rows, *, evaluating: bool = False) -> Array:
        """The agent's actions ``[N, ...]`` as the environment takes them, cut off at the edges of a box."""
        if isinstance(self.outer, Box):
            actions = self._within(actions)
        if not self.action.filters:
            return actions
        states["action"], actions = self.action(states["action"], actions, rows, evaluating=evaluating)
        return actions

    def _within(self, actions: Array) -> Array:
        """Actions of the agent's box ``[N, ...]`` in the box behind it."""
        inner, outer = self.spaces.action, self.outer
        actions = np.clip(actions, inner.low, inner.high)  # type: ignore[union-attr]
        if inner is outer:
            return actions.astype(np.float32)
        low, high = outer.low, outer.high  # type: ignore[union-attr]
        mapped: Array = (low + (actions + 1.0) * (0.5 * (high - low))).astype(np.float32)
        return mapped
