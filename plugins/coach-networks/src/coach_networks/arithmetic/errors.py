"""From an error to a loss, element by element."""

from __future__ import annotations

from coach_networks import ops
from coachcore.api import Tensor


def half_square(error: Tensor) -> Tensor:
    """Half the squared error, any shape: e^2 / 2, so that its slope is the error itself."""
    return 0.5 * ops.square(error)


def huber(error: Tensor, width: float = 1.0) -> Tensor:
    """Half square up to `width`, straight beyond; any shape.

    With m = min(|e|, width): m (|e| - m / 2), which is e^2 / 2 inside and
    width (|e| - width / 2) outside. Huber, Annals of Mathematical Statistics
    35 (1964) 73; for Q-learning: Mnih et al., Nature 518 (2015) 529 (width 1).
    """
    size = ops.abs(error)
    inner = ops.minimum(size, width)
    return inner * (size - 0.5 * inner)
