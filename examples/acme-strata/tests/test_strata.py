"""StratifiedReplay by hand, and by the laws of memories."""

from __future__ import annotations

import numpy as np

from acme_strata import StratifiedReplay
from coachcore.api import Column, Layout
from coachcore.testing.memory import MemoryConformance


class TestLaws(MemoryConformance):
    def make(self):
        return StratifiedReplay(capacity=50)


def test_every_minibatch_holds_one_of_each_stretch():
    """12 were added to a ring of 8: 4 to 11 are held, and each pair of these gives one."""
    store = StratifiedReplay(capacity=8).make(Layout((Column("reward"),)), 1)
    for number in range(12):
        store.add({"reward": np.array([float(number)])})
    sample = store.sample(np.random.default_rng(0), 50, 4, 0)
    assert [set(sample.packed[:, place, 0]) for place in range(4)] == [{4, 5}, {6, 7}, {8, 9}, {10, 11}]
