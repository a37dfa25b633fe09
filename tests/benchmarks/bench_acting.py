"""Acting with a small network in NumPy, one observation at a time, against the compiled network; and new weights.

Run:

    python tests/benchmarks/bench_acting.py [--rounds 15]
"""

from __future__ import annotations

import argparse
import os
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from bench_update import ours
from side_by_side import in_turns, table

from coachcore.acting import ActingNetwork


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    rng = np.random.default_rng(0)
    for width in (64, 256):
        learner = ours(width)
        program, weights = learner.acting()
        acting, alone = ActingNetwork(program), ActingNetwork(program)
        acting.load(weights)
        alone.load(weights)
        one, eight = ({"observation": rng.standard_normal((n, 4)).astype(np.float32)} for n in (1, 8))

        def refreshed(acting: ActingNetwork = acting, weights: np.ndarray = weights, obs: dict = one) -> None:
            acting.load(weights)
            acting(obs)

        took = in_turns(
            {
                "compiled network, N = 1": (1, partial(learner.forward, one)),
                "acting, N = 1": (1, partial(alone, one)),
                "acting, N = 8 (a call)": (1, partial(alone, eight)),
                "new weights and acting, N = 1": (1, refreshed),
            },
            rounds,
            seconds=0.01,
        )
        print(table(f"Acting, 4-{width}-{width}-2", took))


if __name__ == "__main__":
    main()
