"""Episodes lived through once more with other goals: by hand, against a plain loop, and what is left untouched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_memories.episodic_hindsight_experience_replay import EpisodicHindsightExperienceReplay
from coach_memories.episodic_hrl_hindsight_experience_replay import EpisodicHRLHindsightExperienceReplay
from coach_memories.goals import Goals
from coachcore.api import BadSetting, Box, Discrete, Layout, Mismatch, Spaces

GAMMA = 0.5
SEEN = {name: Box((2,)) for name in ("achieved_goal", "desired_goal", "observation")}
LAYOUT = Layout.of(Spaces(SEEN, Discrete(3)))
UPPER = Layout.of(Spaces(SEEN, Box((2,), -1.0, 1.0)))
COPIES = 4


def episode(length, first=0, *, over=False, aim=(-1.0, -1.0), ended=True, actions=1):
    """`length` steps that achieve (first, 0), (first + 1, 0) ...; the last one is terminal if it is `over`."""
    at = np.stack([np.arange(first, first + length + 1.0), np.zeros(length + 1)], axis=1)
    goal = np.tile(np.array(aim), (length, 1))
    discount = np.full(length, GAMMA)
    discount[-1] = 0.0 if over else GAMMA
    done = np.arange(length) % 3 if actions == 1 else np.full((length, 2), 0.5)
    return {
        **{f"obs.{name}": at[:-1] for name in ("achieved_goal", "observation")},
        **{f"next_obs.{name}": at[1:] for name in ("achieved_goal", "observation")},
        "obs.desired_goal": goal,
        "next_obs.desired_goal": goal,
        "action": done,
        "reward": np.full(length, -1.0) - np.arange(length),
        "discount": discount,
        "env": np.zeros(length, np.int64),
        "ended": np.arange(length) == (length - 1 if ended else -1),
    }


def made(n_step=1, capacity=10_000, layout=LAYOUT, part=EpisodicHindsightExperienceReplay, **settings):
    return part(capacity=capacity, **settings).make(layout, 1, n_step=n_step, discount=GAMMA)


def held(store, layout=LAYOUT):
    """All rows as columns, the steps first, in the order in which they were stored."""
    packed = store.ring.packed(store.ring.newest(store.ring.filled))
    return {name: packed[:, where] for name, where in layout.packed.items()}


def copies(store, layout=LAYOUT):
    """The copies only."""
    mine = store.episodes.order.lanes() == store.episodes.count
    return {name: values[mine] for name, values in held(store, layout).items()}


def test_every_step_is_copied_with_goals_reached_then_or_later():
    """Andrychowicz et al.: 10 steps, future, k = 4; the old memory left the last step out and had 46, not 50."""
    store = made(goals="future")
    store.add(episode(10))
    assert len(store) == 10 + COPIES * 10
    found = copies(store)
    at, goal = found["obs.achieved_goal"][:, 0], found["obs.desired_goal"][:, 0]
    assert np.all(goal > at)
    assert np.all(goal <= 10)
    assert len(set(zip(at.tolist(), goal.tolist(), strict=True))) > 20
    reached = goal == at + 1
    assert reached.any()
    assert found["reward"].ravel().tolist() == np.where(reached, 0.0, -1.0).tolist()
    assert found["discount"].ravel().tolist() == np.where(reached, 0.0, GAMMA).tolist()  # reached: over
    assert np.array_equal(found["next_obs.desired_goal"], found["obs.desired_goal"])


def test_other_goals():
    final = made(goals="final")
    final.add(episode(5))
    assert set(copies(final)["obs.desired_goal"][:, 0].tolist()) == {5.0}
    whole = made(goals="episode", hindsight=30)
    whole.add(episode(5, first=10))
    assert set(copies(whole)["obs.desired_goal"][:, 0].tolist()) == {11.0, 12.0, 13.0, 14.0, 15.0}
    anything = made(goals="random", hindsight=30)
    anything.add(episode(3))
    anything.add(episode(3, first=50))
    drawn = set(copies(anything)["obs.desired_goal"][90:, 0].tolist())
    assert {1.0, 2.0, 3.0} < drawn <= {1.0, 2.0, 3.0, 51.0, 52.0, 53.0}


@pytest.mark.parametrize("goals", ["future", "final", "episode", "random"])
def test_the_steps_themselves_stay_as_they_were(goals):
    """The old memory put copies into the episode, and so into its returns."""
    plain, store = made(hindsight=0), made(goals=goals)
    for columns in (episode(6, over=True), episode(4, first=20, ended=False)):
        plain.add(columns)
        store.add(columns)
    mine = store.episodes.order.lanes() == 0
    wanted = held(plain)
    assert len(plain) == 10
    for name, values in held(store).items():
        assert np.array_equal(values[mine], wanted[name]), name


def slow(store, columns, n):
    """What each copy's reward and discount should be, in a plain loop over its goal and what its episode achieved."""
    there = columns["next_obs.achieved_goal"]
    for row in range(len(there) * COPIES):
        step, goal = row // COPIES, copies(store)["obs.desired_goal"][row]
        reward, discount = 0.0, 1.0
        for later in range(step, min(step + n, len(there))):
            hit = bool(np.linalg.norm(there[later] - goal) <= 0.05)
            reward += discount * (0.0 if hit else -1.0)
            discount *= GAMMA
            if hit:
                discount = 0.0
                break
            if later == len(there) - 1 and columns["discount"][-1] == 0.0:
                own = np.linalg.norm(there[-1] - columns["obs.desired_goal"][-1]) <= 0.05
                discount = discount if own else 0.0
        yield reward, discount


@given(st.integers(1, 6), st.integers(1, 4), st.booleans(), st.booleans(), st.sampled_from(["future", "episode"]))
def test_as_the_slow_twin(length, n, over, own, goals):
    """Joint rewards stop at the goal; a task that was over for another reason than its goal stays over."""
    columns = episode(length, over=over, aim=(float(length), 0.0) if own else (-1.0, -1.0))
    store = made(n, goals=goals)
    store.add(columns)
    found = copies(store)
    for row, (reward, discount) in enumerate(slow(store, columns, n)):
        assert found["reward"][row, 0] == pytest.approx(reward)
        assert found["discount"][row, 0] == np.float32(discount)


def test_where_reaching_a_goal_does_not_end_the_task():
    store = made(goals="final", ends=False)
    store.add(episode(3))
    assert copies(store)["discount"].ravel().tolist() == [GAMMA] * 12
    assert copies(store)["reward"].ravel().tolist() == [-1.0] * 8 + [0.0] * 4
    joined = made(3, goals="final", ends=False)
    joined.add(episode(3))
    assert copies(joined)["discount"][::4, 0].tolist() == [0.125, 0.25, 0.5]
    assert copies(joined)["reward"][::4, 0].tolist() == [-1.5, -1.0, 0.0]


def test_inverse_distance():
    store = made(goals="final", reward="inverse-distance", max_reward=2.0, threshold=1.0, hindsight=1)
    store.add(episode(4))
    found = copies(store)
    assert found["reward"].ravel().tolist() == pytest.approx([1 / 3, 1 / 2, 1.0, 2.0])
    assert found["discount"].ravel().tolist() == [GAMMA, GAMMA, 0.0, 0.0]


def test_an_episode_whose_first_steps_are_gone_and_one_larger_than_the_memory():
    store = made(capacity=8, hindsight=1)
    store.add(episode(6, ended=False))
    store.add(episode(4, first=6))  # ten steps, eight of them held, and eight copies drive them out
    assert len(store) == 8
    assert np.all(store.episodes.order.lanes() == 1)
    assert np.all(held(store)["obs.achieved_goal"][:, 0] >= 2)
    store.add(episode(2))
    assert len(store) == 8
    large = made(capacity=8, hindsight=3)
    large.add(episode(20))
    assert len(large) == 8


def test_pictures_of_copies_are_stored_once():
    seen = {**SEEN, "camera": Box((3, 3, 1), 0, 255, "uint8")}
    store = made(layout=Layout.of(Spaces(seen, Discrete(3))))
    frames = np.random.default_rng(0).integers(0, 256, (7, 3, 3, 1), np.uint8)
    store.add({**episode(6), "obs.camera": frames[:-1], "next_obs.camera": frames[1:]})
    planes = store.ring._pictures["camera"]
    assert len(planes._uses) - 1 == 7
    rows = np.arange(len(store))
    assert np.array_equal(store.ring.apart(rows)["obs.camera"], frames[np.r_[:6, np.repeat(np.arange(6), 4)]])


def test_levels_that_act_by_goals():
    """Levy et al.: what the lower level did achieve as the action; the episode that was stored keeps its actions."""
    store = made(layout=UPPER, part=EpisodicHRLHindsightExperienceReplay, goals="final", hindsight=2)
    store.add(episode(3, actions=2))
    everything = held(store, UPPER)
    actions = everything["action"]
    assert len(store) == 3 + 3 + 6 + 6
    assert np.all(actions[:3] == 0.5)  # as they were
    assert actions[3:6].tolist() == [[1, 0], [2, 0], [3, 0]]  # the episode once more
    assert np.all(actions[6:12] == 0.5)
    assert actions[12:].tolist() == [[1, 0], [1, 0], [2, 0], [2, 0], [3, 0], [3, 0]]
    assert everything["reward"][3:6].tolist() == everything["reward"][:3].tolist()
    assert everything["obs.desired_goal"][3:6].tolist() == everything["obs.desired_goal"][:3].tolist()
    assert set(everything["obs.desired_goal"][6:, 0].tolist()) == {3.0}


@pytest.mark.parametrize("part", [EpisodicHindsightExperienceReplay, EpisodicHRLHindsightExperienceReplay])
def test_restored_it_goes_on_bit_for_bit(part):
    layout = UPPER if part is EpisodicHRLHindsightExperienceReplay else LAYOUT
    one, other = (made(2, 60, layout, part, hindsight=2) for _ in range(2))
    actions = 2 if layout is UPPER else 1
    other.add(episode(4, actions=actions))
    one.add(episode(9, actions=actions))
    one.add(episode(5, first=30, ended=False, actions=actions))
    other.restore(one.state())
    for store in (one, other):
        store.add(episode(3, first=35, actions=actions))
    mine, its = held(one, layout), held(other, layout)
    assert all(np.array_equal(mine[name], its[name]) for name in mine)
    a, b = (store.sample(np.random.default_rng(0), 2, 8, 0).packed for store in (one, other))
    assert np.array_equal(a, b)


def test_what_does_not_fit_is_refused():
    plain = Layout.of(Spaces({"observation": Box((4,))}, Discrete(2)))
    with pytest.raises(Mismatch) as caught:
        made(layout=plain)
    assert str(caught.value) == (
        "memory.goal: there is no observation 'desired_goal' of numbers, which goals are made of - known: observation"
    )
    with pytest.raises(Mismatch) as caught:
        made(achieved="achived_goal")
    assert str(caught.value) == (
        "memory.achieved: there is no observation 'achived_goal' of numbers, which goals are made of - "
        "did you mean 'achieved_goal'? known: achieved_goal, desired_goal, observation"
    )
    uneven = Layout.of(Spaces({**SEEN, "achieved_goal": Box((3,))}, Discrete(3)))
    with pytest.raises(Mismatch) as caught:
        made(layout=uneven)
    assert str(caught.value) == (
        "memory: 'desired_goal' has 2 numbers, 'achieved_goal' has 3 - "
        "what is achieved must be of the kind that is aimed at"
    )
    with pytest.raises(Mismatch) as caught:
        made(part=EpisodicHRLHindsightExperienceReplay)
    assert str(caught.value) == (
        "memory: 'action' has 1 numbers, 'achieved_goal' has 2 - what is achieved must be of the kind that is aimed at"
    )
    with pytest.raises(Mismatch, match="memory: 'episodic-hindsight-experience-replay' draws single transitions"):
        EpisodicHindsightExperienceReplay().make(LAYOUT, 1, 4)


POINTS = np.array([[3.0, 4.0], [0.0, 0.0], [3.0, 0.1]])


@pytest.mark.parametrize(
    ("distance", "wanted"),
    [
        ("euclidean", [4.0, 3.0, 0.1]),
        ("manhattan", [4.0, 3.0, 0.1]),
        ("chebyshev", [4.0, 3.0, 0.1]),
        ("cosine", [1 - 3 / 5, 1.0, 1 - 3 / np.hypot(3, 0.1)]),
    ],
)
def test_distances(distance, wanted):
    reward, _ = Goals(distance=distance, reward="inverse-distance", max_reward=1e9)(POINTS, np.array([3.0, 0.0]))
    assert (1 / reward).tolist() == pytest.approx(wanted, abs=1e-6)


def test_distances_that_differ():
    there, goal = np.array([1.0, 2.0]), np.array([4.0, 6.0])
    told = {
        name: 1 / Goals(distance=name, reward="inverse-distance", max_reward=1e9)(there, goal)[0]
        for name in ("euclidean", "manhattan", "chebyshev", "componentwise")
    }
    assert told == pytest.approx({"euclidean": 5.0, "manhattan": 7.0, "chebyshev": 4.0, "componentwise": 4.0})


def test_every_component_by_itself():
    goals = Goals(distance="componentwise", threshold=(5.0, 0.5))
    reward, reached = goals(POINTS, np.array([3.0, 0.0]))
    assert reached.tolist() == [False, True, True]
    assert reward.tolist() == [-1.0, 0.0, 0.0]


def test_several_thresholds_of_one_distance():
    with pytest.raises(BadSetting) as caught:
        EpisodicHindsightExperienceReplay(threshold=(1.0, 2.0))
    assert str(caught.value) == (
        "threshold: 2 numbers, but the distance 'euclidean' is one - give one, or use 'componentwise'"
    )
