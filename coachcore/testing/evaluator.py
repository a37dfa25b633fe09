"""What every evaluator must keep true."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from coachcore.testing.laws import require, same, saved, settings_are_frozen
from coachcore.types import Array

LENGTHS = (3, 1, 4, 2)
"""Steps of the made-up episodes."""
ACTIONS = 3


def recorded(seed: int = 0) -> tuple[dict[str, Array], Array, Array]:
    """Columns ``[T]`` of made-up episodes, the acting policy's probabilities ``[T, A]``, and values ``[T, A]`` of 0.

    The columns are ``action``, ``reward``, ``discount`` (1, and 0 at the last step of
    an episode) and ``probability``, the one with which the action was chosen.
    """
    rng, count = np.random.default_rng(seed), sum(LENGTHS)
    probabilities = rng.dirichlet(np.ones(ACTIONS), count)  # [T, A]
    action = rng.integers(0, ACTIONS, count)
    discount = np.concatenate([[1.0] * (length - 1) + [0.0] for length in LENGTHS])
    columns = {
        "action": action,
        "reward": rng.standard_normal(count),
        "discount": discount,
        "probability": probabilities[np.arange(count), action],
    }
    return columns, probabilities, np.zeros((count, ACTIONS))


def _asked(part: Any, columns: Mapping[str, Array], probabilities: Array, values: Array) -> dict[str, float]:
    estimates = dict(part(columns, probabilities, values))
    require(bool(estimates), "an evaluator gives at least one estimate")
    for name, estimate in estimates.items():
        require(math.isfinite(estimate), f"estimate '{name}' is a finite number, got {estimate}")
    return estimates


def settings_never_change(part: Any) -> None:
    """It is an evaluator, and its settings are frozen."""
    settings_are_frozen(part, "evaluator")


def the_acting_policy_gets_its_mean_return(part: Any) -> None:
    """Where the judged policy is the one that acted, each estimate is the plain mean return of the episodes."""
    for seed in range(3):
        columns, probabilities, values = recorded(seed)
        wanted = float(columns["reward"].sum()) / len(LENGTHS)
        for name, estimate in _asked(part, columns, probabilities, values).items():
            require(
                math.isclose(estimate, wanted, rel_tol=1e-6, abs_tol=1e-9),
                f"of the acting policy, '{name}' is its mean return {wanted}, got {estimate}",
            )


def a_better_policy_is_estimated_higher(part: Any) -> None:
    """One that mostly does what paid in one-step episodes is worth more than the one that acted."""
    count = 300
    action = np.arange(count) % ACTIONS
    columns = {
        "action": action,
        "reward": (action == 0).astype(float),
        "discount": np.zeros(count),
        "probability": np.full(count, 1.0 / ACTIONS),
    }
    even, better = np.full((count, ACTIONS), 1.0 / ACTIONS), np.tile([0.8, 0.1, 0.1], (count, 1))
    values = np.zeros((count, ACTIONS))
    before, after = _asked(part, columns, even, values), _asked(part, columns, better, values)
    require(all(after[name] > before[name] for name in before), f"a better policy gets more: {before}, then {after}")


def what_is_never_done_is_no_error(part: Any) -> None:
    """A policy that would never have done what was recorded still gets finite estimates."""
    count = 12
    columns = {
        "action": 1 + np.arange(count) % (ACTIONS - 1),
        "reward": np.ones(count),
        "discount": np.tile([1.0, 0.0], count // 2),
        "probability": np.full(count, 1.0 / ACTIONS),
    }
    _asked(part, columns, np.tile([1.0, 0.0, 0.0], (count, 1)), np.zeros((count, ACTIONS)))


def nothing_is_drawn_and_nothing_changed(part: Any) -> None:
    """Equal experience gives equal estimates, and is not written to."""
    given = recorded()
    kept = saved(list(given))
    once, again = _asked(part, *given), _asked(part, *given)
    require(once == again, "equal experience gives equal estimates")
    require(same(kept, list(given)), "experience is not written to")


LAWS = (
    settings_never_change,
    the_acting_policy_gets_its_mean_return,
    a_better_policy_is_estimated_higher,
    what_is_never_done_is_no_error,
    nothing_is_drawn_and_nothing_changed,
)


class EvaluatorConformance:
    """The laws as tests: subclass it as ``TestMine`` and give `make`."""

    def make(self) -> Any:
        """The evaluator to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make())

    def test_the_acting_policy_gets_its_mean_return(self) -> None:
        the_acting_policy_gets_its_mean_return(self.make())

    def test_a_better_policy_is_estimated_higher(self) -> None:
        a_better_policy_is_estimated_higher(self.make())

    def test_what_is_never_done_is_no_error(self) -> None:
        what_is_never_done_is_no_error(self.make())

    def test_nothing_is_drawn_and_nothing_changed(self) -> None:
        nothing_is_drawn_and_nothing_changed(self.make())
