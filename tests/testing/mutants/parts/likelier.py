"""A right evaluator."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param


@component("evaluator", "likelier")
@attrs.frozen(kw_only=True)
class Likelier:
    """Importance sampling by episode: the mean of each return times the ratio of the two policies' probabilities."""

    largest: float = param(default=100.0, ge=1, doc="ratios are cut off here")

    def __call__(self, columns, probabilities, values):
        rewards = columns["reward"]
        chosen = probabilities[np.arange(len(probabilities)), columns["action"]]
        starts = np.flatnonzero(np.append(True, columns["discount"][:-1] == 0.0))
        logs = np.log(np.maximum(chosen, 1e-300)) - np.log(columns["probability"])
        ratios = np.minimum(np.exp(np.add.reduceat(logs, starts)), self.largest)
        returns = np.add.reduceat(rewards, starts)
        return {"importance-sampling": float(np.mean(ratios * returns))}
