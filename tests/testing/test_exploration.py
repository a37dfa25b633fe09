"""The suite for exploration policies passes sound ones and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete
from coachcore.testing.exploration import LAWS, ExplorationConformance, check_exploration

SPACE = Discrete(3)
BOX = Box((2,), -1.0, 1.0)


@component("exploration", "toy", actions=["discrete", "box"])
@attrs.frozen(kw_only=True)
class Toy:
    """Adds noise of a random walk to every wish, or fails as it is told to."""

    fault: str = param(default="", doc="what to do wrong")
    evaluation_noise: float = param(default=0.0, doc="noise while evaluating")

    def init(self, space, count):
        if space is None and self.fault != "serves all":
            raise Mismatch("toy needs a space")
        return {"walk": np.zeros((count, 1))}

    def __call__(self, state, propose, space, count, moment):
        wish = self._wish(propose)
        if moment.evaluating and self.fault != "explores":
            return state, self._chosen(space, wish)
        rng = np.random.default_rng() if self.fault == "own chance" else moment.rng
        noise = np.random.random((count, 1)) if self.fault == "global chance" else rng.random((count, wish.shape[1]))  # noqa: NPY002
        walk = self._walk(state, noise.mean(axis=1, keepdims=True))
        return walk, self._chosen(space, wish + noise + walk["walk"])

    def _wish(self, propose):
        if self.fault == "asks twice":
            propose()
        wish = propose().preferences
        if self.fault == "writes wish":
            wish += 1.0
        return wish

    def _walk(self, state, noise):
        if self.fault == "writes state":
            state["walk"] += noise
            return state
        walk = state["walk"] + noise
        return {"walk": walk.astype(np.float16).astype(object) if self.fault == "object state" else walk}

    def _chosen(self, space, wish):
        if isinstance(space, Discrete):
            actions = wish.argmax(axis=1)
            if self.fault == "outside":
                actions = actions + 1
            return (
                actions.astype(np.int32) if self.fault == "narrow" else actions[:1] if self.fault == "one" else actions
            )
        near = np.clip(wish.reshape(-1, *space.shape), space.low, space.high).astype(np.float32)
        return near * 2 if self.fault == "outside" else near

    def level(self, state, step):
        return {"lost": float("nan"), "words": "much"}.get(self.fault, 0.5)


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("outside", "actions lie in"),
        ("narrow", "are int64, got int32"),
        ("one", r"one action for each environment is asked for, \(3,\), got \(1,\)"),
        ("own chance", "the same state, stream and proposals give the same actions"),
        ("asks twice", "propose is called at most once a step, got 2"),
        ("writes wish", "neither state nor proposal is written to"),
        ("writes state", "neither state nor proposal is written to"),
        ("object state", "state.walk: an array of objects cannot be saved"),
        ("explores", "in evaluation the most preferred action is taken"),
        ("lost", "level is finite and not negative, got nan"),
        ("words", "level is a number, got str"),
        ("serves all", "an action space that the policy cannot serve is a Mismatch; nothing was raised"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_exploration(Toy(fault=fault), SPACE)


def test_global_chance_is_caught():
    law = next(law for law in LAWS if law.__name__.startswith("chance"))
    with pytest.raises(AssertionError, match="nothing is drawn from global randomness"):
        law(Toy(fault="global chance"), SPACE)


@pytest.mark.parametrize("fault", ["outside", "explores"])
def test_a_fault_in_a_box_is_caught(fault):
    with pytest.raises(
        AssertionError, match="actions lie in" if fault == "outside" else "most preferred action is taken"
    ):
        check_exploration(Toy(fault=fault), BOX)


@pytest.mark.parametrize("space", [SPACE, BOX, Box((2, 2), -1, 1)])
def test_a_sound_policy_passes(space):
    check_exploration(Toy(), space)


@component("exploration", "narrow", actions="box", asks="deviation", unclipped=True)
@attrs.frozen(kw_only=True)
class Narrow:
    """Draws from the network's own deviation, in a box."""

    fault: str = param(default="", doc="what to do wrong")

    def init(self, space, count):
        if not isinstance(space, Box if self.fault != "takes both" else Box | Discrete):
            raise Mismatch("narrow needs a box")

    def __call__(self, state, propose, space, count, moment):
        wish = propose()
        if wish.deviation is None and self.fault != "makes do":
            raise Mismatch("narrow needs a deviation")
        if self.fault == "keeps":
            return wish.preferences, self._near(space, wish.preferences if state is None else state)
        if self.fault == "endless":
            return state, np.full(wish.preferences.shape, np.inf, np.float32)
        if self.fault == "hands on":
            return state, np.clip(wish.preferences, space.low, space.high, out=wish.preferences)
        if moment.evaluating and self.fault != "free":
            return state, self._near(space, wish.preferences)
        return state, wish.preferences.astype(np.float32)

    def _near(self, space, points):
        return np.clip(points, space.low, space.high).astype(np.float32)

    def level(self, state, step):
        return 0.0


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("takes both", "it does not say that it serves Discrete"),
        ("makes do", "a missing deviation is a Mismatch; nothing was raised"),
        ("endless", "actions are finite"),
        ("free", "actions lie in"),
        ("keeps", "a state that was saved and read back goes on bit for bit"),
        ("hands on", "an array of actions handed out is never written to again"),
    ],
)
def test_a_fault_of_a_policy_that_asks_for_a_deviation_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_exploration(Narrow(fault=fault), BOX)


def test_a_sound_policy_that_asks_for_a_deviation_passes():
    check_exploration(Narrow(), BOX)


def test_what_it_says_of_actions_is_a_known_word():
    @component("exploration", "wordy", actions="words")
    @attrs.frozen(kw_only=True)
    class Wordy:
        pass

    law = next(law for law in LAWS if law.__name__ == "it_serves_what_it_says")
    with pytest.raises(AssertionError, match="actions in @component is one or both of discrete, box"):
        law(Wordy(), BOX)


def test_evaluation_settings_of_its_own_are_respected():
    check_exploration(Toy(evaluation_noise=0.1), SPACE)


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(ExplorationConformance))
    with pytest.raises(NotImplementedError):
        ExplorationConformance().make()


class TestToy(ExplorationConformance):
    def make(self):
        return Toy()
