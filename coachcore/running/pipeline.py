"""Filters in a row: how observations, rewards and actions pass through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.component import spec_of
from coachcore.contracts.experiment import Filters
from coachcore.contracts.filter import Filter
from coachcore.errors import Mismatch
from coachcore.layout import Layout
from coachcore.spaces import Box, Discrete, Space, Spaces
from coachcore.types import Array, Obs, Rows, Sample, State

_Call = Callable[[State, Array, Rows], tuple[State, Array]]


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
    _calls: tuple[tuple[int, _Call], ...] = attrs.field(init=False, eq=False, repr=False)

    @_calls.default
    def _bound(self) -> tuple[tuple[int, _Call], ...]:
        """The filters' calls, looked up once: this and the loops below are all that a step pays besides the filters."""
        return tuple(enumerate(rule.__call__ for rule in self.filters))

    def init(self, count: int) -> list[State]:
        return [rule.init(before, count) for rule, before in zip(self.filters, self.befores, strict=True)]

    def __call__(self, states: list[State], values: Array, rows: Rows) -> Array:
        """Values ``[M, ...]`` after every filter; `states` moves on in place."""
        for at, call in self._calls:
            states[at], values = call(states[at], values, rows)
        return values

    def still(self, states: list[State], values: Array, rows: Rows) -> Array:
        """The same in evaluation, where only what is episodic moves on."""
        for at, call in self._calls:
            moved, values = call(states[at], values, rows)
            if not self.lasting[at]:
                states[at] = moved
        return values


def _unit(space: Box) -> Box:
    if not space.bounded:
        raise Mismatch(
            "the agent needs actions with finite bounds, these are open - bound them with the action filter "
            "'linear-box-to-box'",
            where="filters.action",
        )
    return Box(space.shape, -1.0, 1.0, names=space.names)


def _chain(filters: Iterable[Filter], before: Space) -> tuple[Chain, Space]:
    befores, stacked = [], ""
    rules = tuple(filters)
    for rule in rules:
        befores.append(before)
        before, given = rule.space(before), before
        planes = before.dtype == "uint8" and len(before.shape) == 3
        if stacked and not (planes and before.shape[-1] == given.shape[-1]):
            raise Mismatch(
                f"behind '{stacked}' memory would have to keep every frame again for each stack - put it before",
                where=spec_of(rule).name,
            )
        stacked = stacked or (spec_of(rule).name if planes and spec_of(rule).facts.get("episodic") else "")
    return Chain(rules, tuple(befores), tuple(not spec_of(rule).facts.get("episodic") for rule in rules)), before


def _split(rules: tuple[Filter, ...], where: str) -> tuple[tuple[Filter, ...], tuple[Filter, ...]]:
    """What memory keeps, and the filters with ``stored = false`` behind it, which only the network sees."""
    kept = tuple(rule for rule in rules if getattr(rule, "stored", True))
    if rules[: len(kept)] != kept:
        raise Mismatch("filters with stored = false come last: what memory keeps has not passed them", where=where)
    return kept, rules[len(kept) :]


def _shown(rules: tuple[Filter, ...], before: Space, where: str) -> tuple[Chain, Space]:
    """The chain of filters with ``stored = false``; raises `Mismatch` where what is stored would not have room."""
    chain, after = _chain(rules, before)
    if (after.shape, after.dtype) != (before.shape, before.dtype) or not all(chain.lasting):
        names = ", ".join(f"'{spec_of(rule).name}'" for rule in rules)
        raise Mismatch(f"{names} with stored = false must leave {before} its shape and type, got {after}", where=where)
    return chain, after


_BRIDGES = "'attention-discretization' for windows, 'full-discrete-map' for buttons and choices side by side, "
_BRIDGES += "'box-discretization' where a box is among them"


@attrs.frozen
class Pipelines:
    """All three directions, and the spaces that the agent sees behind them."""

    observation: Mapping[str, Chain]  # only the names that have filters
    shown: Mapping[str, Chain]  # what is done to stored observations each time that the network is shown them
    reward: Chain
    action: Chain  # in the order that an action meets them: agent side first
    raw: Spaces  # as the environment shows them
    spaces: Spaces
    outer: Space  # of actions behind the filters, before they become units
    _seen_raw: bool = attrs.field(init=False, eq=False, repr=False)  # nothing is done to observations
    _paid_raw: bool = attrs.field(init=False, eq=False, repr=False)  # nor to rewards
    _done_raw: bool = attrs.field(init=False, eq=False, repr=False)  # nor to actions

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_seen_raw", not self.observation and not self.shown)
        object.__setattr__(self, "_paid_raw", not self.reward.filters)
        object.__setattr__(self, "_done_raw", not self.action.filters and not isinstance(self.outer, Box))

    @classmethod
    def of(cls, filters: Filters, spaces: Spaces, *, unit: bool = False) -> Pipelines:
        """Bind `filters` to the environment's `spaces`; raises `Mismatch` where one does not fit.

        With `unit`, an agent sees a box of actions as [-1, 1] on every side.
        """
        unknown = set(filters.observation) - set(spaces.observation)
        if unknown:
            there = ", ".join(sorted(spaces.observation))
            raise Mismatch(f"no observation is called '{min(unknown)}'; there is {there}", where="filters")
        chains, shown, seen = {}, {}, dict(spaces.observation)
        for name, rules in filters.observation.items():
            kept, late = _split(rules, f"filters.{name}")
            if kept:
                chains[name], seen[name] = _chain(kept, seen[name])
            if late:
                shown[name], seen[name] = _shown(late, seen[name], f"filters.{name}")
        if not all(getattr(rule, "stored", True) for rule in (*filters.reward, *filters.action)):
            raise Mismatch("stored = false is for observations: a network is shown nothing else", where="filters")
        reward, reward_space = _chain(filters.reward, spaces.reward)
        outward, action_space = _chain(filters.action, spaces.action)
        inward = Chain(outward.filters[::-1], outward.befores[::-1], outward.lasting[::-1])
        if not isinstance(reward_space, Box):
            raise Mismatch(f"a reward filter must leave rewards in a box, got {reward_space}", where="filters.reward")
        if not isinstance(action_space, Box | Discrete):
            message = f"agents know discrete actions and boxes, these are {action_space} - use an action filter"
            raise Mismatch(f"{message}: {_BRIDGES}", where="filters.action")
        agents = _unit(action_space) if unit and isinstance(action_space, Box) else action_space
        seen_spaces = attrs.evolve(spaces, observation=seen, action=agents, reward=reward_space)
        return cls(chains, shown, reward, inward, spaces, seen_spaces, action_space)

    def init(self, count: int) -> dict[str, Any]:
        """Every filter's state before the first step."""
        return {
            "observation": {name: chain.init(count) for name, chain in self.observation.items()},
            "shown": {name: chain.init(count) for name, chain in self.shown.items()},
            "reward": self.reward.init(count),
            "action": self.action.init(count),
        }

    def observe(self, states: dict[str, Any], obs: Obs, rows: Rows, *, evaluating: bool = False) -> Obs:
        """Observations ``[M, ...]`` as memory keeps them; `states` moves on in place."""
        if self._seen_raw:
            return obs
        way, kept, seen = Chain.still if evaluating else Chain.__call__, states["observation"], {**obs}
        for name, chain in self.observation.items():
            seen[name] = way(chain, kept[name], obs[name], rows)
        if self.shown:
            for name, chain in self.shown.items():
                way(chain, states["shown"][name], seen[name], rows)
        return seen

    def show(self, states: dict[str, Any], obs: Obs) -> Obs:
        """Observations ``[M, ...]`` that `observe` returned or memory kept, as the network is shown them now."""
        return {**obs, **{name: self._now(states, name, obs[name]) for name in self.shown}} if self.shown else obs

    def show_sample(self, states: dict[str, Any], sample: Sample, layout: Layout) -> Sample:
        """The same for the observations of minibatches: rows of `layout`."""
        if not self.shown:
            return sample
        packed = sample.packed.copy()
        for name in self.shown:
            for column in {f"obs.{name}", f"next_obs.{name}"} & set(layout.packed):
                place = packed[..., layout.packed[column]]
                place[...] = self._now(states, name, place.reshape(-1, *layout[column].shape)).reshape(place.shape)
        return sample._replace(packed=packed)

    def _now(self, states: dict[str, Any], name: str, values: Array) -> Array:
        rows = Rows(np.arange(len(values)), first=False, evaluating=True)
        return self.shown[name].still(states["shown"][name], values, rows)

    def rewarded(self, states: dict[str, Any], rewards: Array, rows: Rows) -> Array:
        """Rewards ``[M]`` as the agent sees them (training only: evaluation counts raw rewards)."""
        return rewards if self._paid_raw else self.reward(states["reward"], rewards, rows)

    def applied(self, states: dict[str, Any], actions: Array, rows: Rows, *, evaluating: bool = False) -> Array:
        """The agent's actions ``[N, ...]`` as the environment takes them, cut off at the edges of a box."""
        if self._done_raw:
            return actions
        if isinstance(self.outer, Box):
            actions = self._within(actions)
        return (self.action.still if evaluating else self.action)(states["action"], actions, rows)

    def _within(self, actions: Array) -> Array:
        """Actions of the agent's box ``[N, ...]`` in the box behind it."""
        inner, outer = self.spaces.action, self.outer
        actions = np.clip(actions, inner.low, inner.high)  # type: ignore[union-attr]
        if inner is outer:
            return actions.astype(np.float32)
        low, high = outer.low, outer.high  # type: ignore[union-attr]
        mapped: Array = (low + (actions + 1.0) * (0.5 * (high - low))).astype(np.float32)
        return mapped
