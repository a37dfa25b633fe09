"""The laws of chance pass sound policies and catch each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.spaces import Box, Discrete
from coachcore.testing.exploration_chance import CHANCE_LAWS, HEADS, ChanceConformance
from coachcore.testing.toys import ToyEGreedy

SPACE, BOX = Discrete(3), Box((2,), -1.0, 1.0)


@component("exploration", "toy")
@attrs.frozen(kw_only=True)
class Toy:
    """Half of its actions at random, or a fault."""

    fault: str = param(default="", doc="what to do wrong")

    def init(self, space, count):
        return None

    def __call__(self, state, propose, space, count, moment):
        drawn = space.sample(moment.rng, 1 if self.fault == "together" else count)
        if self.fault == "never the last":
            drawn = drawn % (space.n - 1)
        if isinstance(space, Box):
            return None, np.repeat(drawn, count // len(drawn), axis=0)
        best = propose().preferences.argmax(axis=1)
        explores = moment.rng.random(1 if self.fault == "together" else count) < 0.5
        return None, np.where(explores, drawn, best)


@component("exploration", "asking", asks="ensemble")
@attrs.frozen(kw_only=True)
class Asking:
    """The best of the first head; it needs several."""

    def init(self, space, count):
        return None

    def __call__(self, state, propose, space, count, moment):
        assert propose().ensemble.shape == (count, HEADS, space.n)
        return None, propose().ensemble[:, 0].argmax(axis=1)


@component("exploration", "spread", asks="deviation")
@attrs.frozen(kw_only=True)
class Spread:
    """A draw with the agent's own deviation."""

    def init(self, space, count):
        return None

    def __call__(self, state, propose, space, count, moment):
        wish, deviation, *_ = propose()
        return None, wish + deviation * moment.rng.standard_normal(wish.shape)


@pytest.mark.parametrize(
    ("fault", "space", "rule"),
    [
        ("together", SPACE, "each environment has chance of its own"),
        ("together", BOX, "each environment has chance of its own"),
        ("never the last", SPACE, "actions that are preferred alike are explored alike, they were"),
    ],
)
def test_a_fault_is_caught(fault, space, rule):
    with pytest.raises(AssertionError, match=rule):
        _ = [law(Toy(fault=fault), space) for law in CHANCE_LAWS]


@pytest.mark.parametrize(
    ("policy", "space"),
    [
        (Toy(), SPACE),
        (Toy(), Discrete(2)),
        (Toy(), BOX),
        (Asking(), SPACE),
        (Spread(), BOX),
        (ToyEGreedy(), SPACE),
        (ToyEGreedy(epsilon=0.0), SPACE),
    ],
    ids=str,
)
def test_sound_policies_pass(policy, space):
    for law in CHANCE_LAWS:
        law(policy, space)


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in CHANCE_LAWS} <= set(dir(ChanceConformance))
    with pytest.raises(NotImplementedError):
        ChanceConformance().make()
