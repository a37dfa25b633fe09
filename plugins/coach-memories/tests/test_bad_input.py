"""What each memory says of bad settings and of draws that it cannot make, word for word; it stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coach_memories.balanced_experience_replay import BalancedExperienceReplay
from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coach_memories.episodic_hindsight_experience_replay import EpisodicHindsightExperienceReplay
from coach_memories.episodic_hrl_hindsight_experience_replay import EpisodicHRLHindsightExperienceReplay
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coach_memories.rollout import Rollout
from coachcore.api import BadData, BadSetting, Box, Layout, Spaces

GOALS = {name: Box((2,)) for name in ("achieved_goal", "desired_goal", "observation")}
LAYOUT = Layout.of(Spaces({**GOALS, "class": Box((), 0, 1)}, Box((2,), -1.0, 1.0)))
BY_CAPACITY = (
    ExperienceReplay,
    PrioritizedExperienceReplay,
    BalancedExperienceReplay,
    EpisodicExperienceReplay,
    EpisodicHindsightExperienceReplay,
    EpisodicHRLHindsightExperienceReplay,
)
EMPTY = "memory: nothing can be drawn from an empty memory - heat up for at least one step"
FEW = "heat up for longer, lower batch_size or set replacement = true"
Made = Callable[[], Any]


def steps(first: int, count: int) -> dict[str, Any]:
    """`count` steps of one episode that has not ended, numbered from `first` by their rewards."""
    told = {name: np.full((count, 2), 0.5) for name in GOALS} | {"class": np.arange(first, first + count) % 2}
    return {
        **{f"{when}.{name}": values for when in ("obs", "next_obs") for name, values in told.items()},
        "action": np.zeros((count, 2)),
        "reward": np.arange(float(first), first + count),
        "discount": np.full(count, 0.9),
        "env": np.zeros(count, np.int64),
        "ended": np.zeros(count, bool),
    }


def rewards(store: Any, batch: int) -> list[float]:
    """Rewards of the transitions that a large draw finds, each once."""
    packed = store.sample(np.random.default_rng(0), 50, batch, 0).packed
    return sorted(set(packed[..., LAYOUT.packed["reward"]].ravel().tolist()))


@pytest.mark.parametrize("part", BY_CAPACITY)
@pytest.mark.parametrize(
    ("capacity", "said"),
    [
        (0, "capacity: 0 is out of range - must be >= 1"),
        (-1, "capacity: -1 is out of range - must be >= 1"),
        (
            "0 GB",
            (
                "capacity: '0 GB' is no size - write a number of transitions, or bytes such as \"2 GB\" "
                "(B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"
            ),
        ),
    ],
)
def test_a_capacity_of_nothing(part: Any, capacity: Any, said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        part(capacity=capacity)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("part", "given", "said"),
    [
        (PrioritizedExperienceReplay, {"alpha": 1.5}, "alpha: 1.5 is out of range - must be >= 0 and <= 1"),
        (PrioritizedExperienceReplay, {"alpha": np.nan}, "alpha: nan is out of range - must be >= 0 and <= 1"),
        (PrioritizedExperienceReplay, {"beta": -0.5}, "beta: -0.5 is out of range - must be >= 0 and <= 1"),
        (BalancedExperienceReplay, {"classes": 1}, "classes: 1 is out of range - must be >= 2"),
        (EpisodicHindsightExperienceReplay, {"threshold": -1.0}, "threshold: -1.0 is out of range - must be >= 0"),
        (EpisodicHindsightExperienceReplay, {"threshold": np.nan}, "threshold: nan is out of range - must be >= 0"),
    ],
)
def test_settings(part: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        part(**given)
    assert str(caught.value) == said


@pytest.mark.parametrize("part", [*BY_CAPACITY, Rollout])
def test_nothing_is_drawn_from_an_empty_memory_which_is_filled_later_as_any_other(part: Any) -> None:
    store = part().make(LAYOUT, 1)
    with pytest.raises(BadSetting) as caught:
        store.sample(np.random.default_rng(0), 1, 2, 0)
    drawn_once = "memory: nothing can be drawn from an empty memory - it forgets what was drawn"
    assert str(caught.value) == (drawn_once if part is Rollout else EMPTY)
    store.add(steps(0, 4))
    assert len(store) == 4


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: ExperienceReplay(capacity=9, replacement=False).make(LAYOUT, 1),
            f"memory: 6 different transitions cannot be drawn from 4 - {FEW}",
        ),
        (
            lambda: BalancedExperienceReplay(capacity=9, classes=2, class_observation="class").make(LAYOUT, 1),
            f"memory: 3 transitions of class 0 cannot be drawn from 2 - {FEW}",
        ),
    ],
    ids=["uniform", "balanced"],
)
def test_a_memory_that_is_too_small_keeps_what_it_has(make: Made, said: str) -> None:
    store = make()
    store.add(steps(0, 4))
    with pytest.raises(BadSetting) as caught:
        store.sample(np.random.default_rng(0), 1, 6, 0)
    assert str(caught.value) == said
    assert rewards(store, 4) == [0, 1, 2, 3]
    store.add(steps(4, 2))
    assert rewards(store, 6) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_priorities_that_are_none_change_nothing(bad: float) -> None:
    store = PrioritizedExperienceReplay(capacity=9).make(LAYOUT, 1)
    store.add(steps(0, 4))
    before = store.state()["leaves"].copy()
    sample = store.sample(np.random.default_rng(0), 1, 4, 0)
    with pytest.raises(BadData) as caught:
        store.learned(sample.rows, np.full((1, 4), bad))
    assert str(caught.value) == (
        "memory: a priority is negative, infinite or not a number - lower agent.learner.learning_rate"
    )
    assert store.state()["leaves"].tolist() == before.tolist()
    assert rewards(store, 4) == [0, 1, 2, 3]
