"""One head an episode: whose, how fairly drawn, and how heads vote."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coach_exploration.bootstrapped import Bootstrapped
from coach_exploration.ensembles import voted
from coachcore.api import Discrete, Moment, Proposal
from coachcore.testing.laws import chi_square, chi_square_limit

HEADS = 4
TELLTALE = np.eye(HEADS)
"""``[H, A]``: head h thinks action h best, so that an action tells its head."""


class Chance:
    """A stand-in for a random generator that hands out known numbers, in turn."""

    def __init__(self, *numbers):
        self.numbers = [np.array(some, float) for some in numbers]

    def random(self, size):
        assert size == len(self.numbers[0])
        return self.numbers.pop(0)


def asked(part, state, values, chance, *, first=None, step=0, evaluating=False):
    values = np.asarray(values, float)
    moment = Moment(chance, step, evaluating, None if first is None else np.array(first))
    wish = Proposal(values.mean(axis=1), ensemble=values)
    state, actions = part(state, lambda: wish, Discrete(values.shape[2]), len(values), moment)
    return state, actions.tolist()


def heads_of(count, steps, begins, seed):
    """The head of each environment at each step, ``[steps, N]``; `begins` ``[steps, N]`` says where episodes begin."""
    part, rng, space, found = Bootstrapped(), np.random.default_rng(seed), Discrete(HEADS), []
    state, wish = part.init(space, count), Proposal(np.zeros((count, HEADS)), ensemble=np.stack([TELLTALE] * count))
    for step in range(steps):
        first = begins[step] if begins[step].any() else None
        state, actions = part(state, lambda: wish, space, count, Moment(rng, step, False, first))
        found.append(actions)
    return np.array(found)


def test_by_hand():
    part, values = Bootstrapped(), [TELLTALE, TELLTALE]
    still = [0.5, 0.5, 0, 0]  # epsilon is 0, so these four numbers change nothing
    state, actions = asked(part, part.init(Discrete(4), 2), values, Chance([0.99, 0.25], still))
    assert actions == [3, 1]  # 0.99 * 4 and 0.25 * 4: a head was missing, though no episode was said to begin
    state, actions = asked(part, state, values, Chance(still))
    assert actions == [3, 1]
    state, actions = asked(part, state, values, Chance([0.0, 0.0], still), first=[False, True])
    assert actions == [3, 0]
    assert state.tolist() == [0.99, 0.0]


def test_random_actions_besides():
    part = Bootstrapped(epsilon=0.5)
    state, actions = asked(part, np.array([0.0, 0.0]), [TELLTALE] * 2, Chance([0.4, 0.6, 0.99, 0.99]))
    assert actions == [3, 0]
    assert part.level(state, 0) == 0.5


def test_evaluation_votes_and_advances_nothing():
    #               mean of action: 0: 3.0, 1: 1.33, 2: 1.0;  favourites: 0, 1, 1
    values = [[[9.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 2.0, 1.0]]]
    state = np.array([0.5])
    after, actions = asked(Bootstrapped(), state, values, Chance([0.5, 0.5]), first=[True], evaluating=True)
    assert (after is state, actions) == (True, [1])
    assert asked(Bootstrapped(vote=False), state, values, Chance([0.5, 0.5]), evaluating=True)[1] == [0]
    part = Bootstrapped(evaluation_epsilon=0.6)
    assert asked(part, state, values, Chance([0.5, 0.99]), evaluating=True)[1] == [2]


def test_of_equal_votes_the_greater_mean_wins():
    assert voted(np.array([[[1.0, 0.0, 0.0], [0.0, 5.0, 0.0]], [[9.0, 0.0, 0.0], [0.0, 5.0, 0.0]]])).tolist() == [1, 0]


@given(arrays(np.float64, (3, 5, 4), elements=st.integers(-3, 3).map(float)))
def test_votes_counted_slowly(values):
    """Slow twin: count the heads' favourites one by one."""
    for row, action in zip(values, voted(values).tolist(), strict=True):
        votes = [0] * 4
        for head in row:
            votes[int(head.argmax())] += 1
        means = row.mean(axis=0)
        tied = [a for a in range(4) if votes[a] == max(votes)]
        assert action in tied
        assert means[action] == max(means[a] for a in tied)


@given(st.integers(1, 5), st.integers(0, 2**32), st.data())
def test_a_head_changes_only_where_an_episode_begins(count, seed, data):
    begins = data.draw(arrays(bool, (12, count)))
    found = heads_of(count, 12, begins, seed)
    changed = found[1:] != found[:-1]
    assert not (changed & ~begins[1:]).any()


@given(st.integers(0, 2**32))
def test_the_slow_twin_follows_the_same_heads(seed):
    """Slow twin: environment by environment, from the same stream."""
    count, begins = 3, np.random.default_rng(seed).random((20, 3)) < 0.2
    rng, heads, slow = np.random.default_rng(seed), [None] * count, []
    for step in range(20):
        if begins[step].any() or step == 0:
            drawn = rng.random(count)
            for env in range(count):
                if begins[step, env] or heads[env] is None:
                    heads[env] = int(drawn[env] * HEADS)
        rng.random(2 * count)
        slow.append(list(heads))
    assert heads_of(count, 20, begins, seed).tolist() == slow


def test_heads_are_drawn_fairly_and_apart():
    """Each of three figures is off once in a million seeds: heads, pairs of environments, and of episodes."""
    begins = np.zeros((9_000, 2), bool)
    begins[::3] = True
    found = heads_of(2, 9_000, begins, 11)[::3]  # a row an episode
    counts = np.bincount(found.ravel(), minlength=HEADS)
    assert chi_square(counts, np.full(HEADS, 6_000 / HEADS)) < chi_square_limit(HEADS - 1)
    pairs = np.bincount(found[:, 0] * HEADS + found[:, 1], minlength=HEADS**2)
    assert chi_square(pairs, np.full(HEADS**2, 3_000 / HEADS**2)) < chi_square_limit(HEADS**2 - 1)
    follow = np.bincount(found[:-1, 0] * HEADS + found[1:, 0], minlength=HEADS**2)
    assert chi_square(follow, np.full(HEADS**2, 2_999 / HEADS**2)) < chi_square_limit(HEADS**2 - 1)


def test_it_explores_deeply_where_single_random_actions_do_not():
    """A chain of 12 steps to the right: heads that disagree reach its end, e-greedy at 0.1 in one of 2^40 episodes."""
    part, space, rng = Bootstrapped(), Discrete(2), np.random.default_rng(0)
    values = np.array([[[1.0, 0.0]] * 9 + [[0.0, 1.0]]])  # one head of ten believes in the right
    wish, state, reached = Proposal(values.mean(axis=1), ensemble=values), part.init(space, 1), 0
    for _ in range(400):
        right = 0
        for step in range(12):
            first = np.array([True]) if step == 0 else None
            state, actions = part(state, lambda: wish, space, 1, Moment(rng, step, False, first))
            right += int(actions[0])
        reached += right == 12
    assert 10 < reached < 80  # binomial(400, 0.1): outside once in a million seeds


def test_the_level_is_a_share_of_random_actions():
    assert Bootstrapped().level(None, 7) == 0.0
    with pytest.raises(TypeError):
        Bootstrapped(0.5)
