"""The suite for embedders, middlewares and heads passes sound ones and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete
from coachcore.testing.network import (
    ACTIONS,
    LAWS,
    OBSERVATIONS,
    NetworkPartConformance,
    check_embedder,
    check_head,
    check_middleware,
    fits,
    promised,
    takes,
)


class Linear:
    """``x W`` in NumPy, the weights drawn when it is first called; wrong where it is told to be."""

    def __init__(self, width, seed, fault=""):
        self.width, self.fault, self.weights, self.calls = width, fault, [], 0
        self._rng = np.random.default_rng(None if fault == "own chance" else 0 if fault == "one seed" else seed)

    def __call__(self, x):
        if not self.weights:
            self.weights = [self._rng.standard_normal((x.shape[1], self.width)).astype(np.float32)]
        if self.fault == "global chance":
            np.random.normal()  # noqa: NPY002
        if self.fault == "writes":
            x *= 2
        self.calls += 1
        return self._spoilt(x @ self.weights[0])

    def _spoilt(self, y):
        match self.fault:
            case "wide":
                return y.astype(np.float64)
            case "divides":
                with np.errstate(invalid="ignore"):
                    return y / np.abs(y).max(axis=1, keepdims=True)
            case "remembers":
                return y + self.calls
            case "normalises":
                return y - y.mean(axis=0)
            case "one row":
                return y[:1]
            case "tensor":
                return y[:, None]
            case "short":
                return y[:, 1:]
            case "grows":
                return np.concatenate([y] * len(y), axis=1)
        return y


@component("embedder", "toy")
@attrs.frozen(kw_only=True)
class Embedder:
    """One layer from a vector."""

    fault: str = param(default="", doc="what to do wrong")

    def build(self, space, seed):
        if not isinstance(space, Box) or len(space.shape) != 1:
            raise KeyError("shape") if self.fault == "takes all" else Mismatch("vectors only")
        return Linear(5, seed, self.fault)


@component("middleware", "toy")
@attrs.frozen(kw_only=True)
class Middleware:
    """One layer."""

    fault: str = param(default="", doc="what to do wrong")

    def build(self, seed):
        return Linear(5, seed, self.fault)


@component("head", "toy", provides="action-values")
@attrs.frozen(kw_only=True)
class Head:
    """One layer, as wide as there are actions."""

    fault: str = param(default="", doc="what to do wrong")

    def build(self, action, seed):
        if not isinstance(action, Discrete):
            raise Mismatch("discrete actions only")
        return Linear(action.n, seed, self.fault)


@component("head", "unsaid")
@attrs.frozen
class Unsaid:
    """Does not say what it provides."""


@component("head", "inventive", provides="a-thing-of-its-own")
@attrs.frozen
class Inventive:
    """Provides what the core has fixed no shape for."""

    def build(self, action, seed):
        if not isinstance(action, Discrete):
            raise Mismatch("discrete actions only")
        return lambda x: np.zeros((len(x), 2, 9), np.float32)


FAULTS = [
    ("wide", "networks compute in float32, got float64"),
    ("divides", "what comes out is finite, got"),
    ("remembers", "the same input gives the same output"),
    ("writes", "a layer never writes to its input"),
    ("own chance", "the same seed gives the same weights"),
    ("one seed", "another seed gives other weights"),
    ("global chance", "nothing is drawn from global randomness"),
    ("normalises", "gives for a batch what it gives row by row"),
    ("one row", "5 rows come out of 5 rows"),
]


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        *FAULTS,
        ("tensor", r"this embedder gives features \[B, F\], got shape \(1, 1, 5\)"),
        ("grows", r"this embedder gives \[B, 5\], got shape \(5, 25\)"),
        ("takes all", r"taken or refused with Mismatch, got KeyError"),
    ],
)
def test_a_fault_of_an_embedder_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_embedder(Embedder(fault=fault))


@pytest.mark.parametrize(("fault", "rule"), FAULTS)
def test_a_fault_of_a_middleware_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_middleware(Middleware(fault=fault))


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        *FAULTS,
        ("short", r"this head gives \[B, 3\], got shape \(1, 2\)"),
        ("tensor", r"this head gives \[B, 3\], got shape"),
    ],
)
def test_a_fault_of_a_head_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_head(Head(fault=fault))


def test_a_head_says_what_it_provides():
    with pytest.raises(AssertionError, match="provides in @component says what a head gives"):
        check_head(Unsaid())


def test_sound_parts_pass():
    check_embedder(Embedder(), Box((9,), -1, 1))
    check_middleware(Middleware())
    check_head(Head(), Discrete(6))


def test_a_layer_without_a_fixed_shape_is_held_to_the_rest():
    for law in LAWS:
        if law.__name__ != "the_seed_alone_draws_the_weights":
            law(Inventive(), Discrete(2))


def test_shapes_that_are_promised():
    assert promised("action-values", Discrete(4)) == (4,)
    assert promised("action-values", Box((4,))) is None
    assert promised("atoms", Discrete(4)) is None
    assert promised("return-distribution", Discrete(4)) == promised("quantiles", Discrete(4)) == (4, None)
    assert promised("discrete-policy", Discrete(4)) == (4,)
    assert promised("discrete-policy", Box((4,))) is None
    assert promised("gaussian-policy", Box((4,))) == promised("squashed-gaussian-policy", Box((4,))) == (2, 4)
    assert promised("deterministic-policy", Box((4,))) == (4,)
    assert promised("gaussian-policy", Discrete(4)) is None
    for action in (Discrete(4), Box((4,))):
        assert promised("state-value", action) == ()
        assert promised("critics", action) == (None,)


def test_an_axis_of_none_may_have_any_length_but_none_at_all():
    assert fits((4, 7), (4, None))
    assert not fits((4, 0), (4, None))
    assert not fits((3, 7), (4, None))
    assert not fits((4,), (4, None))
    assert not fits((4, 7, 1), (4, None))


@pytest.mark.parametrize(
    ("outputs", "wrong"), [(5, ""), (0, r"gives \[B, 3, K\], got shape \(1, 3, 0\)"), (None, r"got shape \(1, 3\)")]
)
def test_a_head_of_distributions_gives_a_row_an_action(outputs, wrong):
    if not wrong:
        check_head(Rows(outputs=outputs))
        return
    with pytest.raises(AssertionError, match=wrong):
        check_head(Rows(outputs=outputs))


def test_what_is_taken():
    assert [takes(Head(), action) for action in ACTIONS] == [True, True, False]
    assert [takes(Embedder(), space) for space in OBSERVATIONS] == [True, True, False, False, False]


def test_another_kind_is_no_part_of_a_network():
    with pytest.raises(
        AssertionError, match="a part of a network is one of layer, embedder, middleware, head, got schedule"
    ):
        LAWS[0](Clock(), Discrete(2))


@component("head", "toy-rows", provides="quantiles")
@attrs.frozen(kw_only=True)
class Rows:
    """A row of `outputs` numbers an action, or one number without an axis where it is None."""

    outputs = param(default=5, type="int | none", doc="numbers an action")

    def build(self, action, seed):
        if not isinstance(action, Discrete):
            raise Mismatch("discrete actions only")
        return InRows(action.n, self.outputs, seed)


class InRows(Linear):
    """``x W``, folded."""

    def __init__(self, actions, outputs, seed):
        super().__init__(actions * (1 if outputs is None else outputs), seed)
        self.shape = (actions,) if outputs is None else (actions, outputs)

    def __call__(self, x):
        return super().__call__(x).reshape(len(x), *self.shape)


@component("schedule", "clock")
@attrs.frozen
class Clock:
    """No part of a network."""


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(NetworkPartConformance))
    with pytest.raises(NotImplementedError):
        NetworkPartConformance().make()


class TestEmbedder(NetworkPartConformance):
    def make(self):
        return Embedder()


class TestHead(NetworkPartConformance):
    space = Discrete(3)

    def make(self):
        return Head()
