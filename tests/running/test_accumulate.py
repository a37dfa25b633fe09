"""From steps to transitions: by hand, as laws, and against a plain double loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.running.accumulate import NStep
from coachcore.types import Step

GAMMA = 0.5


def step(number, rewards, terminated=(), truncated=()):
    """Step `number` of some environments: they see ``100 * environment + number``, then one more; action likewise."""
    envs = np.arange(len(rewards))
    before = {"o": (100.0 * envs + number)[:, None]}
    flags = [np.isin(envs, ended) for ended in (terminated, truncated)]
    after = Step({"o": (100.0 * envs + number + 1)[:, None]}, np.asarray(rewards, float), *flags)
    return before, 100 * envs + number, np.asarray(rewards, float), after


def fed(rule, steps):
    """All transitions as (environment's observation, action, reward, discount, next observation)."""
    before, actions, *_ = steps[0]
    state, found = rule.init(before, actions), []
    for each in steps:
        state, columns = rule(state, *each)
        if columns is not None:
            assert {len(column) for column in columns.values()} == {len(columns["reward"])}
            names = ("obs.o", "action", "reward", "discount", "next_obs.o")
            found += list(zip(*(np.ravel(columns[name]).tolist() for name in names), strict=True))
    return found


def test_one_step_by_hand():
    found = fed(NStep(1, GAMMA), [step(0, [1, 2]), step(1, [3, 4], terminated=[0], truncated=[1])])
    assert found == [
        (0, 0, 1, 0.5, 1),
        (100, 100, 2, 0.5, 101),
        (1, 1, 3, 0.0, 2),  # terminal: no bootstrap
        (101, 101, 4, 0.5, 102),  # truncated: as usual
    ]


def test_both_flags_at_once_mean_terminal():
    assert fed(NStep(1, GAMMA), [step(0, [1], [0], [0])]) == [(0, 0, 1, 0.0, 1)]
    assert fed(NStep(3, GAMMA), [step(0, [1], [0], [0])]) == [(0, 0, 1, 0.0, 1)]


def test_three_steps_and_a_terminal_end_by_hand():
    rewards = [1, 2, 4, 8]
    found = fed(NStep(3, GAMMA), [step(t, [r], terminated=[0] * (t == 3)) for t, r in enumerate(rewards)])
    assert found == [
        (0, 0, 1 + 0.5 * 2 + 0.25 * 4, 0.125, 3),
        (1, 1, 2 + 0.5 * 4 + 0.25 * 8, 0.0, 4),
        (2, 2, 4 + 0.5 * 8, 0.0, 4),
        (3, 3, 8, 0.0, 4),
    ]


def test_three_steps_and_a_truncated_end_by_hand():
    found = fed(NStep(3, GAMMA), [step(0, [1]), step(1, [2], truncated=[0])])
    assert found == [
        (0, 0, 2.0, 0.25, 2),  # two steps joined: gamma squared
        (1, 1, 2.0, 0.5, 2),
    ]


def test_nothing_passes_from_one_episode_to_the_next():
    found = fed(NStep(2, GAMMA), [step(0, [1], terminated=[0]), step(1, [10]), step(2, [20])])
    assert found == [(0, 0, 1, 0.0, 1), (1, 1, 20.0, 0.25, 3)]


def test_environments_that_end_at_different_times():
    steps = [step(0, [1, 1, 1]), step(1, [2, 2, 2], terminated=[1]), step(2, [4, 4, 4], truncated=[2])]
    assert sorted(fed(NStep(2, GAMMA), steps)) == [
        (0, 0, 2.0, 0.25, 2),
        (1, 1, 4.0, 0.25, 3),
        (100, 100, 2.0, 0.0, 102),
        (101, 101, 2.0, 0.0, 102),
        (200, 200, 2.0, 0.25, 202),
        (201, 201, 4.0, 0.25, 203),
        (202, 202, 4.0, 0.5, 203),
    ]


def test_a_window_that_is_not_full_gives_nothing():
    rule = NStep(3, GAMMA)
    before, actions, rewards, after = step(0, [1, 1])
    state, columns = rule(rule.init(before, actions), before, actions, rewards, after)
    assert columns is None
    assert state["count"].tolist() == [1, 1]


def test_what_is_handed_in_stays():
    rule = NStep(2, GAMMA)
    before, actions, rewards, after = step(0, [1, 1])
    state = rule.init(before, actions)
    before["o"].flags.writeable = actions.flags.writeable = rewards.flags.writeable = False
    for _ in range(3):
        state, _ = rule(state, before, actions, rewards, after)
    rewards.flags.writeable = True
    rewards[:] = 99.0
    assert state["reward"].tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("n", [1, 3])
def test_dtypes_and_shapes_stay(n):
    before = {"image": np.zeros((2, 4, 4), np.uint8), "speed": np.zeros((2,), np.float32)}
    after = Step(before, np.zeros(2), np.ones(2, bool), np.zeros(2, bool))
    actions = np.zeros((2, 3), np.float32)
    rule = NStep(n, GAMMA)
    _, columns = rule(rule.init(before, actions), before, actions, np.zeros(2), after)
    assert {name: (column.dtype.name, column.shape) for name, column in columns.items()} == {
        "obs.image": ("uint8", (2, 4, 4)),
        "obs.speed": ("float32", (2,)),
        "action": ("float32", (2, 3)),
        "reward": ("float64", (2,)),
        "discount": ("float64", (2,)),
        "next_obs.image": ("uint8", (2, 4, 4)),
        "next_obs.speed": ("float32", (2,)),
    }


def slow(n, gamma, steps):
    """The same, one environment and one opening step after another."""
    found = []
    for env in range(len(steps[0][1])):
        episode = []
        for number, (before, actions, rewards, after) in enumerate(steps):
            terminated, ended = after.terminated[env], after.terminated[env] or after.truncated[env]
            episode.append((before["o"][env, 0], actions[env], rewards[env]))
            last = number == len(steps) - 1
            if not (ended or last):
                continue
            for opened in range(len(episode)):
                joined = episode[opened : opened + n]
                if len(joined) < n and not ended:
                    continue  # still open
                total = sum(gamma**k * reward for k, (_, _, reward) in enumerate(joined))
                follows = episode[opened + n][0] if opened + n < len(episode) else after.obs["o"][env, 0]
                cut = terminated and opened + len(joined) == len(episode)
                discount = 0.0 if cut else gamma ** len(joined)
                found.append((float(episode[opened][0]), int(episode[opened][1]), total, discount, float(follows)))
            episode = []
    return found


@st.composite
def histories(draw):
    count, length = draw(st.integers(1, 3)), draw(st.integers(1, 12))
    ends = st.lists(st.integers(0, count - 1), max_size=1)
    rewards = st.lists(st.integers(-4, 4), min_size=count, max_size=count)
    return [step(t, draw(rewards), draw(ends), draw(ends)) for t in range(length)]


@given(histories(), st.integers(1, 5))
def test_as_the_slow_twin(steps, n):
    assert sorted(fed(NStep(n, GAMMA), steps)) == sorted(slow(n, GAMMA, steps))  # a half and whole numbers: exact


@given(histories(), st.integers(1, 5))
def test_every_step_opens_exactly_one_transition(steps, n):
    before, actions, rewards, after = steps[-1]
    everyone = np.ones(len(actions), bool)
    closed = [*steps[:-1], (before, actions, rewards, after._replace(truncated=everyone))]
    opened = [action for _, action, *_ in fed(NStep(n, GAMMA), closed)]
    assert sorted(opened) == sorted(np.concatenate([each[1] for each in closed]).tolist())


@given(histories(), st.integers(1, 20))
def test_undiscounted_openings_sum_to_what_is_left_of_the_episode(steps, extra):
    """With gamma 1 and a window longer than any episode, a reward is the rest of the return."""
    before, actions, rewards, after = steps[-1]
    closed = [*steps[:-1], (before, actions, rewards, after._replace(terminated=np.ones(len(actions), bool)))]
    found = {action: reward for _, action, reward, *_ in fed(NStep(len(steps) + extra, 1.0), closed)}
    for env in range(len(actions)):
        rest = 0.0
        for _, taken, given_rewards, ending in reversed(closed):
            rest = given_rewards[env] + (0.0 if ending.terminated[env] or ending.truncated[env] else rest)
            assert found[taken[env]] == rest


def lost(number, env):
    """Step `number` of two environments, of which `env` never made it: it shows what it showed before."""
    before, actions, rewards, after = step(number, [7, 7], truncated=[env])
    shown = after.obs["o"].copy()
    shown[env] = before["o"][env]
    return before, actions, rewards, after._replace(obs={"o": shown}, lost=np.arange(2) == env)


def test_a_step_that_was_lost_is_no_transition_by_hand():
    assert fed(NStep(1, GAMMA), [step(0, [1, 2]), lost(1, 0)]) == [
        (0, 0, 1, 0.5, 1),
        (100, 100, 2, 0.5, 101),
        (101, 101, 7, 0.5, 102),
    ]


def test_what_led_to_a_lost_step_ends_before_it_by_hand():
    found = fed(NStep(3, GAMMA), [step(0, [1, 1]), step(1, [2, 1]), lost(2, 0), step(3, [9, 1])])
    assert [one for one in found if one[0] < 100] == [
        (0, 0, 1 + 0.5 * 2, 0.25, 2),  # what was seen last, two steps on
        (1, 1, 2, 0.5, 2),
    ]


def test_a_memory_of_episodes_hears_whose_steps_these_are_and_where_they_end():
    rule = NStep(1, GAMMA, episodes=True)
    _, columns = rule(None, *step(0, [1, 2, 3], terminated=[0], truncated=[2]))
    assert columns["env"].tolist() == [0, 1, 2]
    assert columns["ended"].tolist() == [True, False, True]
    assert "lost" not in columns
    _, columns = rule(None, *lost(1, 0))
    assert columns["lost"].tolist() == [True, False]
    assert len(columns["reward"]) == 2


@pytest.mark.parametrize("n", [1, 3])
def test_nothing_comes_of_an_episode_that_was_lost_in_its_first_step(n):
    before, actions, rewards, after = step(0, [0], truncated=[0])
    assert fed(NStep(n, GAMMA), [(before, actions, rewards, after._replace(lost=np.array([True])))]) == []
