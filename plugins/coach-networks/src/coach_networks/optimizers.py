"""Rules that turn gradients into steps, as pure functions: weights and memory in, weights and memory out.

Written in `keras.ops`, for every engine. Keras's optimizers cost more than the whole
update of a small network, because each weight is a variable of its own; here a leaf
may be a whole network, or a weight, as the engine likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import attrs

from coach_networks import ops
from coachcore.api import LearnerSettings, Tensor

Leaves = tuple[Tensor, ...]
"""The weights of one network, or as many numbers that belong to them: arrays of any shapes."""

Memory = tuple[Leaves, ...]
"""What an optimizer remembers: `Optimizer.slots` times as many numbers as there are weights; all 0 at first."""


class Optimizer(Protocol):
    """One rule; it holds settings only.

    Must keep true: results do not depend on how the weights are cut into leaves (but for
    rounding), and nothing is read from a tensor while tracing.
    """

    @property
    def slots(self) -> int:
        """How many arrays it remembers for each weight."""
        ...

    def step(
        self, gradients: Leaves, weights: Leaves, slots: Memory, rate: Tensor, number: Tensor
    ) -> tuple[Leaves, Memory]:
        """New weights and new memory, of the old shapes; `number` (float) counts this network's steps from 1 on."""
        ...


Rule = Callable[[Tensor, Tensor, Leaves, Tensor, Tensor], Leaves]
"""(gradient, weight, memory, rate, number) -> (weight, *memory), of any one shape, each number for itself."""


@attrs.frozen
class Elementwise:
    """A rule by which every weight goes its own way."""

    slots: int
    rule: Rule

    def step(
        self, gradients: Leaves, weights: Leaves, slots: Memory, rate: Tensor, number: Tensor
    ) -> tuple[Leaves, Memory]:
        """`rule`, leaf by leaf."""
        leaves = zip(gradients, weights, *slots, strict=True)
        moved = [self.rule(gradient, weight, tuple(memory), rate, number) for gradient, weight, *memory in leaves]
        new, *memories = zip(*moved, strict=True)
        return new, tuple(memories)


def adam(settings: LearnerSettings) -> Optimizer:
    """Adam; remembers the first and second moment m, v.

    Kingma and Ba, 2015, arXiv:1412.6980, in the form at the end of section 2: step size
    rate sqrt(1 - beta2^t) / (1 - beta1^t), epsilon added to the uncorrected root.
    """
    beta1, beta2, epsilon = settings.beta1, settings.beta2, settings.epsilon

    def rule(gradient: Tensor, weight: Tensor, memory: Leaves, rate: Tensor, number: Tensor) -> Leaves:
        m, v = memory
        m = m + (1.0 - beta1) * (gradient - m)
        v = v + (1.0 - beta2) * (gradient * gradient - v)
        corrected = rate * ops.sqrt(1.0 - ops.power(beta2, number)) / (1.0 - ops.power(beta1, number))
        return weight - corrected * m / (ops.sqrt(v) + epsilon), m, v

    return Elementwise(2, rule)


def rmsprop(settings: LearnerSettings) -> Optimizer:
    """RMSprop; remembers the momentum m of the scaled steps (beta1 = 0: none) and the second moment v.

    Tieleman and Hinton, 2012, lecture 6.5 of Neural Networks for Machine Learning.
    """
    beta1, beta2, epsilon = settings.beta1, settings.beta2, settings.epsilon

    def rule(gradient: Tensor, weight: Tensor, memory: Leaves, rate: Tensor, _: Tensor) -> Leaves:
        m, v = memory
        v = v + (1.0 - beta2) * (gradient * gradient - v)
        m = beta1 * m + rate * gradient / (ops.sqrt(v) + epsilon)
        return weight - m, m, v

    return Elementwise(2, rule)


def sgd(settings: LearnerSettings) -> Optimizer:
    """Gradient descent; remembers the velocity (beta1 = 0: plain descent). Polyak, 1964."""
    beta1 = settings.beta1

    def rule(gradient: Tensor, weight: Tensor, memory: Leaves, rate: Tensor, _: Tensor) -> Leaves:
        velocity = beta1 * memory[0] - rate * gradient
        return weight + velocity, velocity

    return Elementwise(1, rule)


FLATTEST = 1e-10
"""Pairs of differences whose s.y is no larger tell nothing safe of the curvature."""


@attrs.frozen
class LBFGS:
    """Limited-memory BFGS without a line search: steps of `rate` along Newton's direction, guessed from the past.

    It remembers the weights and the gradient of the step before, then the last `history` differences s of
    weights and y of gradients, newest first. A pair with s.y <= 1e-10 is not taken up, so that directions
    always lead downhill. A rate near 1 is usual, batches should be large: between two small ones gradients
    differ for other reasons than curvature.

    Nocedal and Wright, Numerical Optimization, 2nd edition, algorithm 7.4 and eq. 7.20.
    """

    history: int = 10

    @property
    def slots(self) -> int:
        """Weights, gradient, and two differences for each past step."""
        return 2 * self.history + 2

    def step(
        self, gradients: Leaves, weights: Leaves, slots: Memory, rate: Tensor, number: Tensor
    ) -> tuple[Leaves, Memory]:
        """One step, after the differences that the step before has made are taken up."""
        moved = _plus(weights, -1.0, slots[0])
        bent = _plus(gradients, -1.0, slots[1])
        curved = ops.logical_and(_dot(moved, bent) > FLATTEST, number > 1.5)  # before the first step lies nothing
        s = _pushed(curved, moved, slots[2 : 2 + self.history])
        y = _pushed(curved, bent, slots[2 + self.history :])
        stepped = _plus(weights, -rate, _newton(gradients, s, y))
        return stepped, (weights, gradients, *s, *y)


def _newton(gradients: Leaves, s: Memory, y: Memory) -> Leaves:
    """The inverse Hessian told by differences `s`, `y` (newest first; all 0: none) times the gradient: two loops."""
    curvatures = [_dot(a, b) for a, b in zip(s, y, strict=True)]
    inverses = [ops.where(sy > 0.0, 1.0 / ops.where(sy > 0.0, sy, 1.0), 0.0) for sy in curvatures]
    pairs = list(zip(s, y, inverses, strict=True))
    direction, shares = gradients, []
    for a, b, inverse in pairs:
        shares.append(inverse * _dot(a, direction))
        direction = _plus(direction, -shares[-1], b)
    bend = _dot(y[0], y[0])
    steep = ops.sqrt(sum(_square_sum(leaf) for leaf in gradients))
    scale = ops.where(
        curvatures[0] > 0.0, curvatures[0] / ops.where(bend > 0.0, bend, 1.0), 1.0 / ops.maximum(steep, 1.0)
    )
    direction = tuple(scale * leaf for leaf in direction)
    for (a, b, inverse), share in zip(reversed(pairs), reversed(shares), strict=True):
        direction = _plus(direction, share - inverse * _dot(b, direction), a)
    return direction


def _pushed(when: Tensor, new: Leaves, queue: Memory) -> Memory:
    """`queue` with `new` put before it and its last dropped; the queue as it is unless `when` (a scalar bool)."""
    shifted = (new, *queue[:-1])
    return tuple(
        tuple(ops.where(when, a, b) for a, b in zip(late, early, strict=True))
        for late, early in zip(shifted, queue, strict=True)
    )


def _plus(a: Leaves, share: Tensor | float, b: Leaves) -> Leaves:
    """A + share b."""
    return tuple(one + share * other for one, other in zip(a, b, strict=True))


def _dot(a: Leaves, b: Leaves) -> Tensor:
    """The inner product over all leaves, a scalar."""
    return sum(_sum(one * other, LOWEST) for one, other in zip(a, b, strict=True))


LANES = 64
LOWEST = -3.4e38
"""No float32 that is a number lies far below."""


def _sum(values: Tensor, least: float) -> Tensor:
    """The sum of all elements, added up in `LANES` columns first, none of which adds up to less than `least`.

    XLA adds a whole array up one number after the other, waiting for each sum:
    50 us for a 256-256 network, a tenth of its update. Columns are added side by
    side; the maximum, which changes nothing, keeps XLA from making one sum of two.
    """
    flat = ops.reshape(values, [-1])
    whole = flat.shape[0] // LANES * LANES
    if whole <= LANES:
        return ops.sum(flat)
    columns = ops.sum(ops.reshape(flat[:whole], [-1, LANES]), axis=0)
    return ops.sum(ops.maximum(columns, least)) + ops.sum(flat[whole:])


def _square_sum(gradient: Tensor) -> Tensor:
    """The sum of squares of all elements."""
    return _sum(gradient * gradient, 0.0)


RULES: dict[str, Callable[[LearnerSettings], Optimizer]] = {
    "adam": adam,
    "rmsprop": rmsprop,
    "sgd": sgd,
    "lbfgs": lambda _: LBFGS(),
}


def make(settings: LearnerSettings) -> Optimizer:
    """The optimizer that `settings.optimizer` names."""
    return RULES[settings.optimizer](settings)


def clipped(gradients: Leaves, limit: float, by: str) -> tuple[Leaves, Tensor]:
    """Gradients held to `limit` (0: as they are), and their norm over all leaves as it was before.

    `by` is ``global-norm``: all are scaled so that the norm over all leaves is at most `limit`
    (Pascanu et al., 2013, arXiv:1211.5063, algorithm 1); ``norm``: each leaf is scaled by its own norm,
    so a leaf has to be one weight array; ``value``: each number is held to +-limit.
    """
    squares = [_square_sum(gradient) for gradient in gradients]
    norm = ops.sqrt(sum(squares))
    if not limit:
        return gradients, norm
    if by == "value":
        return tuple(ops.clip(gradient, -limit, limit) for gradient in gradients), norm
    norms = [ops.sqrt(square) for square in squares] if by == "norm" else [norm] * len(gradients)
    shares = [limit / ops.maximum(one, limit) for one in norms]
    return tuple(gradient * share for gradient, share in zip(gradients, shares, strict=True)), norm
