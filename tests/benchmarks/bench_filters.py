"""What filters cost beside straight-line code that calls the same filters by hand, per environment step.

Asked: at most 5 % more than by hand for 1, 5 and 20 filters, and not one hook
call (tests/test_door.py counts these); five scalar filters on 8 environments in
25 us a step. Run:

    python tests/benchmarks/bench_filters.py [--rounds 60]

By hand, a step is written out, a line a filter, with every state in a local
variable: what one would write who knows the filters beforehand. The other side
is the pipeline as the loop calls it. Rewards and observations are the filters'
time alone; a step is a whole one of CartPole, the simulators included, with
that many filters on its observation. Processor time; both sides in turns in one
process, and the ratio is the median of the turns' own.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from time import thread_time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from side_by_side import in_turns, table

from coach_filters.clipping import Clipping
from coach_filters.normalization import Normalization
from coach_filters.reward.ewma_normalization import EwmaNormalization
from coach_filters.reward.rescale import Rescale
from coach_gymnasium.environment import Gymnasium
from coachcore.api import Box, Discrete, Rows, Spaces
from coachcore.contracts.experiment import Filters
from coachcore.contracts.filter import Filter
from coachcore.running.pipeline import Pipelines

SCALAR = (Rescale(factor=0.5), Clipping(low=-3.0, high=3.0), Normalization(), EwmaNormalization(), Rescale(factor=2.0))
VECTOR = (Normalization(), *(Clipping(low=-edge, high=edge) for edge in (4.0, 3.0, 2.0, 1.0)))
NUMBERS, COUNTS, STEPS = (1, 5, 20), (1, 8), 100
REWARDS = ("v = rewards", "")
OBSERVATIONS = ('v = obs["observation"]', 'seen = {"observation": v}')
WHOLE = ('v = environment.step(actions).obs["observation"]', 'seen = {"observation": v}')


def by_hand(rules: Sequence[Filter], ends: tuple[str, str], names: dict[str, Any], states: Sequence[Any]) -> Any:
    """`STEPS` steps of a line a filter, ``s0, v = f0(s0, v, rows)``, between the two lines of `ends`."""
    numbers = range(len(rules))
    lines = ["def steps():", *(f"    f{at}, s{at} = rules[{at}], states[{at}]" for at in numbers)]
    lines += [f"    {name} = given[{name!r}]" for name in names]
    lines += [f"    for _ in range({STEPS}):", f"        {ends[0]}"]
    lines += [*(f"        s{at}, v = f{at}(s{at}, v, rows)" for at in numbers), f"        {ends[1]}"]
    room = {"rules": rules, "states": states, "given": names}
    exec("\n".join(lines), room)  # what one would type, for any number of filters
    return room["steps"]


def pair(number: int, count: int, kind: str) -> dict[str, Callable[[], object]]:
    """Both ways of `STEPS` steps with `number` filters on `count` environments."""
    stream = np.random.default_rng(0)
    rules = tuple(islice(cycle(SCALAR if kind == "rewards" else VECTOR), number))
    kinds: dict[str, Any] = {"reward": rules} if kind == "rewards" else {"observation": {"observation": rules}}
    pipelines = Pipelines.of(Filters(**kinds), Spaces({"observation": Box((4,))}, Discrete(2), reward=Box(())))
    states, rows = pipelines.init(count), Rows(np.arange(count), first=False)
    rewards, obs = stream.normal(size=count), {"observation": stream.normal(size=(count, 4)).astype(np.float32)}
    actions, environment = np.arange(count) % 2, Gymnasium(id="CartPole-v1").make(count)
    environment.reset(range(count), range(count))

    def rewarded() -> None:
        for _ in range(STEPS):
            pipelines.rewarded(states, rewards, rows)

    def observed() -> None:
        for _ in range(STEPS):
            pipelines.observe(states, obs, rows)

    def stepped() -> None:
        for _ in range(STEPS):
            after = environment.step(pipelines.applied(states, actions, rows))
            pipelines.rewarded(states, after.reward, rows)
            pipelines.observe(states, after.obs, rows)

    names = {"rewards": rewards, "obs": obs, "rows": rows, "environment": environment, "actions": actions}
    chain = pipelines.reward if kind == "rewards" else pipelines.observation["observation"]
    ways = {"rewards": (REWARDS, rewarded), "observations": (OBSERVATIONS, observed), "a step": (WHOLE, stepped)}
    ends, bound = ways[kind]
    return {"by hand": by_hand(rules, ends, names, chain.init(count)), "pipeline": bound}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=60)
    rounds = options.parse_args().rounds
    warnings.simplefilter("ignore")  # CartPole's word on going on after its pole has fallen
    for kind in ("rewards", "observations", "a step"):
        for count in COUNTS:
            for number in NUMBERS:
                ways = {name: (STEPS, call) for name, call in pair(number, count, kind).items()}
                took = in_turns(ways, rounds, seconds=0.005, clock=thread_time)
                print(table(f"{kind}: {number} filters, N = {count}", took))


if __name__ == "__main__":
    main()
