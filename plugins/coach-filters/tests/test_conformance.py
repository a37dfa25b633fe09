"""Every filter of this distribution keeps the laws of filters."""

from __future__ import annotations

import pytest

from coach_filters.action.box_masking import BoxMasking
from coach_filters.clipping import Clipping
from coach_filters.observation.normalization import Normalization
from coach_filters.reward.rescale import Rescale
from coachcore.api import Box
from coachcore.testing.filter import LAWS

SMALL = Box((3,), (-1.0, 0.0, -0.25), (1.0, 0.5, 8.0))
CASES = {
    "clipping": (Clipping(low=-0.3, high=0.7), SMALL),
    "clipping-vector": (Clipping(low=(-0.1, 0.1, 0.0), high=0.2), SMALL),
    "clipping-below": (Clipping(low=0.0), Box((2, 3))),
    "clipping-bytes": (Clipping(low=9.5, high=100.2), Box((4, 4, 1), 0, 255, "uint8")),
    "clipping-elsewhere": (Clipping(low=20.0, high=30.0), SMALL),
    "clipping-reward": (Clipping(low=-1, high=1), Box((), -100, 100)),
    "normalization": (Normalization(), SMALL),
    "normalization-tight": (Normalization(clip=0.1), Box((2,))),
    "normalization-bytes": (Normalization(), Box((4, 4, 1), 0, 255, "uint8")),
    "rescale": (Rescale(factor=0.1), Box((), -100, 50)),
    "rescale-negative": (Rescale(factor=-2.0), Box((), -1)),
    "box-masking": (BoxMasking(low=0.1, high=0.3), Box((2,), 0.1, 0.3)),
    "box-masking-vector": (BoxMasking(low=(-1.0, 0.1, 0.0), high=(1.0, 0.2, 7.3)), SMALL),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("case", CASES)
def test_law(case, law):
    law(*CASES[case])
