"""What a memory costs: bytes, and microseconds to add, draw and learn, beside a replay that is a list of objects.

Figures to reach: a million CartPole transitions in 60 MB; a batch of 32 drawn in
8 us, 1.5 us when 64 are drawn at once; prioritized draw and update in 120 us,
8 us a batch at 64. A transition of 84 x 84 x 4 stacks in 7.2 kB, a batch of 32
pairs of them drawn in 160 us. 64 rows added in 5 us; against Stable-Baselines3's ReplayBuffer twice as fast
to add, 1.5 times as fast to draw. Steps joined and goals substituted at most twice a plain draw. Run:

    python tests/benchmarks/bench_memory.py [--capacity 1_000_000] [--rounds 15] [--pictures 50_000] [--against-sb3]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from peers import homes, replay_side
from side_by_side import in_turns, table

from coach_memories.balanced_experience_replay import BalancedExperienceReplay
from coach_memories.dictionary import NeuralDictionary
from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coach_memories.episodic_hindsight_experience_replay import EpisodicHindsightExperienceReplay
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coach_memories.rollout import Rollout
from coachcore.api import Array, Box, Column, Discrete, Layout, Spaces

BATCH, FUSED = 32, 64
ENVIRONMENTS, DEEP = 8, 4
PIXELS = (84, 84)
LAYOUT = Layout.of(Spaces({"observation": Box((4,))}, Discrete(2)))


class Transition(NamedTuple):
    """One transition as an object, the way most replays keep it."""

    obs: Array
    action: int
    reward: float
    discount: float
    next_obs: Array


class Naive:
    """A list of transition objects, stacked into columns when drawn."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.rows: list[Transition] = []
        self.next = 0

    def add(self, transition: Transition) -> None:
        if len(self.rows) < self.capacity:
            self.rows.append(transition)
        else:
            self.rows[self.next] = transition
            self.next = (self.next + 1) % self.capacity

    def sample(self, count: int) -> list[Array]:
        drawn = [self.rows[random.randrange(len(self.rows))] for _ in range(count)]
        return [np.array(column, np.float32) for column in zip(*drawn, strict=True)]


def transitions(count: int, rng: np.random.Generator) -> dict[str, Array]:
    """Made-up CartPole transitions, a column each ``[count, ...]``."""
    return {
        "obs.observation": rng.standard_normal((count, 4), np.float32),
        "action": rng.integers(0, 2, count),
        "reward": np.ones(count),
        "discount": np.full(count, 0.99),
        "next_obs.observation": rng.standard_normal((count, 4), np.float32),
    }


def weighed(make: Callable[[], Any]) -> tuple[Any, float]:
    """What `make` returns and the megabytes that it keeps."""
    tracemalloc.start()
    made = make()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, size / 1e6


def filled(part: Any, columns: dict[str, Array]) -> Any:
    """A store of `part` with all `columns` in it."""
    store = part.make(LAYOUT, 1)
    store.add(columns)
    return store


def listed(columns: dict[str, Array]) -> Naive:
    """The same transitions as a list of objects."""
    naive = Naive(len(columns["action"]))
    for obs, action, reward, discount, next_obs in zip(*columns.values(), strict=True):
        naive.add(Transition(obs.copy(), int(action), float(reward), float(discount), next_obs.copy()))
    return naive


def turns(store: Any, rng: np.random.Generator, calls: int) -> Callable[[], object]:
    """One draw of `calls` minibatches, and learning from them."""
    priority = rng.random((calls, BATCH), np.float32)
    return lambda: store.learned(store.sample(rng, calls, BATCH, 0).rows, priority)


def touch(store: Any, rng: np.random.Generator) -> None:
    """Draw from all over the memory: on a virtual machine the first read of a page can cost 35 us."""
    for _ in range(4 * len(store) // (FUSED * BATCH)):
        store.sample(rng, FUSED, BATCH, 0)


def stacks(shape: tuple[int, ...]) -> Layout:
    """The layout of transitions of frames; a memory keeps planes of rank 3, and whatever else as it is."""
    return Layout.of(Spaces({"observation": Box(shape, 0, 255, "uint8")}, Discrete(4)))


class Game:
    """Steps of a made-up game in `ENVIRONMENTS` environments, whose frames are all different."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.obs = rng.integers(0, 256, (ENVIRONMENTS, *PIXELS, DEEP), np.uint8)

    def step(self) -> dict[str, Array]:
        """One transition an environment."""
        newest = self.rng.integers(0, 256, (ENVIRONMENTS, *PIXELS, 1), np.uint8)
        before, self.obs = self.obs, np.concatenate([self.obs[..., 1:], newest], axis=-1)
        numbers = np.zeros(ENVIRONMENTS)
        return {
            "obs.observation": before,
            "action": numbers,
            "reward": numbers,
            "discount": numbers,
            "next_obs.observation": self.obs,
        }


def pictures(capacity: int, rounds: int, rng: np.random.Generator) -> None:
    """Print what stacks of frames cost, beside a ring that keeps whole stacks (an eighth as many of them)."""
    split, flat = stacks((*PIXELS, DEEP)), stacks((*PIXELS, DEEP, 1))
    planes, size = weighed(lambda: ExperienceReplay(capacity=capacity).make(split, ENVIRONMENTS))
    whole, whole_size = weighed(lambda: ExperienceReplay(capacity=capacity // 8).make(flat, ENVIRONMENTS))
    print(f"\n84 x 84 x 4 stacks, bytes a transition of {capacity:_}")
    print(
        f"  {'whole stacks':32s}{whole_size * 8e6 / capacity:12.1f}\n  {'planes':32s}{size * 1e6 / capacity + 4:12.1f}"
    )
    game = Game(rng)
    steps = [game.step() for _ in range(200)]
    turned = [
        {name: column[..., None] if column.ndim > 1 else column for name, column in step.items()} for step in steps
    ]
    for number in range(capacity // ENVIRONMENTS + 1):
        planes.add(game.step())
        whole.add(turned[number % 200])
    turn = {"planes": 0, "whole": 0}

    def add(store: Any, which: str, given: list[dict[str, Array]]) -> None:
        turn[which] += 1
        store.add(given[turn[which] % 200])

    adds = {
        "whole stacks": (ENVIRONMENTS, lambda: add(whole, "whole", turned)),
        "planes": (ENVIRONMENTS, lambda: add(planes, "planes", steps)),
    }
    print(table("adding one transition of 84 x 84 x 4 stacks", in_turns(adds, rounds)))
    place = np.empty((1, BATCH, *PIXELS, DEEP), np.uint8)

    def copied(store: Any) -> None:
        for column in store.sample(rng, 1, BATCH, 0).apart.values():
            place[...] = column.reshape(place.shape)

    draws = {
        "whole stacks": (1, lambda: whole.sample(rng, 1, BATCH, 0)),
        "planes": (1, lambda: planes.sample(rng, 1, BATCH, 0)),
        "whole stacks, copied elsewhere": (1, lambda: copied(whole)),
        "planes, turned on the way": (1, lambda: copied(planes)),
    }
    print(table(f"drawing a batch of {BATCH} pairs of stacks", in_turns(draws, rounds)))


def rollouts(rounds: int, rng: np.random.Generator) -> None:
    """Print what a rollout of 8 environments and 32 steps costs, learned from for 20 epochs."""
    layout = Layout.of(Spaces({"observation": Box((4,))}, Discrete(2)), (Column("value"), Column("score")), fresh=True)
    store, rows = Rollout().make(layout, ENVIRONMENTS), 32 * ENVIRONMENTS
    columns = {column.name: rng.standard_normal((rows, *column.shape)) for column in layout.columns}

    def turn() -> None:
        store.add(columns)
        store.sample(rng, 20, rows, 0)

    print(table("a rollout of 256 rows, added and drawn for 20 epochs", in_turns({"rollout": (1, turn)}, rounds)))


def episodes(capacity: int, rounds: int, rng: np.random.Generator) -> None:
    """Print what memories that know episodes cost beside one that does not, all full of steps of the same goals."""
    names = ("achieved_goal", "desired_goal", "observation")
    layout = Layout.of(Spaces({name: Box((8,)) for name in names}, Discrete(8)))
    block = {column.name: rng.random((ENVIRONMENTS, *column.shape), np.float32) for column in layout.columns}
    block |= {"env": np.arange(ENVIRONMENTS), "ended": np.zeros(ENVIRONMENTS, bool)}
    last = {**block, "ended": np.ones(ENVIRONMENTS, bool)}
    stores = {
        "experience-replay": ExperienceReplay(capacity=capacity).make(layout, ENVIRONMENTS),
        "episodic": EpisodicExperienceReplay(capacity=capacity).make(layout, ENVIRONMENTS),
        "episodic, 3 steps": EpisodicExperienceReplay(capacity=capacity).make(layout, ENVIRONMENTS, n_step=3),
        "hindsight": EpisodicHindsightExperienceReplay(capacity=capacity).make(layout, ENVIRONMENTS),
        "hindsight, 3 steps": EpisodicHindsightExperienceReplay(capacity=capacity).make(layout, ENVIRONMENTS, n_step=3),
    }
    for store in stores.values():
        for step in range(capacity // ENVIRONMENTS + 50):
            store.add(last if step % 50 == 49 else block)
    turn = dict.fromkeys(stores, 0)

    def add(name: str) -> None:
        turn[name] += 1
        stores[name].add(last if turn[name] % 50 == 49 else block)

    adds = {name: (1, lambda name=name: add(name)) for name in stores}
    print(table(f"adding a step of {ENVIRONMENTS} environments, episodes of 50 steps", in_turns(adds, rounds)))
    for calls in (1, FUSED):
        draws = {
            name: (calls, lambda store=store, calls=calls: store.sample(rng, calls, BATCH, 0))
            for name, store in stores.items()
        }
        print(table(f"drawing a batch of {BATCH}, {calls} at once", in_turns(draws, rounds)))
    windows = EpisodicExperienceReplay(capacity=capacity).make(layout, ENVIRONMENTS, 8)
    for step in range(capacity // ENVIRONMENTS):
        windows.add(last if step % 50 == 49 else block)
    sequences = {"32 steps": (1, stores["episodic"]), "4 sequences of 8": (1, windows)}
    ways = {
        name: (units, lambda store=store: store.sample(rng, 1, BATCH, 0)) for name, (units, store) in sequences.items()
    }
    print(table("drawing sequences", in_turns(ways, rounds)))


def others(capacity: int, rounds: int, rng: np.random.Generator) -> None:
    """Print what classes and dictionaries cost."""
    layout = Layout.of(Spaces({"class": Box(()), "observation": Box((4,))}, Discrete(2)))
    columns = {column.name: rng.random((capacity, *column.shape), np.float32) for column in layout.columns}
    columns |= {"obs.class": rng.integers(0, 4, capacity).astype(float)}
    store = BalancedExperienceReplay(capacity=capacity, classes=4, replacement=True).make(layout, 1)
    store.add(columns)
    print(
        table(
            "drawing 8 of each of 4 classes",
            in_turns({"balanced": (1, lambda: store.sample(rng, 1, BATCH, 0))}, rounds),
        )
    )
    size, ways = 20_000, {}
    for search in ("exact", "approximate"):
        book = NeuralDictionary(size=size, search=search).make(64, 1)
        book.write(rng.random((size, 64)), np.zeros(size, int), rng.random(size))
        asked = rng.random((BATCH, 64))
        ways[search] = (BATCH, lambda book=book, asked=asked: book.read(asked, 0))
    print(table(f"one key's 50 neighbours among {size:_} of 64 numbers", in_turns(ways, rounds)))


def against_sb3(rounds: int, rng: np.random.Generator) -> None:
    """Print how many times as fast as Stable-Baselines3's replay, each round in a process of its own."""
    rows, script = replay_side.ROWS, Path(replay_side.__file__)
    columns = transitions(replay_side.CAPACITY, rng)
    store, some = (
        filled(ExperienceReplay(capacity=replay_side.CAPACITY), columns),
        {n: c[:rows] for n, c in columns.items()},
    )
    mine: dict[str, list[float]] = {"add": [], "sample": []}
    ratios: dict[str, list[float]] = {"add": [], "sample": []}
    for _ in range(rounds):
        command = [str(homes.python_of("sb3")), str(script)]
        said = subprocess.run(command, capture_output=True, text=True, check=True, env=homes.surroundings("sb3", 1))
        theirs = json.loads(said.stdout)
        took = {
            "add": replay_side.least(lambda: store.add(some), 2_000),
            "sample": replay_side.least(lambda: store.sample(rng, 1, BATCH, 0), 2_000),
        }
        for name, us in took.items():
            mine[name].append(us)
            ratios[name].append(theirs[name] / us)
    print("\nagainst Stable-Baselines3: microseconds here, and how many times as fast (range)")
    for name, what in (("add", f"adding {rows} rows"), ("sample", f"drawing {BATCH}")):
        of = ratios[name]
        print(f"  {what:32s}{median(mine[name]):12.1f}{median(of):12.2f} ({min(of):.2f} to {max(of):.2f})")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capacity", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pictures", type=int, default=50_000, help="transitions of stacks of frames")
    parser.add_argument("--against-sb3", action="store_true", help="compare with Stable-Baselines3, and nothing else")
    given, rng = parser.parse_args(), np.random.default_rng(0)
    if given.against_sb3:
        against_sb3(given.rounds, rng)
        return
    columns = transitions(given.capacity, rng)
    uniform, uniform_size = weighed(lambda: filled(ExperienceReplay(capacity=given.capacity), columns))
    ranked, ranked_size = weighed(lambda: filled(PrioritizedExperienceReplay(capacity=given.capacity), columns))
    naive, naive_size = weighed(lambda: listed(columns))
    gc.freeze()  # millions of small objects slow the collector down for everybody: not what is measured here
    print(f"{given.capacity:_} CartPole transitions in MB")
    for name, size in (
        ("list of objects", naive_size),
        ("experience-replay", uniform_size),
        ("prioritized", ranked_size),
    ):
        print(f"  {name:32s}{size:12.1f}")

    one = {name: column[:1] for name, column in columns.items()}
    row = naive.rows[0]
    adds = {
        "list of objects": (1, lambda: naive.add(row)),
        "experience-replay": (1, lambda: uniform.add(one)),
        "prioritized": (1, lambda: ranked.add(one)),
    }
    print(table("adding one transition", in_turns(adds, given.rounds)))
    some = {name: column[:FUSED] for name, column in columns.items()}
    adds = {
        "experience-replay": (1, lambda: uniform.add(some)),
        "prioritized": (1, lambda: ranked.add(some)),
    }
    print(table(f"adding {FUSED} transitions", in_turns(adds, given.rounds)))
    ranked.sample(rng, 1, BATCH, 0)  # makes the sums that adding put off
    touch(uniform, rng)
    draws = {
        "list of objects": (1, lambda: naive.sample(BATCH)),
        "experience-replay": (1, lambda: uniform.sample(rng, 1, BATCH, 0)),
        "experience-replay, 64 at once": (FUSED, lambda: uniform.sample(rng, FUSED, BATCH, 0)),
    }
    print(table(f"drawing a batch of {BATCH}", in_turns(draws, given.rounds)))
    learns = {
        "prioritized": (1, turns(ranked, rng, 1)),
        "prioritized, 64 at once": (FUSED, turns(ranked, rng, FUSED)),
    }
    print(table(f"prioritized: drawing and learning from a batch of {BATCH}", in_turns(learns, given.rounds)))
    rollouts(given.rounds, rng)
    episodes(given.capacity // 5, given.rounds, rng)
    others(given.capacity // 5, given.rounds, rng)
    pictures(given.pictures, given.rounds, rng)


if __name__ == "__main__":
    main()
