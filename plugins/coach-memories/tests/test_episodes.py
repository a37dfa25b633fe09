"""Where steps lie in their episodes and lanes, against a plain list of steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_memories.episodes import Episodes
from coach_memories.lanes import Even, Lanes
from coach_memories.ring import Ring
from coachcore.api import BadCheckpoint, BadData, BadSetting, Column, Layout
from coachcore.testing.laws import chi_square, chi_square_limit, saved

LAYOUT = Layout((Column("reward"),))


class Held(NamedTuple):
    row: int
    env: int
    episode: int
    ended: bool


class Naive:
    """The last `capacity` steps in a list; every question is answered by looking through it."""

    def __init__(self, capacity, count):
        self.capacity, self.held, self.added, self.episode = capacity, [], 0, dict.fromkeys(range(count), 0)

    def add(self, envs, ended):
        for env, end in zip(envs, ended, strict=True):
            self.held = [step for step in self.held if step.row != self.added % self.capacity]
            self.held.append(Held(self.added % self.capacity, env, self.episode[env], end))
            self.episode[env] += end
            self.added += 1

    def lane(self, step):
        return [other for other in self.held if other.env == step.env]

    def of_episode(self, step):
        return [other for other in self.lane(step) if other.episode == step.episode]


def added(episodes, envs, ended, first=0):
    numbers = np.arange(first, first + len(envs), dtype=float)
    return episodes.add({"reward": numbers, "env": np.array(envs, np.int64), "ended": np.array(ended, bool)})


@st.composite
def histories(draw, *, in_turn=False):
    count, capacity = draw(st.integers(1, 3)), draw(st.integers(1, 14))
    adds = []
    for _ in range(draw(st.integers(1, 12))):
        if in_turn or draw(st.booleans()):
            envs = list(range(count)) * (draw(st.integers(1, 4)) if count == 1 else 1)
        elif draw(st.booleans()):
            envs = [draw(st.integers(0, count - 1))] * draw(st.integers(1, 2 * capacity))
        else:
            envs = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=capacity + 3))
        adds.append((envs, draw(st.lists(st.booleans(), min_size=len(envs), max_size=len(envs)))))
    return count, capacity, adds


def agree(episodes, naive):
    """Everything that can be asked of the rows that are held."""
    held = naive.held
    rows = np.array([step.row for step in held])
    lanes = [naive.lane(step) for step in held]
    together = [naive.of_episode(step) for step in held]
    place = [lane.index(step) for step, lane in zip(held, lanes, strict=True)]
    inner = [steps.index(step) for step, steps in zip(held, together, strict=True)]
    assert episodes.order.ahead(rows).tolist() == [len(a) - 1 - p for a, p in zip(lanes, place, strict=True)]
    assert episodes.order.behind(rows).tolist() == place
    assert episodes.after(rows).tolist() == [len(a) - 1 - p for a, p in zip(together, inner, strict=True)]
    assert episodes.before(rows).tolist() == inner
    assert episodes.over(rows).tolist() == [steps[-1].ended for steps in together]
    assert sorted(episodes.ended().tolist()) == sorted(
        s.row for s, t in zip(held, together, strict=True) if t[-1].ended
    )
    assert episodes.order.lanes().tolist() == [step.env for step in held]
    for step, lane, at in zip(held, lanes, place, strict=True):
        steps = np.arange(-at, len(lane) - at)
        assert episodes.order.later(np.array(step.row), steps).tolist() == [other.row for other in lane]


@given(st.booleans().flatmap(lambda in_turn: histories(in_turn=in_turn)))
@settings(max_examples=200)
def test_as_the_slow_twin(history):
    count, capacity, adds = history
    episodes, naive = Episodes(Ring(LAYOUT, capacity, count), count), Naive(capacity, count)
    for envs, ended in adds:
        added(episodes, envs, ended)
        naive.add(envs, ended)
        agree(episodes, naive)


@given(histories(in_turn=True))
def test_environments_that_step_in_turn_cost_nothing_more(history):
    count, capacity, adds = history
    episodes = Episodes(Ring(LAYOUT, capacity, count), count)
    for envs, ended in adds:
        added(episodes, envs, ended)
        assert isinstance(episodes.order, Even)


@given(histories(), st.integers(1, 4), st.integers(0, 99))
def test_windows_are_whole_and_none_is_left_out(history, length, seed):
    count, capacity, adds = history
    episodes, naive = Episodes(Ring(LAYOUT, capacity, count), count), Naive(capacity, count)
    for envs, ended in adds:
        added(episodes, envs, ended)
        naive.add(envs, ended)
    able = {step.row for step in naive.held if len(naive.lane(step)) - naive.lane(step).index(step) >= length}
    rng = np.random.default_rng(seed)
    if able:
        assert set(episodes.order.starts(rng, (40 * capacity,), length).tolist()) == able
    else:
        with pytest.raises(BadSetting, match="memory: no environment has"):
            episodes.order.starts(rng, (1,), length)


@pytest.mark.parametrize("odd", [False, True])
def test_windows_are_drawn_fairly(odd):
    """Also the last one of each environment; a fair draw fails once in a million seeds."""
    episodes = Episodes(Ring(LAYOUT, 40, 2), 2)
    if odd:
        added(episodes, [0] * 7, [False] * 7)
    for step in range(15):
        added(episodes, [0, 1], [step % 4 == 3] * 2)
    assert isinstance(episodes.order, Lanes if odd else Even)
    drawn = episodes.order.starts(np.random.default_rng(1), (30_000,), 3)
    counts = np.unique(drawn, return_counts=True)[1]
    assert len(counts) == (30 + 7 * odd) - 4
    assert chi_square(counts, np.full(len(counts), 30_000 / len(counts))) < chi_square_limit(len(counts) - 1)


@given(histories())
def test_restored_it_goes_on_the_same(history):
    count, capacity, adds = history
    naive = Naive(capacity, count)
    one, other = (Episodes(Ring(LAYOUT, capacity, count), count) for _ in range(2))
    added(other, [count - 1, 0], [True, False])  # restoring forgets what was there
    for envs, ended in adds:
        added(one, envs, ended)
        naive.add(envs, ended)
        other.ring.restore(saved(one.ring.state()))
        other.restore(saved(one.state()))
        agree(other, naive)
    for episodes in (one, other):
        added(episodes, [0], [True])
    naive.add([0], [True])
    agree(other, naive)
    agree(one, naive)


def test_an_environment_that_there_is_not_is_refused_and_nothing_is_lost():
    episodes = Episodes(Ring(LAYOUT, 9, 2), 2)
    added(episodes, [0, 1], [False, True])
    for wrong in (2, -1):
        with pytest.raises(BadData) as caught:
            added(episodes, [wrong, 0], [False, False])
        assert str(caught.value) == f"memory: a step of environment {wrong}, where there are 2"
        assert episodes.ring.filled == 2
    added(episodes, [0], [True])
    assert episodes.over(np.arange(3)).tolist() == [True, True, True]
    alone = Episodes(Ring(LAYOUT, 9, 1), 1)
    with pytest.raises(BadData, match="memory: a step of environment 1, where there are 1"):
        added(alone, [1], [False])


def test_a_state_that_does_not_fit_is_refused():
    episodes = Episodes(Ring(LAYOUT, 9, 2), 2)
    added(episodes, [1, 1, 0], [False, True, False])
    state = episodes.state()
    for spoilt in ({"left": state["left"][:2]}, {"length": np.zeros(3)}):
        with pytest.raises(BadCheckpoint, match="memory: the saved episodes do not fit the saved steps"):
            episodes.restore(state | spoilt)
    for spoilt in ({"lane": np.array([1, 1, 1])}, {"lane": np.array([1, 1, 2])}, {"lane": np.array([1, 1, -1])},
                   {"at": np.zeros(2)}, {"heads": np.zeros(1)}):  # fmt: skip
        with pytest.raises(BadCheckpoint, match="memory: the saved order of steps does not fit the saved steps"):
            episodes.restore(state | {"order": state["order"] | spoilt})
