"""The suite for filters passes a sound one and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete
from coachcore.testing.filter import LAWS, FilterConformance, check_filter

SPACE = Box((2,), -4.0, 4.0)
REUSED = np.zeros((4, 2), np.float32)


@component("filter", "toy", acts_on="observation")
@attrs.frozen(kw_only=True)
class Toy:
    """Halves observations and counts them, or fails as it is told to."""

    fault: str = param(default="", doc="what to do wrong")
    counts: bool = param(default=True, doc="whether it has a state")

    def space(self, before):
        if self.fault == "takes all":
            raise KeyError("shape")
        if not isinstance(before, Box):
            raise Mismatch("toy needs a box")
        return Box(before.shape, -1.0 if self.fault == "narrow" else -2.0, 2.0)

    def init(self, before, count):
        return {"seen": np.zeros(1)} if self.counts else None

    def __call__(self, state, values, rows):
        out = (values / 2).astype(np.float64 if self.fault == "wide" else np.float32)
        if self.fault == "writes values":
            values *= 0.5
        if self.fault == "drops":
            out = out[:, :1]
        if self.fault == "mixes":
            out = out - out.mean(axis=0)
        if self.fault == "reuses":
            REUSED[: len(out)] = out
            out = REUSED[: len(out)]
        return self._counted(state, values), out

    def _counted(self, state, values):
        if not self.counts:
            return None
        if self.fault == "writes state":
            state["seen"] += len(values)
            return state
        if self.fault == "object state":
            return {"seen": Box(())}
        return {"seen": state["seen"] + len(values)}


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("narrow", "what comes out lies in the promised space, got -"),
        ("wide", "float32 is promised, float64 came out"),
        ("drops", r"shape \(2,\) is promised, \(1,\) came out"),
        ("writes values", "never writes to the values or the state"),
        ("writes state", "never writes to the values or the state"),
        ("reuses", "what came out is not written to later"),
        ("object state", "state.seen: a state holds only"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_filter(Toy(fault=fault), SPACE)


def test_rows_that_depend_on_each_other_are_caught():
    with pytest.raises(AssertionError, match="gives for a batch what it gives row by row"):
        check_filter(Toy(fault="mixes", counts=False), Box((2,), -1.0, 1.0))


def test_an_error_that_is_no_mismatch_is_caught():
    with pytest.raises(AssertionError, match=r"Discrete.* is taken or refused with Mismatch, got KeyError"):
        next(law for law in LAWS if law.__name__.startswith("a_space"))(Toy(fault="takes all"), SPACE)


@component("filter", "aimless", acts_on=("observation", "smell"))
@attrs.frozen
class Aimless:
    """Says that it filters what there is not."""


@component("filter", "passing", acts_on=["observation", "reward", "action"])
@attrs.frozen
class Passing:
    """Hands everything on, and remembers chance that is not in its state."""

    fair: bool = param(default=True, doc="whether the state alone decides")

    def space(self, before):
        return before

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        return None, values.copy() if self.fair else values * np.random.default_rng().choice([0, 1], values.shape)


def test_what_it_acts_on_is_said():
    with pytest.raises(AssertionError, match="acts_on in @component is one or more of observation, reward, action"):
        check_filter(Aimless(), SPACE)


@pytest.mark.parametrize("space", [SPACE, Box((), -1, 1), Box(()), Discrete(4), Box((3,), 0, 255, "uint8")])
def test_sound_filters_pass(space):
    check_filter(Passing(), space)


def test_chance_outside_the_state_is_caught():
    with pytest.raises(AssertionError, match="goes on bit for bit"):
        next(law for law in LAWS if law.__name__ == "the_state_alone_decides")(Passing(fair=False), Box((40,), 1, 2))


@component("filter", "reward-only", acts_on="reward")
@attrs.frozen
class RewardOnly:
    """Needs to be tried on a single number."""


def test_rewards_are_single_numbers():
    with pytest.raises(AssertionError, match=r"tried on a space of shape \(\), not \(2,\)"):
        check_filter(RewardOnly(), SPACE)


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(FilterConformance))
    with pytest.raises(NotImplementedError):
        FilterConformance().make()


class TestToy(FilterConformance):
    space = SPACE

    def make(self):
        return Toy()


class TestStateless(FilterConformance):
    space = SPACE

    def make(self):
        return Toy(counts=False)
