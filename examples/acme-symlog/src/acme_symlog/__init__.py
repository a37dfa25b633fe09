"""A filter for numbers of very different sizes."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.api import Array, Box, Mismatch, Rows, Space, State, component, param


@component("filter", "symlog", acts_on=["observation", "reward"])
@attrs.frozen(kw_only=True)
class Symlog:
    """The logarithm of a number's size, its sign kept: sign(x) log(1 + |x| / scale).

    Hafner et al., 2023, arXiv:2301.04104, equation 9 (with scale 1).
    """

    scale: float = param(default=1.0, gt=0, doc="size below which numbers stay about as they are, but for this factor")

    def space(self, before: Space) -> Space:
        if not isinstance(before, Box):
            raise Mismatch(f"only real numbers (a box) have a logarithm, got {before}", where="symlog")
        return attrs.evolve(before, low=self._of(before.low), high=self._of(before.high), dtype="float32")

    def init(self, before: Space, count: int) -> State:
        return None

    def __call__(self, state: State, values: Array, rows: Rows) -> tuple[State, Array]:
        return None, self._of(values).astype("float64" if values.dtype == np.float64 else "float32")

    def _of(self, values: Array) -> Array:
        sizes = np.abs(np.asarray(values, np.float64))
        return np.sign(np.asarray(values, np.float64)) * np.log1p(sizes / self.scale)
