"""Open episodes: counted, and brought back exactly from seeds and actions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.errors import BadCheckpoint
from coachcore.running.episodes import OpenEpisodes
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.types import Step


class Hasher:
    """N simulators whose number is a hash of the episode's seed and its actions; they end by chance.

    A simulator that is stepped after its end, or before a reset, is a bug in whoever drives it.
    """

    spaces = Spaces(observation={"o": Box((2,))}, action=Discrete(10))

    def __init__(self, count):
        self.count = count
        self.number = [0] * count
        self.length = [0] * count
        self.live = [False] * count

    def _shown(self, envs):
        return {"o": np.array([[self.number[env] % 1_000, self.length[env]] for env in envs], dtype=np.float64)}

    def reset(self, envs, seeds):
        for env, seed in zip(envs, seeds, strict=True):
            self.number[env], self.length[env], self.live[env] = seed * 7_919 + 1, 0, True
        return self._shown(envs)

    def step(self, actions):
        assert all(self.live), "a simulator was stepped past its end"
        ended = []
        for env, action in enumerate(actions.tolist()):
            self.number[env] = (self.number[env] * 6_364_136_223_846_793_005 + int(action) + 1_442_695) % 2**64
            self.length[env] += 1
            ended.append((self.number[env] >> 32) % 5 == 0)
            self.live[env] = not ended[-1]
        everyone = range(self.count)
        rewards = np.array([self.number[env] % 11 for env in everyone], dtype=float)
        even = np.array([self.number[env] % 2 == 0 for env in everyone])
        return Step(self._shown(everyone), rewards, np.array(ended) & even, np.array(ended) & ~even)


class Run:
    """A run in small: what the machine and the loop do with open episodes."""

    def __init__(self, count, seed):
        self.rng = np.random.default_rng(seed)
        self.environment, self.episodes = Hasher(count), OpenEpisodes(count)
        self.obs = {"o": np.zeros((count, 2))}
        self.closed = []
        self.open(np.arange(count))

    def open(self, envs):
        seeds = self.rng.integers(0, 2**31 - 1, len(envs))
        self.episodes.begin(envs, seeds)
        self.obs["o"][envs] = self.environment.reset(envs.tolist(), seeds.tolist())["o"]

    def step(self):
        actions = self.rng.integers(0, 10, self.environment.count)
        after = self.environment.step(actions)
        self.episodes.note(actions, after.reward)
        self.obs = {"o": after.obs["o"].copy()}
        ended = np.flatnonzero(after.terminated | after.truncated)
        if len(ended):
            self.closed += [(float(self.episodes.returns[env]), self.episodes.length(env)) for env in ended]
            self.open(ended)


def test_counting_by_hand():
    episodes = OpenEpisodes(2)
    episodes.begin(np.arange(2), np.array([5, 6]))
    episodes.note(np.array([1, 2]), np.array([1.0, 10.0]))
    episodes.note(np.array([3, 4]), np.array([2.0, 20.0]))
    assert (episodes.returns.tolist(), [episodes.length(env) for env in range(2)]) == ([3, 30], [2, 2])
    episodes.begin(np.array([1]), np.array([7]))
    episodes.note(np.array([5, 6]), np.array([4.0, 40.0]))
    assert (episodes.returns.tolist(), [episodes.length(env) for env in range(2)]) == ([7, 40], [3, 1])
    assert episodes.seeds.tolist() == [5, 7]
    assert episodes.starts.tolist() == [0, 2]


def test_actions_that_nobody_needs_are_forgotten():
    episodes = OpenEpisodes(2)
    episodes.begin(np.arange(2), np.array([1, 2]))
    for action in range(3):
        episodes.note(np.full(2, action), np.zeros(2))
        if action == 1:
            episodes.begin(np.array([0]), np.array([3]))
    assert [actions.tolist() for actions in episodes.played] == [[0, 0], [1, 1], [2, 2]]
    episodes.begin(np.array([1]), np.array([4]))
    assert [actions.tolist() for actions in episodes.played] == [[2, 2]]
    assert episodes.starts.tolist() == [0, 1]


@given(st.integers(1, 4), st.integers(0, 30), st.integers(0, 2**32))
def test_replay_brings_every_environment_back(count, steps, seed):
    run = Run(count, seed)
    for _ in range(steps):
        run.step()
    fresh = Hasher(count)
    shown = run.episodes.replay(fresh)
    assert np.array_equal(shown["o"], run.obs["o"])
    assert (fresh.number, fresh.length) == (run.environment.number, run.environment.length)


def test_replay_where_an_idling_environment_ends_early():
    """Environment 0 plays one long episode; 1 opened late and, idling on its new seed, ends before its turn."""
    for seed in range(200):
        run = Run(2, seed)
        for _ in range(12):
            run.step()
        starts, idler = run.episodes.starts, Hasher(2)
        idler.reset([0, 1], run.episodes.seeds.tolist())
        early = 0
        for index, actions in enumerate(run.episodes.played[: starts.max()]):
            after = idler.step(actions)
            ended = np.flatnonzero(after.terminated | after.truncated)
            early += int(any(starts[env] > index + 1 for env in ended))
            idler.reset(ended.tolist(), run.episodes.seeds[ended].tolist())
        if early and starts.max() > 3:
            break
    else:
        pytest.fail("no seed gives such a run")
    fresh = Hasher(2)
    assert np.array_equal(run.episodes.replay(fresh)["o"], run.obs["o"])
    assert fresh.number == run.environment.number


@given(st.integers(1, 3), st.integers(0, 15), st.integers(0, 2**32))
def test_a_restored_run_goes_on_as_if_never_stopped(count, steps, seed):
    run = Run(count, seed)
    for _ in range(steps):
        run.step()
    state = run.episodes.state()
    again = Run(count, 0)
    again.episodes.restore(state)
    again.environment = Hasher(count)
    again.obs = again.episodes.replay(again.environment)
    again.rng.bit_generator.state = run.rng.bit_generator.state
    run.closed, again.closed = [], []
    for _ in range(10):
        run.step()
        again.step()
    assert again.closed == run.closed
    assert np.array_equal(again.obs["o"], run.obs["o"])
    assert all(np.array_equal(again.episodes.state()[name], kept) for name, kept in run.episodes.state().items())


def test_a_state_shares_nothing_with_the_running_thing():
    episodes = OpenEpisodes(1)
    episodes.begin(np.arange(1), np.array([5]))
    state = episodes.state()
    assert state["played"].shape == (0, 1)
    episodes.note(np.array([1]), np.array([2.0]))
    assert state["returns"].tolist() == [0.0]
    again = OpenEpisodes(1)
    again.restore(state)
    again.note(np.array([1]), np.array([2.0]))
    assert (state["returns"].tolist(), state["starts"].tolist()) == ([0.0], [0])


def test_another_number_of_environments_is_refused():
    with pytest.raises(BadCheckpoint, match="it holds 3 environments, the preset asks for 2"):
        OpenEpisodes(2).restore(OpenEpisodes(3).state())
