"""Numbers whose sum is cut up by chance: a binary tree of sums, for many draws and changes at once."""

from __future__ import annotations

import numpy as np

from coachcore.api import Array

TOP = 2048
"""Nodes that one running sum goes through faster than levels of the tree (8 us against 4 us a level)."""


class SumTree:
    """`size` non-negative numbers (leaves, float64), all 0 at first; it changes in place.

    `levels[0]` holds the leaves, padded with zeros; every node above is the sum
    of its two children. Levels end where at most `TOP` nodes are left: there a
    running sum and a binary search replace the rest of the tree. Sums are always
    made anew from children, never adjusted, so rounding does not pile up.

    Example: leaves 2.5 5 10 7.5 have the sums 7.5 17.5; the mark 8 falls into
    leaf 2, for 7.5 lie before it and 10 in it.
    """

    def __init__(self, size: int, top: int = TOP) -> None:
        height = max(size - 1, 0).bit_length() - top.bit_length() + 1 if size > top else 0
        padded = -(-size // 2**height) * 2**height
        self.levels = [np.zeros(padded >> level) for level in range(height + 1)]
        self._sides = [(level[::2], level[1::2]) for level in self.levels[:-1]]
        self.leaves = self.levels[0][:size]

    def set(self, rows: Array, values: Array) -> None:
        """Give the leaves `rows` ``[M]`` new `values` ``[M]``; of a row named twice the last value stays."""
        self.leaves[rows] = values
        self.lift(rows)

    def lift(self, rows: Array) -> None:
        """Make the sums above `rows` ``[M]`` true again."""
        for (left, right), above in zip(self._sides, self.levels[1:], strict=True):
            rows = rows >> 1
            above[rows] = left[rows] + right[rows]

    def lift_all(self) -> None:
        """Make every sum true again, as after writing all leaves."""
        for (left, right), above in zip(self._sides, self.levels[1:], strict=True):
            np.add(left, right, out=above)

    def find(self, shares: Array) -> Array:
        """The leaves ``[M]`` that the marks ``shares * total`` fall into, `shares` ``[M]`` in [0, 1).

        A leaf is found with probability value / total when shares are uniform.
        """
        top = self.levels[-1]
        running = top.cumsum()
        marks = shares * running[-1]
        rows: Array = np.minimum(running.searchsorted(marks, "right"), len(top) - 1)
        marks -= running[rows]
        marks += top[rows]  # what is left of each mark within its node
        for left, _ in reversed(self._sides):
            before = left[rows]
            goes_right = marks >= before
            marks -= before * goes_right
            rows <<= 1
            rows += goes_right
        return rows
