"""What an exploration policy must keep true of the chance that it draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coachcore.component import spec_of
from coachcore.spaces import Discrete, Space
from coachcore.testing.laws import require, same_array
from coachcore.types import Array, Moment, Proposal

ENVIRONMENTS, STEPS = 16, 60
"""How many environments the laws play, and for how long."""
HEADS = 5
"""H, how many heads wish for the same where a policy asks for an ``ensemble``."""
ENOUGH = 50
"""Times that something must have been explored before it is said which way."""
SPREAD = 5.5
"""Deviations that a fair count stays within, but for one in ten million (and the seed is fixed)."""


def each_environment_has_chance_of_its_own(policy: Any, space: Space) -> None:
    """Where chance decides, environments whose agents wish for the same do not always do the same."""
    wish = np.full(space.n, 1.0 / space.n) if isinstance(space, Discrete) else np.zeros(space.shape).ravel()
    once, other = (_chosen(policy, space, wish, seed) for seed in (1, 2))
    if same_array(once, other):
        return  # nothing is left to chance
    require(bool(np.any(once != once[:, :1])), "each environment has chance of its own, but all always did the same")


def what_is_preferred_alike_is_explored_alike(policy: Any, space: Space) -> None:
    """Actions that the agent prefers equally, but less than another, are explored equally often."""
    if not isinstance(space, Discrete) or space.n < 3:
        return
    for best in range(space.n):
        wish = np.full(space.n, 0.5 / (space.n - 1))
        wish[best] = 0.5
        counts = np.bincount(_chosen(policy, space, wish, best).ravel(), minlength=space.n)
        _alike(np.delete(counts, best).tolist())


def _alike(counts: Sequence[int]) -> None:
    total, share = sum(counts), 1.0 / len(counts)
    limit = SPREAD * float(np.sqrt(total * share * (1.0 - share)))
    fair = total < ENOUGH or all(abs(count - total * share) <= limit for count in counts)
    require(fair, f"actions that are preferred alike are explored alike, they were {counts} times")


def _chosen(policy: Any, space: Space, wish: Array, seed: int) -> Array:
    """The actions ``[steps, N, ...]`` where every environment's agent wishes for `wish` at every step."""
    rows = np.tile(wish.astype(np.float32), (ENVIRONMENTS, 1))  # [N, A]
    asked = {
        "deviation": {"deviation": np.full(rows.shape, 0.3, np.float32)},
        "ensemble": {"ensemble": np.tile(rows[:, None], (1, HEADS, 1))},  # [N, H, A]
    }.get(str(spec_of(policy).facts.get("asks")), {})
    rng, state, chosen = np.random.default_rng(seed), policy.init(space, ENVIRONMENTS), []
    for step in range(STEPS):
        proposal = Proposal(rows.copy(), **asked)
        moment = Moment(rng, step, evaluating=False, first=None if step else np.ones(ENVIRONMENTS, bool))
        state, actions = policy(state, lambda p=proposal: p, space, ENVIRONMENTS, moment)
        chosen.append(actions.copy())
    return np.stack(chosen)


CHANCE_LAWS = (each_environment_has_chance_of_its_own, what_is_preferred_alike_is_explored_alike)


class ChanceConformance:
    """These laws as tests, a part of `ExplorationConformance`."""

    space: Space = Discrete(3)

    def make(self) -> Any:
        """The policy to test."""
        raise NotImplementedError

    def test_each_environment_has_chance_of_its_own(self) -> None:
        each_environment_has_chance_of_its_own(self.make(), self.space)

    def test_what_is_preferred_alike_is_explored_alike(self) -> None:
        what_is_preferred_alike_is_explored_alike(self.make(), self.space)
