"""Train calls: the numbers that an agent turns between them, and what they measured since the last report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coachcore.contracts.agent import Agent
from coachcore.contracts.engine import Learner
from coachcore.types import Sample, Trained


class Lessons:
    """Calls the learner with an `Adapting` agent's knobs, and adds up metrics; NaN is what was not measured."""

    def __init__(self, agent: Agent, learner: Learner) -> None:
        begin = getattr(agent, "begin", None)
        self._adapts = begin is not None
        self._agent: Any = agent
        self._learner = learner
        self.adapted = None if begin is None else begin()  # what the agent remembers of train calls
        self.sums = np.zeros(len(learner.metric_names))
        self.counts = np.zeros(len(learner.metric_names), np.int64)

    def train(self, sample: Sample, rate: float, step: int) -> Trained:
        """One train call after `step` training steps."""
        if not self._adapts:
            return self._learner.train(sample, rate)
        trained = self._learner.train(sample, rate, self._agent.knobs(self.adapted, step))
        measured = zip(self._learner.metric_names, trained.metrics.tolist(), strict=True)
        self.adapted = self._agent.adapt(self.adapted, dict(measured))
        return trained

    def note(self, trained: Trained, calls: int) -> None:
        """Count the means over `calls` updates in."""
        there = ~np.isnan(trained.metrics)
        self.sums += np.where(there, trained.metrics, 0.0) * calls
        self.counts += there * calls

    @property
    def any(self) -> bool:
        """Whether anything was measured since the last report."""
        return bool(self.counts.any())

    def report(self) -> dict[str, float]:
        """Means by name of what was measured; counting begins anew."""
        told = zip(self._learner.metric_names, self.sums.tolist(), self.counts.tolist(), strict=True)
        means = {name: total / count for name, total, count in told if count}
        self.sums[:], self.counts[:] = 0.0, 0
        return means

    def state(self) -> dict[str, Any]:
        return {"adapted": self.adapted, "sums": self.sums.copy(), "counts": self.counts.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.adapted, self.sums, self.counts = state["adapted"], state["sums"].copy(), state["counts"].copy()
