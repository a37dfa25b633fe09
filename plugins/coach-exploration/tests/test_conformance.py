"""Every exploration policy of this distribution keeps the laws of exploration."""

from __future__ import annotations

import pytest

from coach_exploration.additive_noise import AdditiveNoise
from coach_exploration.boltzmann import Boltzmann
from coach_exploration.bootstrapped import Bootstrapped
from coach_exploration.categorical import Categorical
from coach_exploration.continuous_entropy import ContinuousEntropy
from coach_exploration.e_greedy import EGreedy
from coach_exploration.greedy import Greedy
from coach_exploration.ou_process import OUProcess
from coach_exploration.parameter_noise import ParameterNoise
from coach_exploration.truncated_normal import TruncatedNormal
from coach_exploration.ucb import UCB
from coach_schedules import Linear
from coachcore.api import Box, Discrete
from coachcore.testing.exploration import LAWS

UNEVEN = Box((2,), (-0.3, 0.0), (0.3, 1.0))
TENSOR = Box((2, 2), -1, 1)
FALLING = Linear(start=0.5, end=0.0, steps=20)
CASES = {
    "greedy": (Greedy(), Discrete(3)),
    "greedy-one": (Greedy(), Discrete(1)),
    "greedy-box": (Greedy(), UNEVEN),
    "greedy-tensor": (Greedy(), TENSOR),
    "e-greedy": (EGreedy(), Discrete(4)),
    "e-greedy-always": (EGreedy(epsilon=1), Discrete(2)),
    "e-greedy-evaluating": (EGreedy(epsilon=0.1, evaluation_epsilon=0.05), Discrete(7)),
    "e-greedy-long": (EGreedy(epsilon=0.3, duration=5), Discrete(3)),
    "e-greedy-box": (EGreedy(epsilon=0.3), UNEVEN),
    "e-greedy-box-long": (EGreedy(epsilon=0.3, duration=4, deviation=FALLING), TENSOR),
    "e-greedy-box-evaluating": (EGreedy(evaluation_epsilon=0.5, evaluation_deviation=0.1), UNEVEN),
    "e-greedy-open": (EGreedy(deviation=0.2, relative=False), Box((3,))),
    "bootstrapped": (Bootstrapped(), Discrete(3)),
    "bootstrapped-mean": (Bootstrapped(epsilon=0.2, vote=False), Discrete(2)),
    "bootstrapped-evaluating": (Bootstrapped(evaluation_epsilon=0.2), Discrete(4)),
    "ucb": (UCB(), Discrete(3)),
    "ucb-falling": (UCB(bonus=FALLING, epsilon=FALLING, evaluation_epsilon=0.1), Discrete(1)),
    "categorical": (Categorical(), Discrete(3)),
    "categorical-one": (Categorical(), Discrete(1)),
    "categorical-many": (Categorical(), Discrete(40)),
    "boltzmann": (Boltzmann(), Discrete(3)),
    "boltzmann-falling": (Boltzmann(temperature=FALLING), Discrete(4)),
    "parameter-noise": (ParameterNoise(), Discrete(3)),
    "parameter-noise-box": (ParameterNoise(), TENSOR),
    "continuous-entropy": (ContinuousEntropy(), UNEVEN),
    "continuous-entropy-tensor": (ContinuousEntropy(), TENSOR),
    "continuous-entropy-open": (ContinuousEntropy(), Box((3,))),
    "additive-noise": (AdditiveNoise(), UNEVEN),
    "additive-noise-falling": (AdditiveNoise(deviation=FALLING), TENSOR),
    "additive-noise-evaluating": (AdditiveNoise(deviation=0.2, evaluation_deviation=0.1), UNEVEN),
    "additive-noise-open": (AdditiveNoise(deviation=0.2, relative=False), Box((3,))),
    "truncated-normal": (TruncatedNormal(), UNEVEN),
    "truncated-normal-falling": (TruncatedNormal(deviation=FALLING, relative=False), TENSOR),
    "truncated-normal-part": (
        TruncatedNormal(deviation=0.4, evaluation_deviation=0.1, low=0.0, high=(0.2, 0.9)),
        UNEVEN,
    ),
    "truncated-normal-flat": (TruncatedNormal(deviation=1), Box((2,), (-1.0, 0.5), (1.0, 0.5))),
    "ou-process": (OUProcess(), UNEVEN),
    "ou-process-tensor": (OUProcess(mu=(1.0, -1.0), sigma=2.0), TENSOR),
    "ou-process-open": (OUProcess(), Box((3,))),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("case", CASES)
def test_law(case, law):
    law(*CASES[case])
