"""Steps joined in the memory against a plain loop over whole episodes, and whole returns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coachcore.api import BadCheckpoint, BadSetting, Box, Column, Discrete, Layout, Spaces

GAMMA = 0.5
SEEN = {"bytes": Box((2,), 0, 255, "uint8"), "o": Box((2,)), "picture": Box((1, 2, 2), 0, 255, "uint8")}
LAYOUT = Layout.of(Spaces(SEEN, Discrete(2)))


def seen(values):
    """Observations that tell a number each ``[M]``."""
    return {
        "o": np.stack([values, -values], 1).astype(float),
        "bytes": np.repeat(values, 2).reshape(-1, 2).astype(np.uint8),
        "picture": np.repeat(values, 4).reshape(-1, 1, 2, 2).astype(np.uint8),
    }


class Player:
    """`count` environments that count their steps; every reward is a power of two of its own."""

    def __init__(self, count, lengths):
        self.count, self.lengths, self.time = count, lengths, [0] * count
        self.episode, self.number = [0] * count, 0
        self.told = {}  # number of a step -> env, episode, reward, discount, what follows

    def step(self, env):
        number, self.number = self.number, self.number + 1
        length = self.lengths[(env + self.episode[env]) % len(self.lengths)]
        last = self.time[env] == length - 1
        over = last and length % 2 == 0  # other episodes are truncated
        row = env, self.episode[env], float(number % 7 + 1), 0.0 if over else GAMMA, number + 100
        self.told[number] = row
        self.time[env] = 0 if last else self.time[env] + 1
        self.episode[env] += last
        return number, env, last, row

    def columns(self, envs):
        steps = [self.step(env) for env in envs]
        numbers = np.array([number for number, *_ in steps])
        return {
            **{f"obs.{name}": values for name, values in seen(numbers).items()},
            **{f"next_obs.{name}": values for name, values in seen(numbers + 100).items()},
            "action": numbers % 2,
            "reward": np.array([row[2] for *_, row in steps]),
            "discount": np.array([row[3] for *_, row in steps]),
            "env": np.array([env for _, env, *_ in steps]),
            "ended": np.array([last for _, _, last, _ in steps]),
        }

    def joined(self, number, n):
        """Reward, discount and what follows of step `number`, joined with at most n - 1 others known so far."""
        env, episode, *_ = self.told[number]
        steps = [row for at, row in sorted(self.told.items()) if at >= number and row[:2] == (env, episode)][:n]
        reward = sum(GAMMA**k * row[2] for k, row in enumerate(steps))
        return reward, GAMMA ** (len(steps) - 1) * steps[-1][3], steps[-1][4]


def drawn(store, layout, rows):
    """What is held in `rows`, by column."""
    packed, apart = store.ring.packed(rows), store.ring.apart(rows)
    columns = {name: packed[..., where] for name, where in layout.packed.items()}
    return {**columns, **{name: np.asarray(part) for name, part in apart.items()}}


@st.composite
def plays(draw):
    count = draw(st.integers(1, 3))
    adds = draw(st.lists(st.integers(1, 6), min_size=1, max_size=12))
    order = [list(range(count)) if n < 4 else [draw(st.integers(0, count - 1))] * n for n in adds]
    return count, order, draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)), draw(st.integers(1, 4))


@given(plays(), st.integers(4, 40))
@settings(max_examples=150)
def test_as_the_slow_twin(play, capacity):
    """Also at the ends of episodes, in those still open, across the ring's end, and of pictures."""
    count, adds, lengths, n = play
    player = Player(count, lengths)
    store = EpisodicExperienceReplay(capacity=capacity).make(LAYOUT, count, n_step=n, discount=GAMMA)
    for envs in adds:
        store.add(player.columns(envs))
        held = np.arange(max(0, player.number - capacity), player.number)
        found = drawn(store, LAYOUT, held % capacity)
        for place, number in enumerate(held.tolist()):
            reward, discount, follows = player.joined(number, n)
            assert found["obs.o"][place].tolist() == [number, -number]
            assert found["reward"][place, 0] == reward
            assert found["discount"][place, 0] == np.float32(discount)
            assert found["next_obs.o"][place].tolist() == [follows, -follows]
            assert found["obs.bytes"][place].tolist() == [number] * 2
            assert found["next_obs.bytes"][place].tolist() == [follows] * 2
            assert set(found["obs.picture"][place].ravel().tolist()) == {number}
            assert set(found["next_obs.picture"][place].ravel().tolist()) == {follows}


def test_by_hand():
    store = EpisodicExperienceReplay(capacity=9).make(LAYOUT, 1, n_step=3, discount=GAMMA)
    player = Player(1, [4])
    for _ in range(4):
        store.add(player.columns([0]))
    found = drawn(store, LAYOUT, np.arange(4))
    assert found["reward"].ravel().tolist() == [1 + 2 / 2 + 3 / 4, 2 + 3 / 2 + 4 / 4, 3 + 4 / 2, 4]
    assert found["discount"].ravel().tolist() == [0.125, 0, 0, 0]
    assert found["next_obs.o"][:, 0].tolist() == [102, 103, 103, 103]


WHOLE = Layout((*LAYOUT.columns, Column("return")))


@given(plays())
def test_returns_of_whole_episodes(play):
    """Only steps of episodes that have ended are drawn, and each knows what the rest of its episode paid."""
    count, adds, lengths, n = play
    player, rng = Player(count, lengths), np.random.default_rng(0)
    store = EpisodicExperienceReplay(capacity=500).make(WHOLE, count, n_step=n, discount=GAMMA)
    for envs in adds:
        store.add(player.columns(envs))
    over = [at for at, row in player.told.items() if row[1] < player.episode[row[0]]]
    if not over:
        with pytest.raises(BadSetting) as caught:
            store.sample(rng, 1, 1, 0)
        assert str(caught.value) == (
            'memory: no episode has ended yet - heat up for longer, such as heatup = "10 episodes"'
        )
        return
    rows = store.sample(rng, 20, 20, 0).rows
    assert set(rows.ravel().tolist()) <= set(over)
    found = drawn(store, WHOLE, rows)["return"][..., 0]
    for at, told in zip(rows.ravel().tolist(), found.ravel().tolist(), strict=True):
        assert told == np.float32(player.joined(at, 10**6)[0])


@pytest.mark.parametrize("turn", [True, False])
def test_a_step_that_never_happened_ends_its_episode_and_is_not_stored(turn):
    player, rng = Player(2, [9]), np.random.default_rng(0)
    store = EpisodicExperienceReplay(capacity=30).make(WHOLE, 2, n_step=2, discount=GAMMA)
    if not turn:
        store.add(player.columns([0]))
    store.add(player.columns([0, 1]))
    store.add({**player.columns([0, 1]), "lost": np.array([False, True])})
    assert len(store) == 3 + (not turn)
    gone = 1 + (not turn)  # the only step of the second environment
    assert set(store.sample(rng, 10, 10, 0).rows.ravel().tolist()) == {gone}
    assert drawn(store, WHOLE, np.array([gone]))["return"][0, 0] == player.told[gone][2]
    store.add({**player.columns([0, 1]), "lost": np.array([True, True])})  # one whose episode had not begun, too
    assert len(store) == 3 + (not turn)
    assert store.episodes.over(np.arange(len(store))).all()
    store.add(player.columns([0, 1]))
    assert store.episodes.before(store.ring.newest(2)).tolist() == [0, 0]


def test_another_number_of_steps_is_refused():
    part = EpisodicExperienceReplay(capacity=9)
    state = part.make(LAYOUT, 1, n_step=3).state()
    with pytest.raises(BadCheckpoint) as caught:
        part.make(LAYOUT, 1, n_step=2).restore(state)
    assert str(caught.value) == "memory: steps of n_step = 3 were saved - set agent.n_step to it, not 2"
