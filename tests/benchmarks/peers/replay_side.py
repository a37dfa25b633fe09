"""Stable-Baselines3's replay: microseconds to add 64 rows and to draw 32, run by its own Python as a script."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import numpy as np

ROWS, BATCH, CAPACITY = 64, 32, 1_000_000


def least(call: Any, repeats: int) -> float:
    """Microseconds of one of `repeats` calls, the least of five times."""
    took = []
    for _ in range(5):
        begun = perf_counter()
        for _ in range(repeats):
            call()
        took.append((perf_counter() - begun) / repeats)
    return min(took) * 1e6


def main() -> None:
    """Print one line of JSON."""
    from gymnasium.spaces import Box, Discrete
    from stable_baselines3.common.buffers import ReplayBuffer

    space, rng = Box(-1.0, 1.0, (4,), np.float32), np.random.default_rng(0)
    buffer = ReplayBuffer(CAPACITY, space, Discrete(2), "cpu", n_envs=ROWS)  # tells time limits apart, as Coach does
    obs = rng.random((ROWS, 4), np.float32)
    row = (obs, obs, np.zeros((ROWS, 1)), np.ones(ROWS), np.zeros(ROWS), [{}] * ROWS)
    for _ in range(CAPACITY // ROWS + 1):
        buffer.add(*row)
    took = {"add": least(lambda: buffer.add(*row), 2_000), "sample": least(lambda: buffer.sample(BATCH), 2_000)}
    print(json.dumps(took))


if __name__ == "__main__":
    main()
