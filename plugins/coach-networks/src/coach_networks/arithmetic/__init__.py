"""What losses are made of: pure functions in `keras.ops`, shapes and equations beside them."""

from coach_networks.arithmetic.distributions import cross_entropy, entropy, project, quantile_huber
from coach_networks.arithmetic.errors import half_square, huber
from coach_networks.arithmetic.values import bellman, best, pick

__all__ = [
    "bellman",
    "best",
    "cross_entropy",
    "entropy",
    "half_square",
    "huber",
    "pick",
    "project",
    "quantile_huber",
]
