"""The engine part: JAX compiles and runs the whole update, one call a train call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from coachcore.api import Problem, component, param

if TYPE_CHECKING:
    from coach_jax.learner import JaxLearner


@component("engine", "jax", needs=("jax",))
@attrs.frozen(kw_only=True)
class Jax:
    """JAX: functional state in donated buffers, updates fused by a scan, convolutions one call an update.

    JAX is imported when a learner is made, not before.
    """

    cache: bool = param(default=True, doc="keep compiled programs in the user's cache folder for the next run")

    def make(self, problem: Problem) -> JaxLearner:
        """Build the networks; the update is compiled at the first `train`. Raises `Mismatch` where parts do not fit."""
        from coach_jax import process

        process.prepare(problem.executor, cache=self.cache)
        from coach_jax.learner import JaxLearner

        return JaxLearner(problem)
