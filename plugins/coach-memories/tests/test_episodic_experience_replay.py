"""Sequences of steps: whole, of one environment, each window as likely, and no memory over the end of an episode."""

from __future__ import annotations

import numpy as np
import pytest

from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coachcore.api import BadSetting, Box, Discrete, Layout, Spaces
from coachcore.testing.laws import chi_square, chi_square_limit

RECURRENT = Spaces({"carry": Box((2,)), "first": Box((), 0.0, 1.0), "observation": Box((1,))}, Discrete(2))
LAYOUT = Layout.of(RECURRENT)


def play(store, steps, count=1, length=5):
    """Steps numbered through in each environment (a thousand apart); every `length` of them are an episode."""
    for step in range(steps):
        numbers = step + 1_000.0 * np.arange(count)
        store.add(
            {
                "obs.observation": numbers[:, None],
                "next_obs.observation": numbers[:, None] + 1,
                "obs.carry": np.zeros((count, 2)),
                "next_obs.carry": np.zeros((count, 2)),
                "obs.first": np.full(count, float(step % length == 0)),
                "next_obs.first": np.zeros(count),
                "action": np.zeros(count),
                "reward": numbers,
                "discount": np.full(count, 0.9),
                "env": np.arange(count),
                "ended": np.full(count, step % length == length - 1),
            }
        )


def drawn(store, name, calls=1, batch=4, seed=0):
    sample = store.sample(np.random.default_rng(seed), calls, batch, 0)
    return sample.packed[..., LAYOUT.packed[name]][..., 0]


def made(sequence, capacity=100, count=1, **given):
    return EpisodicExperienceReplay(capacity=capacity).make(LAYOUT, count, sequence, **given)


def test_minibatches_hold_whole_sequences_one_after_the_other():
    store = made(4, count=3)
    play(store, 30, count=3)
    sequences = drawn(store, "obs.observation", 50, 8).reshape(-1, 4)
    assert np.all(np.diff(sequences, axis=1) == 1)
    assert set((sequences[:, 0] // 1_000).tolist()) == {0.0, 1.0, 2.0}


def test_every_window_is_as_likely_the_last_one_among_them():
    """The old memory never drew the last window. Fails once in a million seeds."""
    store = made(3, capacity=12)
    play(store, 20)  # the ring has gone round
    firsts = drawn(store, "obs.observation", 10_000, 3).reshape(-1, 3)[:, 0]
    values, counts = np.unique(firsts, return_counts=True)
    assert values.tolist() == list(range(8, 18))
    assert chi_square(counts, np.full(10, 1_000)) < chi_square_limit(9)


def test_no_network_remembers_over_the_end_of_an_episode():
    """What follows the first step of an episode is told to begin anew too, unless a sequence begins there."""
    store = made(5)
    play(store, 40)
    sample = store.sample(np.random.default_rng(0), 20, 5, 0)
    before, after, number = (
        sample.packed[..., LAYOUT.packed[name]][..., 0] for name in ("obs.first", "next_obs.first", "obs.observation")
    )
    assert np.array_equal(before, number % 5 == 0)
    assert np.array_equal(after[:, 1:], before[:, 1:])
    assert not after[:, 0].any()
    assert before[:, 0].any()
    kept = store.ring.packed(np.arange(40))[:, LAYOUT.packed["next_obs.first"]]
    assert not kept.any()  # of what is stored nothing was changed


def test_joined_steps_within_sequences():
    store = made(3, n_step=2, discount=0.5)
    play(store, 10)
    number, reward = (drawn(store, name, 10, 3) for name in ("obs.observation", "reward"))
    last = number % 5 == 4
    assert np.array_equal(reward, np.where(last, number, number + 0.5 * (number + 1)))


def test_what_cannot_be_drawn_is_said_in_a_line():
    store = made(4)
    with pytest.raises(BadSetting) as caught:
        drawn(store, "reward", batch=6)
    assert str(caught.value) == (
        "memory: minibatches of 6 rows do not hold whole sequences of 4 steps - "
        "choose a batch_size that is a multiple of the sequence"
    )
    play(store, 3)
    with pytest.raises(BadSetting) as caught:
        drawn(store, "reward", batch=8)
    assert str(caught.value) == (
        "memory: no environment has 4 steps in the memory yet - heat up for longer, lower agent.learner.sequence "
        "or raise the capacity"
    )
    play(store, 1)
    assert drawn(store, "reward").shape == (1, 4)
    with pytest.raises(BadSetting, match="memory: nothing can be drawn from an empty memory - heat up"):
        drawn(made(1), "reward")
    with pytest.raises(BadSetting, match="capacity: 0 is out of range - must be >= 1"):
        EpisodicExperienceReplay(capacity=0)


def test_sequences_of_a_network_that_remembers_nothing():
    """They are drawn as well, with nothing to reset."""
    layout = Layout.of(Spaces({"observation": Box((1,))}, Discrete(2)))
    store = EpisodicExperienceReplay(capacity=9).make(layout, 1, 2)
    store.add(
        {column.name: np.arange(4.0).reshape(4, *column.shape) for column in layout.columns}
        | {"env": np.zeros(4, int), "ended": np.zeros(4, bool)}
    )
    sequences = store.sample(np.random.default_rng(0), 9, 2, 0).packed[..., layout.packed["reward"]][..., 0]
    assert np.all(np.diff(sequences, axis=1) == 1)
