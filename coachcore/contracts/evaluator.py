"""Evaluators: how good a policy would be, judged from recorded experience alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from coachcore.types import Array


class Evaluator(Protocol):
    """An off-policy estimator.

    Must keep true: with the evaluated policy equal to the one that acted, the
    estimate is the plain mean return of the episodes; estimates are finite, also
    of a policy that would never have done what was done.
    """

    def __call__(self, columns: Mapping[str, Array], probabilities: Array, values: Array) -> Mapping[str, float]:
        """Columns ``[T, ...]`` and the policy's action probabilities and values ``[T, A]`` -> estimates by name."""
        ...
