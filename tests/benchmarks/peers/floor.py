"""The least time an update can take: its matrix products, at the rate that this machine multiplies matrices.

Counted are the products of the networks alone, two operations a weight and
row: once forward, twice backward, of which the first layer saves the gradient
of its input. Projections, optimizers and target copies cost time, but no floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from time import perf_counter
from typing import NamedTuple


class Net(NamedTuple):
    """Products a row: in the whole network, and in its first layer."""

    whole: int
    first: int

    def forward(self) -> int:
        return 2 * self.whole

    def through(self) -> int:
        """Forward, and back to the input without touching a weight: what an actor asks of its critic."""
        return 4 * self.whole

    def trained(self) -> int:
        return 6 * self.whole - 2 * self.first


def dense(sizes: Sequence[int]) -> Net:
    """Dense layers from ``sizes[0]`` inputs to ``sizes[-1]`` outputs."""
    return Net(sum(a * b for a, b in pairwise(sizes)), sizes[0] * sizes[1])


def nature(actions: int) -> Net:
    """The network of Mnih et al. 2015, doi:10.1038/nature14236: 84x84x4 pictures, three convolutions, 512 units."""
    first = 20 * 20 * 32 * (8 * 8 * 4)
    rest = 9 * 9 * 64 * (4 * 4 * 32) + 7 * 7 * 64 * (3 * 3 * 64) + 7 * 7 * 64 * 512 + 512 * actions
    return Net(first + rest, first)


def q_learning(net: Net, batch: int) -> float:
    """The target network forward, the other trained."""
    return batch * (net.forward() + net.trained())


def ppo(actor: Net, critic: Net, batch: int) -> float:
    return batch * (actor.trained() + critic.trained())


def sac(actor: Net, critic: Net, batch: int) -> float:
    """Two critics; the actor draws an action for the target and one for itself."""
    critics = 2 * (critic.forward() + critic.trained() + critic.through())
    return batch * (actor.forward() + actor.trained() + critics)


def td3(actor: Net, critic: Net, batch: int, delay: int = 2) -> float:
    """Two critics every update; the actor, through one critic, every `delay`-th."""
    critics = 2 * (critic.forward() + critic.trained())
    return batch * (actor.forward() + critics + (actor.trained() + critic.through()) / delay)


def measured(seconds: float = 0.5, size: int = 1024) -> float:
    """Operations a second of NumPy's float32 matrix product, with the threads this process has."""
    import numpy as np

    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    out, took = np.empty_like(left), []
    np.matmul(left, right, out=out)
    end = perf_counter() + seconds
    while perf_counter() < end:
        begun = perf_counter()
        np.matmul(left, right, out=out)
        took.append(perf_counter() - begun)
    return 2 * size**3 / median(took)
