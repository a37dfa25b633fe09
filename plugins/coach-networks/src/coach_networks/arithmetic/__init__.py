"""What losses are made of: pure functions in `keras.ops`, shapes and equations beside them."""

from coach_networks.arithmetic.errors import half_square, huber
from coach_networks.arithmetic.values import bellman, best, pick

__all__ = ["bellman", "best", "half_square", "huber", "pick"]
