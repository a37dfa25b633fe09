"""Advantages of rollouts: by hand, as laws, and against a plain double loop."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.running.advantage import FIRST, Advantages
from coachcore.testing.laws import same, saved
from coachcore.types import Step

HALF = Advantages(discount=0.5, gae_lambda=0.5)


@attrs.frozen
class Turn:
    """One step of N environments: rewards, values, values of what follows, and who ended."""

    rewards: list
    values: list
    terminated: list = attrs.field(factory=list)
    truncated: list = attrs.field(factory=list)
    final: list = attrs.field(factory=list)


def noted(rule, state, number, turn):
    """Step `number`: the environments see and do ``100 * environment + number``."""
    envs = np.arange(len(turn.rewards))
    before = {"o": (100.0 * envs + number)[:, None]}
    flags = [np.isin(envs, ended) for ended in (turn.terminated, turn.truncated)]
    after = Step({"o": (100.0 * envs + number + 0.5)[:, None]}, np.zeros(len(envs)), *flags)
    kept = {"value": np.array(turn.values, np.float32), "score": np.stack([envs, envs + number], axis=1)}

    def value_after(obs):
        assert turn.truncated, "values of final observations are asked only where an episode was truncated"
        assert obs is after.obs
        return np.array(turn.final, np.float32)

    return rule(state, before, 100 * envs + number, np.array(turn.rewards, float), after, kept, value_after)


def rollout(rule, turns, last):
    state = rule.init({}, np.zeros(0))
    for number, turn in enumerate(turns):
        state = noted(rule, state, number, turn)
    return rule.close(state, np.array(last, np.float32))[1]


def advantages(rule, turns, last):
    """[N][T]"""
    return rollout(rule, turns, last)["advantage"].reshape(len(last), len(turns)).tolist()


def test_by_hand():
    turns = [Turn([1.0], [2.0]), Turn([3.0], [4.0]), Turn([5.0], [6.0])]
    # errors: 1 + 2 - 2 = 1, 3 + 3 - 4 = 2, 5 + 4 - 6 = 3; faded by a quarter a step
    columns = rollout(HALF, turns, [8.0])
    assert columns["advantage"].tolist() == [1 + 0.25 * 2.75, 2 + 0.25 * 3, 3]
    assert columns["return"].tolist() == [3.6875, 6.75, 9]


def test_nothing_follows_a_terminal_step():
    turns = [Turn([1.0], [2.0], terminated=[0]), Turn([3.0], [4.0])]
    assert advantages(HALF, turns, [8.0]) == [[1 - 2, 3 + 4 - 4]]


def test_a_truncated_episode_is_worth_what_its_final_observation_is():
    turns = [Turn([1.0], [2.0], truncated=[0], final=[10.0]), Turn([3.0], [4.0])]
    assert advantages(HALF, turns, [8.0]) == [[1 + 5 - 2, 3 + 4 - 4]]


def test_asking_may_write_over_what_was_kept():
    """The values of two questions come in one buffer of the network's."""
    buffer, state = np.array([2.0], np.float32), HALF.init({}, np.zeros(0))
    after = Step({"o": np.ones((1, 1))}, np.zeros(1), np.array([False]), np.array([True]))

    def value_after(_obs):
        buffer[:] = 8.0
        return buffer

    state = HALF(state, {"o": np.zeros((1, 1))}, np.zeros(1), np.ones(1), after, {"value": buffer}, value_after)
    columns = HALF.close(state, np.zeros(1))[1]
    assert (columns["value"].tolist(), columns["advantage"].tolist()) == ([2.0], [1.0 + 0.5 * 8.0 - 2.0])


def test_both_flags_at_once_mean_terminal():
    turns = [Turn([1.0], [2.0], [0], [0], final=[np.nan])]
    assert advantages(HALF, turns, [np.nan]) == [[-1]]


def test_environments_that_end_differently_in_one_step():
    turns = [Turn([1.0] * 4, [2.0] * 4, [1], [2, 3], final=[np.nan, np.nan, 10.0, 20.0])]
    assert advantages(HALF, turns, [8.0, np.nan, np.nan, np.nan]) == [[3], [-1], [4], [9]]


def test_rows_come_environment_by_environment():
    columns = rollout(HALF, [Turn([0.0] * 3, [0.0] * 3)] * 2, [0.0] * 3)
    order = [0, 1, 100, 101, 200, 201]
    assert columns["obs.o"].tolist() == [[number] for number in order]
    assert columns["action"].tolist() == order
    assert columns["score"].tolist() == [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2], [2, 3]]
    assert {name: (column.shape, column.dtype.name) for name, column in columns.items()} == {
        "obs.o": ((6, 1), "float64"),
        "action": ((6,), "int64"),
        "value": ((6,), "float32"),
        "score": ((6, 2), "int64"),
        "advantage": ((6,), "float64"),
        "return": ((6,), "float64"),
    }


@pytest.mark.parametrize("count", [1, 2])
def test_nothing_is_shared(count):
    """Neither with what was handed in nor with the rollouts that follow."""
    state = HALF.init({}, np.zeros(0))
    before, actions, rewards = {"o": np.ones((count, 2), np.uint8)}, np.ones(count, np.int64), np.ones(count)
    after = Step(before, rewards, np.zeros(count, bool), np.zeros(count, bool))
    kept = {"value": np.ones(count, np.float32)}
    for _ in range(3):
        state = HALF(state, before, actions, rewards, after, kept, None)
    for array in (before["o"], actions, rewards, kept["value"]):
        array[...] = 9
    state, first = HALF.close(state, np.ones(count))
    seen = saved(first)
    state = HALF(state, before, actions, rewards, after, kept, None)
    assert (first["obs.o"], first["action"], first["value"]) == tuple(
        pytest.approx(np.ones_like(first[name])) for name in ("obs.o", "action", "value")
    )
    assert same(seen, saved(first))
    assert HALF.close(state, np.ones(count))[1]["action"].tolist() == [9] * count


def test_an_earlier_state_stays_and_room_grows():
    state, states = HALF.init({}, np.zeros(0)), []
    for number in range(2 * FIRST + 1):
        state = noted(HALF, state, number, Turn([1.0], [float(number)]))
        states.append(state)
    for number, earlier in enumerate(states):
        columns = HALF.close(earlier, np.zeros(1))[1]
        assert columns["value"].tolist() == list(range(number + 1))
    empty, _ = HALF.close(state, np.zeros(1))
    assert empty["steps"] == 0
    assert len(empty["columns"]["reward"]) == 4 * FIRST


def test_a_saved_rollout_goes_on_bit_for_bit():
    turns = [Turn([1.0, 2.0], [3.0, 4.0], [0], [1], final=[0.0, 2.0]), Turn([5.0, 6.0], [7.0, 8.0])]
    one = noted(HALF, HALF.init({}, np.zeros(0)), 0, turns[0])
    other = saved(one)
    closed = [HALF.close(noted(HALF, state, 1, turns[1]), np.ones(2))[1] for state in (one, other)]
    assert same(*map(saved, closed))


def slow(rule, turns, last):
    """The sums written out, one environment and one opening step after another."""
    found = []
    for env, last_value in enumerate(last):
        errors, ends = [], []
        for number, turn in enumerate(turns):
            following = turns[number + 1].values[env] if number + 1 < len(turns) else last_value
            if env in turn.truncated:
                following = turn.final[env]
            if env in turn.terminated:
                following = 0.0
            errors.append(turn.rewards[env] + rule.discount * following - turn.values[env])
            ends.append(env in turn.terminated or env in turn.truncated)
        row = []
        for start in range(len(turns)):
            total, fade = 0.0, 1.0
            for error, ended in zip(errors[start:], ends[start:], strict=True):
                total += fade * error
                fade *= rule.discount * rule.gae_lambda
                if ended:
                    break
            row.append(total)
        found.append(row)
    return found


NUMBERS = st.integers(-4, 4).map(float)
SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def histories(draw):
    count, length = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    row, some = st.lists(NUMBERS, min_size=count, max_size=count), st.lists(st.integers(0, count - 1), max_size=1)
    turns = [Turn(draw(row), draw(row), draw(some), draw(some), draw(row)) for _ in range(length)]
    return turns, draw(row)


@given(histories(), SHARES, SHARES)
def test_as_the_slow_twin(history, discount, gae_lambda):
    rule = Advantages(discount, gae_lambda)
    assert advantages(rule, *history) == slow(rule, *history)  # powers of a half and whole numbers: exact


@given(histories(), SHARES)
def test_with_lambda_one_they_are_discounted_returns_minus_values(history, discount):
    turns, last = history
    found = advantages(Advantages(discount, 1.0), turns, last)
    for env, follows in enumerate(last):
        rest = follows
        for number in range(len(turns) - 1, -1, -1):
            turn = turns[number]
            if env in turn.truncated:
                rest = turn.final[env]
            if env in turn.terminated:
                rest = 0.0
            rest = turn.rewards[env] + discount * rest
            assert found[env][number] == rest - turn.values[env]


@given(histories(), SHARES)
def test_with_lambda_zero_they_are_one_step_errors(history, discount):
    """So the advantage of a step depends on that step only, whatever comes after the next value."""
    turns, last = history
    whole = advantages(Advantages(discount, 0.0), turns, last)
    for number, turn in enumerate(turns):
        following = turns[number + 1].values if number + 1 < len(turns) else last
        alone = advantages(Advantages(discount, 0.0), [turn], following)
        assert [row[number] for row in whole] == [row[0] for row in alone]


@given(histories())
def test_environments_are_worked_out_apart(history):
    turns, last = history
    together = advantages(HALF, turns, last)
    for env in range(len(last)):
        alone = [
            Turn(
                turn.rewards[env : env + 1],
                turn.values[env : env + 1],
                [0] if env in turn.terminated else [],
                [0] if env in turn.truncated else [],
                turn.final[env : env + 1],
            )
            for turn in turns
        ]
        assert advantages(HALF, alone, last[env : env + 1]) == [together[env]]


@given(histories(), SHARES, SHARES)
def test_a_return_is_the_advantage_and_the_value(history, discount, gae_lambda):
    columns = rollout(Advantages(discount, gae_lambda), *history)
    assert columns["return"].tolist() == (columns["advantage"] + columns["value"]).tolist()
