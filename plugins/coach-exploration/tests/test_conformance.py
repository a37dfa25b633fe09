"""Every exploration policy of this distribution keeps the laws of exploration."""

from __future__ import annotations

import pytest

from coach_exploration.e_greedy import EGreedy
from coach_exploration.greedy import Greedy
from coachcore.api import Box, Discrete
from coachcore.testing.exploration import LAWS

CASES = {
    "greedy": (Greedy(), Discrete(3)),
    "greedy-one": (Greedy(), Discrete(1)),
    "greedy-box": (Greedy(), Box((2,), (-0.3, 0.0), (0.3, 1.0))),
    "greedy-tensor": (Greedy(), Box((2, 2), -1, 1)),
    "e-greedy": (EGreedy(), Discrete(4)),
    "e-greedy-always": (EGreedy(epsilon=1), Discrete(2)),
    "e-greedy-evaluating": (EGreedy(epsilon=0.1, evaluation_epsilon=0.05), Discrete(7)),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("case", CASES)
def test_law(case, law):
    law(*CASES[case])
