"""What each policy says of bad settings, spaces and agents, word for word."""

from __future__ import annotations

import math

import numpy as np
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
from coachcore.api import BadSetting, Box, Discrete, Mismatch, Moment, Proposal

BOX = Box((1,), -1.0, 1.0)
OPEN = Box((1,))
SHARE = "is out of range - must be >= 0 and <= 1"
POSITIVE = "is out of range - must be >= 0"
NO_BOX = "got Discrete(n=2, names=()) - discrete actions can use 'e-greedy'"
OPINIONS = "looks at the values of several heads, and this agent's network gives none"

SETTINGS = [
    (EGreedy, {"epsilon": 1.5}, f"epsilon: 1.5 {SHARE}"),
    (EGreedy, {"epsilon": math.nan}, f"epsilon: nan {SHARE}"),
    (EGreedy, {"epsilon": "half"}, "expected a number or a schedule, got 'half'"),
    (EGreedy, {"epsilon": True}, "expected a number or a schedule, got True"),
    (EGreedy, {"evaluation_epsilon": -0.1}, f"evaluation_epsilon: -0.1 {SHARE}"),
    (EGreedy, {"duration": 0}, "duration: 0 is out of range - must be >= 1"),
    (EGreedy, {"deviation": -1}, f"deviation: -1.0 {POSITIVE}"),
    (EGreedy, {"evaluation_deviation": math.nan}, f"evaluation_deviation: nan {POSITIVE}"),
    (AdditiveNoise, {"deviation": -0.1}, f"deviation: -0.1 {POSITIVE}"),
    (AdditiveNoise, {"evaluation_deviation": -1.0}, f"evaluation_deviation: -1.0 {POSITIVE}"),
    (TruncatedNormal, {"deviation": -0.1}, f"deviation: -0.1 {POSITIVE}"),
    (TruncatedNormal, {"evaluation_deviation": -1.0}, f"evaluation_deviation: -1.0 {POSITIVE}"),
    (OUProcess, {"theta": -1.0}, f"theta: -1.0 {POSITIVE}"),
    (OUProcess, {"sigma": -1.0}, f"sigma: -1.0 {POSITIVE}"),
    (OUProcess, {"dt": 0.0}, "dt: 0.0 is out of range - must be > 0"),
    (Boltzmann, {"temperature": -1}, f"temperature: -1.0 {POSITIVE}"),
    (Boltzmann, {"temperature": None}, "expected a number or a schedule, got None"),
    (Bootstrapped, {"epsilon": 2}, f"epsilon: 2.0 {SHARE}"),
    (Bootstrapped, {"evaluation_epsilon": 2.0}, f"evaluation_epsilon: 2.0 {SHARE}"),
    (UCB, {"bonus": -0.5}, f"bonus: -0.5 {POSITIVE}"),
    (UCB, {"epsilon": -1}, f"epsilon: -1.0 {SHARE}"),
    (UCB, {"evaluation_epsilon": math.inf}, f"evaluation_epsilon: inf {SHARE}"),
]

SPACES = [
    (EGreedy(), None, "e-greedy: e-greedy draws discrete actions or points of a box, got None"),
    (
        EGreedy(),
        OPEN,
        (
            f"additive-noise: additive-noise needs an action space with finite bounds, got {OPEN} - "
            "give the deviation in the action's own units with relative = false"
        ),
    ),
    (Greedy(), None, "greedy: greedy chooses discrete actions or points of a box, got None"),
    (ParameterNoise(), None, "parameter-noise: parameter-noise chooses discrete actions or points of a box, got None"),
    (AdditiveNoise(), Discrete(2), f"additive-noise: additive-noise adds noise to real numbers (a box), {NO_BOX}"),
    (OUProcess(), Discrete(2), f"ou-process: ou-process adds noise to real numbers (a box), {NO_BOX}"),
    (
        OUProcess(mu=(0.0, 1.0)),
        BOX,
        "ou-process: mu has 2 numbers, actions have shape (1,) - give one, or one for each component",
    ),
    (
        ContinuousEntropy(),
        Discrete(2),
        f"continuous-entropy: continuous-entropy adds noise to real numbers (a box), {NO_BOX}",
    ),
    (
        TruncatedNormal(),
        Discrete(2),
        f"truncated-normal: truncated-normal adds noise to real numbers (a box), {NO_BOX}",
    ),
    (
        TruncatedNormal(),
        OPEN,
        (
            f"truncated-normal: truncated-normal needs an action space with finite bounds, got {OPEN} - "
            "'ou-process' needs no bounds"
        ),
    ),
    (
        TruncatedNormal(low=0.5, high=math.nan),
        BOX,
        f"truncated-normal: low 0.5 and high nan must lie within the action space and in this order, got {BOX}",
    ),
    (
        TruncatedNormal(low=(0.0, 0.0)),
        BOX,
        "truncated-normal: low (0.0, 0.0) and high None do not fit actions of shape (1,)",
    ),
    (Boltzmann(), BOX, f"boltzmann: boltzmann draws from discrete actions, got {BOX} - a box can use 'additive-noise'"),
    (
        Categorical(),
        BOX,
        f"categorical: categorical draws from discrete actions, got {BOX} - a box can use 'continuous-entropy'",
    ),
    (
        Bootstrapped(),
        BOX,
        f"bootstrapped: bootstrapped chooses discrete actions, got {BOX} - a box can use 'additive-noise'",
    ),
    (UCB(), BOX, f"ucb: ucb chooses discrete actions, got {BOX} - a box can use 'additive-noise'"),
]

AGENTS = [
    (
        Bootstrapped(),
        Discrete(2),
        f"bootstrapped: bootstrapped {OPINIONS} - use agent 'bootstrapped-dqn', or 'e-greedy'",
    ),
    (UCB(), Discrete(2), f"ucb: ucb {OPINIONS} - use agent 'bootstrapped-dqn', or 'e-greedy'"),
    (
        ContinuousEntropy(),
        BOX,
        (
            "continuous-entropy: continuous-entropy draws from the network's own deviation, and this agent's network "
            "gives none - use 'additive-noise'"
        ),
    ),
]


@pytest.mark.parametrize(("part", "given", "said"), SETTINGS, ids=lambda one: getattr(one, "__name__", None))
def test_settings(part, given, said):
    with pytest.raises(BadSetting) as caught:
        part(**given)
    assert str(caught.value) == said


@pytest.mark.parametrize(("part", "space", "said"), SPACES, ids=lambda one: type(one).__name__)
def test_spaces(part, space, said):
    with pytest.raises(Mismatch) as caught:
        part.init(space, 1)
    assert str(caught.value) == said


@pytest.mark.parametrize(("part", "space", "said"), AGENTS, ids=lambda one: type(one).__name__)
def test_agents(part, space, said):
    width = space.n if isinstance(space, Discrete) else 1
    moment = Moment(np.random.default_rng(0), 0, evaluating=False)
    with pytest.raises(Mismatch) as caught:
        part(part.init(space, 1), lambda: Proposal(np.zeros((1, width))), space, 1, moment)
    assert str(caught.value) == said
