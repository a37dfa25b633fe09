"""Filters in a row: order, spaces, and what stands still in evaluation."""

from __future__ import annotations

import re

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.contracts.experiment import Filters
from coachcore.errors import Mismatch
from coachcore.layout import Layout
from coachcore.running.pipeline import Pipelines
from coachcore.spaces import Attention, Box, Compound, Discrete, MultiSelect, Spaces
from coachcore.types import Rows, Sample

ROWS = Rows(np.arange(2), first=False)
SPACES = Spaces(observation={"o": Box((1,), 0, 10), "p": Box((1,), 0, 10)}, action=Box((1,), 0, 10))


@component("filter", "toy-add", acts_on="observation")
@attrs.frozen(kw_only=True)
class Add:
    """Adds a constant, and counts the values it has seen."""

    amount: float = param(doc="what is added", default=1.0)
    stored: bool = param(doc="false: memory keeps what came in", default=True)

    def space(self, before):
        return Box(before.shape, before.low + self.amount, before.high + self.amount)

    def init(self, before, count):
        return {"seen": 0, "low": float(before.low.min()), "count": count}

    def __call__(self, state, values, rows):
        seen = state["seen"] + (0 if rows.evaluating else len(values))
        return {**state, "seen": seen}, values + self.amount


@component("filter", "toy-times", acts_on="observation", episodic=True)
@attrs.frozen(kw_only=True)
class Times:
    """Multiplies, and remembers the last values, as frame stacking would."""

    factor: float = param(doc="by how much", default=2.0)

    def space(self, before):
        return Box(before.shape, before.low * self.factor, before.high * self.factor)

    def init(self, before, count):
        return np.zeros(count)

    def __call__(self, state, values, rows):
        moved = state.copy()
        moved[rows.envs] = values[:, 0]
        return moved, values * self.factor


@component("filter", "toy-to-discrete", acts_on="reward")
@attrs.frozen(kw_only=True)
class ToDiscrete:
    """What no reward may become."""

    def space(self, before):
        return Discrete(2)

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        return state, values


def bound(**kinds):
    pipelines = Pipelines.of(Filters(**kinds), SPACES)
    return pipelines, pipelines.init(2)


def values(*numbers):
    return np.array(numbers, dtype=float)[:, None]


def test_observations_meet_the_filters_in_their_order():
    pipelines, states = bound(observation={"o": (Add(amount=1), Times(factor=10))})
    seen = pipelines.observe(states, {"o": values(1, 2), "p": values(5, 6)}, ROWS)
    assert seen["o"].ravel().tolist() == [20, 30]
    assert seen["p"].ravel().tolist() == [5, 6]
    assert pipelines.spaces.observation["o"] == Box((1,), 10, 110)
    assert pipelines.spaces.observation["p"] == SPACES.observation["p"]
    assert pipelines.raw is SPACES


def test_each_filter_is_bound_to_the_space_before_it():
    _, states = bound(observation={"o": (Add(amount=3), Add(amount=1))})
    assert [state["low"] for state in states["observation"]["o"]] == [0.0, 3.0]
    assert [state["count"] for state in states["observation"]["o"]] == [2, 2]


def test_actions_meet_them_the_other_way_round():
    """Listed environment first: the agent sees the last one's space, and its action passes that one first."""
    pipelines, states = bound(action=(Add(amount=1), Times(factor=10)))
    assert pipelines.spaces.action == Box((1,), 10, 110)
    assert pipelines.applied(states, values(11, 12), ROWS).ravel().tolist() == [111, 121]  # times 10, then plus 1
    assert states["action"][0].tolist() == [11, 12]
    assert states["action"][1]["seen"] == 2


def test_rewards_pass_too():
    pipelines, states = bound(reward=(Add(amount=5),))
    assert pipelines.rewarded(states, np.array([1.0, 2.0]), ROWS).tolist() == [6, 7]
    assert states["reward"][0]["seen"] == 2


def test_evaluation_freezes_what_lasts_and_moves_what_is_episodic():
    pipelines, states = bound(observation={"o": (Add(), Times())}, action=(Add(), Times()))
    pipelines.observe(states, {"o": values(1, 2)}, ROWS, evaluating=True)
    pipelines.applied(states, values(3, 4), ROWS, evaluating=True)
    assert states["observation"]["o"][0]["seen"] == 0
    assert states["observation"]["o"][1].tolist() == [2, 3]
    assert states["action"][0].tolist() == [3, 4]
    assert states["action"][1]["seen"] == 0
    pipelines.observe(states, {"o": values(1, 2)}, ROWS)
    assert states["observation"]["o"][0]["seen"] == 2


def test_only_the_rows_that_came_move():
    pipelines, states = bound(observation={"o": (Times(),)})
    seen = pipelines.observe(states, {"o": values(7)}, Rows(np.array([1]), first=True))
    assert seen["o"].ravel().tolist() == [14]
    assert states["observation"]["o"][0].tolist() == [0, 7]


def test_without_filters_the_very_same_things_come_back():
    pipelines, states = bound(observation={"o": ()})
    obs, rewards, actions = {"o": values(1, 2)}, np.zeros(2), values(1, 2)
    assert pipelines.observe(states, obs, ROWS) is obs
    assert pipelines.rewarded(states, rewards, ROWS) is rewards
    assert np.array_equal(pipelines.applied(states, actions, ROWS), actions)
    assert pipelines.spaces == SPACES
    assert states == {"observation": {}, "shown": {}, "reward": [], "action": []}


def test_a_box_of_actions_is_cut_off_at_its_edges():
    pipelines, states = bound()
    assert pipelines.applied(states, values(-3, 12), ROWS).ravel().tolist() == [0, 10]


def test_an_agent_may_ask_for_units():
    pipelines = Pipelines.of(Filters(), SPACES, unit=True)
    assert pipelines.spaces.action == Box((1,), -1, 1)
    states = pipelines.init(2)
    assert pipelines.applied(states, values(-1, 1), ROWS).ravel().tolist() == [0, 10]
    assert pipelines.applied(states, values(0, 7), ROWS).ravel().tolist() == [5, 10]


def test_units_need_bounds():
    open_sided = Spaces(observation=SPACES.observation, action=Box((1,), 0, np.inf))
    with pytest.raises(Mismatch, match=r"filters\.action: the agent needs actions with finite bounds"):
        Pipelines.of(Filters(), open_sided, unit=True)


def test_what_is_handed_in_is_not_changed():
    pipelines, states = bound(observation={"o": (Add(),)})
    obs = {"o": values(1, 2)}
    pipelines.observe(states, obs, ROWS)
    assert obs["o"].ravel().tolist() == [1, 2]


def test_an_observation_that_is_not_there():
    with pytest.raises(Mismatch, match=r"^filters: no observation is called 'q'; there is o, p$"):
        Pipelines.of(Filters(observation={"q": (Add(),)}), SPACES)


def test_rewards_stay_numbers():
    with pytest.raises(Mismatch, match=r"filters\.reward: a reward filter must leave rewards in a box"):
        Pipelines.of(Filters(reward=(ToDiscrete(),)), SPACES)


# stored = false: done to what memory keeps, each time that the network is shown it


def test_what_is_not_stored_is_done_before_the_network_only():
    pipelines, states = bound(observation={"o": (Times(factor=2.0), Add(amount=1.0, stored=False))})
    kept = pipelines.observe(states, {"o": values(3, 4), "p": values(5, 6)}, ROWS)
    assert kept["o"].ravel().tolist() == [6, 8]
    shown = pipelines.show(states, kept)
    assert shown["o"].ravel().tolist() == [7, 9]
    assert shown["p"] is kept["p"]
    assert kept["o"].ravel().tolist() == [6, 8]
    assert states["shown"]["o"][0]["seen"] == 2  # taught by what is observed, not by what is shown
    assert pipelines.spaces.observation["o"] == Box((1,), 1, 21)


def test_rows_that_memory_kept_are_shown_alike():
    pipelines, states = bound(observation={"o": (Add(amount=10.0, stored=False),)})
    layout = Layout.of(pipelines.spaces)
    packed = np.arange(2 * 3 * layout.width, dtype=np.float32).reshape(2, 3, -1)
    sample = Sample(np.zeros((2, 3), int), packed)
    shown = pipelines.show_sample(states, sample, layout)
    wanted = packed.copy()
    for name in ("obs.o", "next_obs.o"):
        wanted[..., layout.packed[name]] += 10
    np.testing.assert_array_equal(shown.packed, wanted)
    np.testing.assert_array_equal(packed.ravel(), np.arange(packed.size))
    assert states["shown"]["o"][0]["seen"] == 0


def test_fresh_rows_have_nothing_that_follows():
    pipelines, states = bound(observation={"o": (Add(amount=10.0, stored=False),)})
    layout = Layout.of(pipelines.spaces, fresh=True)
    sample = Sample(np.zeros((1, 1), int), np.zeros((1, 1, layout.width), np.float32))
    shown = pipelines.show_sample(states, sample, layout).packed[0, 0]
    assert shown[layout.packed["obs.o"]] == 10
    assert shown.sum() == 10


def test_where_nothing_is_shown_otherwise_nothing_is_copied():
    pipelines, states = bound(observation={"o": (Add(),)})
    obs, sample = {"o": values(1, 2)}, Sample(np.zeros((1, 1), int), np.zeros((1, 1, 6), np.float32))
    assert pipelines.show(states, obs) is obs
    assert pipelines.show_sample(states, sample, Layout.of(pipelines.spaces)) is sample


@component("filter", "toy-widen", acts_on="observation")
@attrs.frozen(kw_only=True)
class Widen:
    """Not stored, and of another shape."""

    stored: bool = False

    def space(self, before):
        return Box((2,), 0, 1)

    def __call__(self, state, values, rows):
        return state, np.repeat(values, 2, axis=-1)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (
            {"observation": {"o": (Add(stored=False), Times())}},
            "filters.o: filters with stored = false come last: what memory keeps has not passed them",
        ),
        (
            {"observation": {"o": (Widen(),)}},
            (
                "filters.o: 'toy-widen' with stored = false must leave Box((1,), 0 to 10, float32) its shape and type, "
                "got Box((2,), 0 to 1, float32)"
            ),
        ),
        (
            {"reward": (Add(stored=False),)},
            "filters: stored = false is for observations: a network is shown nothing else",
        ),
    ],
)
def test_what_cannot_stand_before_the_network_alone(kinds, said):
    with pytest.raises(Mismatch, match=f"^{re.escape(said)}$"):
        bound(**kinds)


@pytest.mark.parametrize(
    "action", [MultiSelect(2), Attention(Box((2,), 0, 9)), Compound({"turn": Discrete(3), "speed": Box((1,))})]
)
def test_actions_that_no_agent_knows_are_refused_with_the_filters_that_bridge(action):
    with pytest.raises(Mismatch) as caught:
        Pipelines.of(Filters(), attrs.evolve(SPACES, action=action))
    assert str(caught.value) == (
        f"filters.action: agents know discrete actions and boxes, these are {action} - use an action filter: "
        "'attention-discretization' for windows, 'full-discrete-map' for buttons and choices side by side, "
        "'box-discretization' where a box is among them"
    )


def promising(name, **facts):
    """A class of filters that promise a space and do nothing."""

    @component("filter", name, acts_on="observation", **facts)
    @attrs.frozen(kw_only=True)
    class Promising:
        shape: tuple[int, ...] = (8, 8, 4)
        dtype: str = "uint8"

        def space(self, before):
            return Box(self.shape, 0, 9, self.dtype)

        def init(self, before, count):
            return None

        def __call__(self, state, values, rows):
            return None, values

    return Promising


Frames, Turn = promising("toy-frames", episodic=True), promising("toy-turn")


@pytest.mark.parametrize("after", [Turn(), Turn(shape=(4, 8, 4))])
def test_what_keeps_planes_may_stand_behind_a_stack(after):
    assert Pipelines.of(Filters(observation={"o": (Frames(), after)}), SPACES).spaces.observation["o"].dtype == "uint8"


@pytest.mark.parametrize("after", [Turn(shape=(8, 4, 8)), Turn(dtype="float32"), Turn(shape=(8, 4))])
def test_what_would_break_the_planes_of_a_stack_is_refused(after):
    said = "toy-turn: behind 'toy-frames' memory would have to keep every frame again for each stack - put it before"
    with pytest.raises(Mismatch, match=f"^{said}$"):
        Pipelines.of(Filters(observation={"o": (Frames(), after)}), SPACES)


def test_what_counts_as_success_stays():
    assert Pipelines.of(Filters(), attrs.evolve(SPACES, success=0.0)).spaces.success == 0.0


@pytest.mark.parametrize("number", [1, 5, 20])
@pytest.mark.parametrize("evaluating", [False, True])
def test_a_row_of_filters_gives_what_calling_them_by_hand_gives(number, evaluating):
    rules = tuple((Add(amount=float(n)), Times(factor=1.0 + 0.01 * n))[n % 2] for n in range(number))
    pipelines, states = bound(observation={"o": rules})
    by_hand, before = [], SPACES.observation["o"]
    for rule in rules:
        by_hand.append(rule.init(before, 2))
        before = rule.space(before)
    rows = ROWS._replace(evaluating=evaluating)
    for step in range(3):
        obs = {"o": values(step, 2 * step), "p": values(5, 6)}
        value = obs["o"]
        for at, rule in enumerate(rules):
            moved, value = rule(by_hand[at], value, rows)
            by_hand[at] = by_hand[at] if evaluating and isinstance(rule, Add) else moved
        seen = pipelines.observe(states, obs, rows, evaluating=evaluating)
        assert np.array_equal(seen["o"], value)
        assert seen["p"] is obs["p"]
    np.testing.assert_equal(states["observation"]["o"], by_hand)
