"""What one choice of each exploration policy costs, for one environment and for eight at once.

The network is not counted: what the agent would like lies ready. Greedy is the
floor that the others stand on. Run:

    python tests/benchmarks/bench_exploration.py [--rounds 15]
"""

from __future__ import annotations

import argparse
import os
from functools import partial
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from side_by_side import in_turns, table

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
from coachcore.api import Box, Clock, Discrete, Moment, Proposal, Space

ACTIONS, COMPONENTS, HEADS = 4, 6, 10
DISCRETE: dict[str, Any] = {
    "greedy": Greedy(),
    "e-greedy": EGreedy(),
    "e-greedy, 5 steps long": EGreedy(duration=5),
    "boltzmann": Boltzmann(),
    "categorical": Categorical(),
    "parameter-noise": ParameterNoise(),
    "bootstrapped": Bootstrapped(),
    "ucb": UCB(),
}
REAL: dict[str, Any] = {
    "greedy": Greedy(),
    "e-greedy": EGreedy(),
    "additive-noise": AdditiveNoise(deviation=0.1),
    "truncated-normal": TruncatedNormal(deviation=0.1),
    "ou-process": OUProcess(),
    "continuous-entropy": ContinuousEntropy(),
    "parameter-noise": ParameterNoise(),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    for what, policies, space in (
        (f"{ACTIONS} actions, {HEADS} heads", DISCRETE, Discrete(ACTIONS)),
        (f"{COMPONENTS} components", REAL, Box((COMPONENTS,), -1.0, 1.0)),
    ):
        for count in (1, 8):
            calls = {name: (1, _choice(part, space, count)) for name, part in policies.items()}
            print(table(f"A choice of N = {count}, {what}", in_turns(calls, rounds, seconds=0.01)))


def _choice(part: Any, space: Space, count: int) -> Any:
    """A call that chooses once; epsilon is what it is after 40,000 steps, so that the agent is mostly asked."""
    rng = np.random.default_rng(0)
    width = space.n if isinstance(space, Discrete) else space.shape[0]  # type: ignore[union-attr]
    values = rng.standard_normal((count, HEADS, width)).astype(np.float32)
    deviation = np.full((count, width), 0.1, np.float32)
    wish = np.abs(values.mean(axis=1)) / 4
    wish = Proposal(
        wish / wish.sum(axis=1, keepdims=True), None if isinstance(space, Discrete) else deviation, None, values
    )
    moment = Moment(rng, Clock(steps=40_000).now, False)
    state, _ = part(part.init(space, count), lambda: wish, space, count, moment)
    return partial(part, state, lambda: wish, space, count, moment)


if __name__ == "__main__":
    main()
