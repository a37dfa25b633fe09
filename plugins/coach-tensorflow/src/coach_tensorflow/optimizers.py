"""Rules that turn gradients into steps, as functions: weights and moments in, weights and moments out.

Keras's optimizers cost more than the whole update of a small network, because
each weight is a variable of its own; here a leaf may be a whole network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from coachcore.api import LearnerSettings

Leaves = tuple[Any, ...]
Rule = Callable[[Any, Any, Any, Any, Any, Any], tuple[Any, Any, Any]]
"""(gradient, weight, m, v, learning rate, number of this step from 1 on) -> (weight, m, v), of any one shape."""


def adam(settings: LearnerSettings) -> Rule:
    """Adam: m, v are the first and second moment.

    Kingma and Ba, 2015, arXiv:1412.6980, in the form at the end of section 2: step size
    rate sqrt(1 - beta2^t) / (1 - beta1^t), epsilon added to the uncorrected root.
    """
    beta1, beta2, epsilon = settings.beta1, settings.beta2, settings.epsilon

    def rule(gradient: Any, weight: Any, m: Any, v: Any, rate: Any, step: Any) -> tuple[Any, Any, Any]:
        m = m + (1.0 - beta1) * (gradient - m)
        v = v + (1.0 - beta2) * (gradient * gradient - v)
        corrected = rate * tf.sqrt(1.0 - tf.pow(beta2, step)) / (1.0 - tf.pow(beta1, step))
        return weight - corrected * m / (tf.sqrt(v) + epsilon), m, v

    return rule


def rmsprop(settings: LearnerSettings) -> Rule:
    """RMSprop: v is the second moment, m the momentum of the scaled steps (beta1 = 0: none)."""
    beta1, beta2, epsilon = settings.beta1, settings.beta2, settings.epsilon

    def rule(gradient: Any, weight: Any, m: Any, v: Any, rate: Any, _: Any) -> tuple[Any, Any, Any]:
        v = v + (1.0 - beta2) * (gradient * gradient - v)
        m = beta1 * m + rate * gradient / (tf.sqrt(v) + epsilon)
        return weight - m, m, v

    return rule


def sgd(settings: LearnerSettings) -> Rule:
    """Gradient descent with momentum: m is the velocity, v stays as it is (beta1 = 0: plain descent)."""
    beta1 = settings.beta1

    def rule(gradient: Any, weight: Any, m: Any, v: Any, rate: Any, _: Any) -> tuple[Any, Any, Any]:
        m = beta1 * m - rate * gradient
        return weight + m, m, v

    return rule


RULES: dict[str, Callable[[LearnerSettings], Rule]] = {"adam": adam, "rmsprop": rmsprop, "sgd": sgd}


LANES = 64


def _square_sum(gradient: Any) -> Any:
    """The sum of squares of all elements, added up in `LANES` columns first.

    XLA adds a whole array up one number after the other, waiting for each sum:
    50 us for a 256-256 network, a tenth of its update. Columns are added side by
    side; the maximum, which changes nothing, keeps XLA from making one sum of two.
    """
    squares = tf.reshape(gradient * gradient, [-1])
    whole = squares.shape[0] // LANES * LANES
    if whole <= LANES:
        return tf.reduce_sum(squares)
    columns = tf.reduce_sum(tf.reshape(squares[:whole], [-1, LANES]), 0)
    return tf.reduce_sum(tf.maximum(columns, 0.0)) + tf.reduce_sum(squares[whole:])


def clipped(gradients: Leaves, limit: float) -> tuple[Leaves, Any]:
    """Gradients scaled so that their norm, taken over all leaves, is at most `limit`; and the norm before.

    Pascanu et al., 2013, arXiv:1211.5063, algorithm 1.
    """
    norm = tf.sqrt(tf.add_n([_square_sum(gradient) for gradient in gradients]))
    share = limit / tf.maximum(norm, limit)
    return tuple(gradient * share for gradient in gradients), norm
