"""Frames on their way to the network: crop, brightness, 84 x 84, stack of 4, beside Gymnasium's own wrappers.

Figures to reach from 210 x 160 x 3: 100 us a frame with NumPy alone, 65 us with
OpenCV installed, and less than Gymnasium's wrappers, which need OpenCV. All of
them are given the same frames by the same environment, whose own step is taken
off; the brightness of Gymnasium's wrapper has other shares. Processor time,
all ways in turns in one process. Run:

    python tests/benchmarks/bench_pixels.py [--rounds 15]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import deque
from collections.abc import Callable
from statistics import median
from time import thread_time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import cv2
import gymnasium
import numpy as np
from gymnasium import spaces as gym
from gymnasium import wrappers
from side_by_side import in_turns, table

from coach_filters import opencv
from coach_filters.observation.crop import Crop
from coach_filters.observation.rescale_to_size import RescaleToSize
from coach_filters.observation.rgb_to_y import RGBToY
from coach_filters.observation.stacking import Stacking
from coachcore.api import Box, Discrete, Rows, Spaces
from coachcore.contracts.experiment import Filters
from coachcore.running.pipeline import Pipelines

SHAPE, TOP, BOTTOM, SIZE, DEEP = (210, 160, 3), 34, 194, (84, 84), 4
CHAIN = (Crop(low=(TOP, 0, 0), high=(BOTTOM, -1, -1)), RGBToY(), RescaleToSize(size=SIZE), Stacking(size=DEEP))
ROWS = Rows(np.arange(1), first=False)


class Film(gymnasium.Env[Any, Any]):
    """Shows one made-up frame after another."""

    observation_space = gym.Box(0, 255, SHAPE, np.uint8)
    action_space = gym.Discrete(2)

    def __init__(self) -> None:
        self.frames = np.random.default_rng(0).integers(0, 256, (64, *SHAPE), np.uint8)
        self.at = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self.frames[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at = (self.at + 1) % len(self.frames)
        return self.frames[self.at], 0.0, False, False, {}


def ours(*, quick: bool) -> Callable[[], object]:
    """One step of the film through Coach's pipeline, with OpenCV or without."""
    film, name = Film(), "observation"
    spaces = Spaces({name: Box(SHAPE, 0, 255, "uint8")}, Discrete(2))
    pipelines = Pipelines.of(Filters(observation={name: CHAIN}), spaces)
    states = pipelines.init(1)
    with_opencv, without = opencv.brightness, lambda: None

    def turn() -> object:
        frame = film.step(0)[0]
        sys.modules["coach_filters.observation.rgb_to_y"].brightness = with_opencv if quick else without
        return pipelines.observe(states, {name: frame[None]}, ROWS)[name]

    return turn


def theirs() -> Callable[[], object]:
    """One step of the film through Gymnasium's wrappers."""
    cut = gym.Box(0, 255, (BOTTOM - TOP, *SHAPE[1:]), np.uint8)
    env: gymnasium.Env[Any, Any] = wrappers.TransformObservation(Film(), lambda frame: frame[TOP:BOTTOM], cut)
    env = wrappers.ResizeObservation(wrappers.GrayscaleObservation(env), SIZE)
    env = wrappers.FrameStackObservation(env, DEEP)
    env.reset()
    return lambda: env.step(0)[0]


def by_hand() -> Callable[[], object]:
    """The same without any framework."""
    film, last = Film(), deque([np.zeros(SIZE, np.uint8)] * DEEP, DEEP)

    def turn() -> object:
        grey = cv2.cvtColor(film.step(0)[0][TOP:BOTTOM], cv2.COLOR_RGB2GRAY)
        last.append(cv2.resize(grey, SIZE, interpolation=cv2.INTER_AREA))
        return np.stack(last)

    return turn


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    cv2.setNumThreads(1)
    film = Film()
    ways = {
        "gymnasium's wrappers, OpenCV": (1, theirs()),
        "OpenCV by hand": (1, by_hand()),
        "coach, NumPy alone": (1, ours(quick=False)),
        "coach, OpenCV installed": (1, ours(quick=True)),
        "the film itself": (1, lambda: film.step(0)),
    }
    took = in_turns(ways, rounds, clock=thread_time)
    bare = median(took.pop("the film itself"))
    took = {name: [time - bare for time in times] for name, times in took.items()}
    print(table("crop, brightness, 84 x 84, stack of 4, a frame", took))


if __name__ == "__main__":
    main()
