"""Symlog by hand, and by the laws of filters."""

from __future__ import annotations

import numpy as np
import pytest

from acme_symlog import Symlog
from coachcore.api import Box, Discrete, Mismatch, Rows
from coachcore.testing.filter import FilterConformance


class TestRewards(FilterConformance):
    space = Box((), -100.0, 50.0)

    def make(self):
        return Symlog()


class TestPictures(FilterConformance):
    space = Box((4, 4, 1), 0, 255, "uint8")

    def make(self):
        return Symlog(scale=16.0)


def test_by_hand():
    _, out = Symlog()(None, np.array([0.0, np.e - 1.0, 1.0 - np.e**2]), Rows(np.arange(3), first=False))
    np.testing.assert_allclose(out, [0.0, 1.0, -2.0], rtol=1e-12)


def test_a_choice_has_no_logarithm():
    with pytest.raises(Mismatch, match="only real numbers"):
        Symlog().space(Discrete(3))
