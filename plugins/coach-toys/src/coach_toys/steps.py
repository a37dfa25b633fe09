"""From gradients to steps: plain descent with momentum, and Adam."""

from __future__ import annotations

from typing import Protocol

import attrs
import numpy as np

from coachcore.api import Array, LearnerSettings

Weights = tuple[Array, ...]
Memory = tuple[Weights, ...]
"""What a rule remembers: arrays shaped like the weights."""


class Rule(Protocol):
    """Weights and gradients in, new weights out; what it remembers is handed in and back."""

    def start(self, weights: Weights) -> Memory:
        """What it remembers before the first step."""
        ...

    def step(
        self, weights: Weights, gradients: Weights, memory: Memory, now: tuple[float, int]
    ) -> tuple[Weights, Memory]:
        """`now`: the learning rate, and which step this is, counted from 1."""
        ...


@attrs.frozen
class Descent:
    """v <- momentum v - rate g; w <- w + v. Polyak, 1964."""

    momentum: float

    def start(self, weights: Weights) -> Memory:
        return (tuple(np.zeros_like(weight) for weight in weights),)

    def step(
        self, weights: Weights, gradients: Weights, memory: Memory, now: tuple[float, int]
    ) -> tuple[Weights, Memory]:
        (speeds,), (rate, _) = memory, now
        speeds = tuple(self.momentum * v - rate * g for v, g in zip(speeds, gradients, strict=True))
        return tuple(w + v for w, v in zip(weights, speeds, strict=True)), (speeds,)


@attrs.frozen
class Adam:
    """Steps by the mean of past gradients over the root of their mean square, each freed of its slow beginning.

    Kingma and Ba, 2015, arXiv:1412.6980, in the form at the end of section 2.
    """

    beta1: float
    beta2: float
    epsilon: float

    def start(self, weights: Weights) -> Memory:
        nothing = tuple(np.zeros_like(weight) for weight in weights)
        return nothing, nothing

    def step(
        self, weights: Weights, gradients: Weights, memory: Memory, now: tuple[float, int]
    ) -> tuple[Weights, Memory]:
        rate, number = now
        rate *= np.sqrt(1.0 - self.beta2**number) / (1.0 - self.beta1**number)
        means = tuple(m + (1.0 - self.beta1) * (g - m) for m, g in zip(memory[0], gradients, strict=True))
        squares = tuple(v + (1.0 - self.beta2) * (g * g - v) for v, g in zip(memory[1], gradients, strict=True))
        moved = (w - rate * m / (np.sqrt(v) + self.epsilon) for w, m, v in zip(weights, means, squares, strict=True))
        return tuple(moved), (means, squares)


def rule_of(settings: LearnerSettings) -> Rule:
    """The rule that `settings.optimizer` names, ``adam`` or ``sgd``."""
    if settings.optimizer == "sgd":
        return Descent(settings.beta1)
    return Adam(settings.beta1, settings.beta2, settings.epsilon)


def clipped(gradients: Weights, limit: float, by: str) -> tuple[Weights, float]:
    """Gradients held to `limit` (0: as they are), and their norm over all arrays as it was before.

    `by` is ``global-norm`` (all scaled by their common norm), ``norm`` (each array by its
    own) or ``value`` (each number held to +-limit).
    """
    norms = [float(np.sqrt(np.sum(gradient * gradient))) for gradient in gradients]
    norm = float(np.sqrt(sum(one * one for one in norms)))
    if not limit:
        return gradients, norm
    if by == "value":
        return tuple(np.clip(gradient, -limit, limit) for gradient in gradients), norm
    whole = [norm] * len(norms) if by == "global-norm" else norms
    return tuple(g * (limit / max(one, limit)) for g, one in zip(gradients, whole, strict=True)), norm
