"""The suite for engines passes a sound one and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.errors import BadCheckpoint
from coachcore.layout import Layout
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.engine import LAWS, PLAIN, EngineConformance, check_engine, drawn, toy_problem
from coachcore.testing.toy_learning import ToyEngine

KEPT = {}


@component("engine", "faulty")
@attrs.frozen(kw_only=True)
class Faulty:
    """The toy engine, wrong in one way."""

    fault: str = param(default="", doc="what to do wrong")

    def make(self, problem):
        if self.fault == "one seed":
            problem = attrs.evolve(problem, seed=0)
        if self.fault == "own chance":
            problem = attrs.evolve(problem, seed=int(np.random.default_rng().integers(1 << 30)))
        if self.fault == "global chance":
            np.random.normal()  # noqa: NPY002
        return Learner(ToyEngine().make(problem), self.fault)


class Learner:
    """Holds a sound learner and spoils what goes in or comes out."""

    def __init__(self, inner, fault):
        self.inner, self.fault, self.first = inner, fault, None
        self.metric_names = inner.metric_names
        if fault == "no loss":
            self.metric_names = inner.metric_names[1:]
        if fault == "loss twice":
            self.metric_names = ("loss", "loss")

    def train(self, sample, learning_rate):
        if self.fault == "writes":
            sample.packed.flags.writeable = True
            sample.packed[:] *= 0.5
        if self.fault == "unweighted":
            sample = sample._replace(weight=None)
        if self.fault == "drops weight":
            rows = None if sample.weight is None else np.where(sample.weight == 0, 0.2, sample.weight)
            sample = sample._replace(weight=rows)
        if self.fault == "last call only" and len(sample.packed) > 1:
            self.inner.train(sample, learning_rate)
        if self.fault == "never still":
            learning_rate = learning_rate or 0.01
        if self.fault == "never moves":
            learning_rate = 0.0
        if self.fault == "wild":
            learning_rate = np.inf
        with np.errstate(invalid="ignore", over="ignore"):
            return self._spoilt(self.inner.train(sample, learning_rate))

    def _spoilt(self, trained):
        match self.fault:
            case "flat priority":
                return trained._replace(priority=trained.priority.reshape(-1))
            case "wide":
                return trained._replace(metrics=trained.metrics.astype(np.float64))
            case "stale weights":
                return trained._replace(weights=np.zeros_like(trained.weights))
            case "one buffer":
                KEPT.setdefault("metrics", trained.metrics)[:] = trained.metrics
                return trained._replace(metrics=KEPT["metrics"])
        return trained

    def acting(self):
        program, weights = self.inner.acting()
        if self.fault == "acts otherwise":
            weights = weights.copy()
            weights[0] += 1.0
        return ({} if self.fault == "no program" else program), weights

    def forward(self, obs, rng=None):
        outputs = self.inner.forward(obs, rng)
        if self.fault == "other slots":
            return {"v": outputs["q"]}
        return {"q": outputs["q"][:1]} if self.fault == "one row" else outputs

    def summary(self):
        return " " if self.fault == "wordless" else self.inner.summary()

    def state(self):
        state = self.inner.state()
        if self.fault == "lives on":
            self.first = self.first or {}
            self.first.update(state)
            return self.first
        if self.fault == "holds an object":
            return state | {"self": self}
        return {name: value for name, value in state.items() if name != "updates"} if self.fault == "forgets" else state

    def restore(self, state):
        if self.fault == "takes anything":
            return
        if self.fault == "forgets":
            state = state | {"updates": 0}
        if self.fault == "forgets the target":
            state = state | {"target": state["weights"]}
        self.inner.restore(state)


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("no loss", "metric_names begin with loss"),
        ("loss twice", "metric_names are all different"),
        ("writes", "never writes to its sample"),
        ("flat priority", r"priority have shape \(1, 4\), got \(4,\)"),
        ("wide", "metrics are float32, got float64"),
        ("wild", "finite, got"),
        ("stale weights", "hands back the acting network's weights"),
        ("one buffer", "what a train call handed out is not written to later"),
        ("last call only", "K updates in one call give the weights of K calls"),
        ("unweighted", "an importance weight of one half halves the step"),
        ("drops weight", "an example of importance weight 0 teaches nothing"),
        ("forgets", "saved and read back goes on bit for bit"),
        ("forgets the target", "saved and read back goes on bit for bit"),
        ("lives on", "handed out is not written to later"),
        ("holds an object", "state.self: a state holds only"),
        ("one seed", "another seed gives other weights"),
        ("own chance", "the same seed gives the same weights|K updates in one call"),
        ("global chance", "nothing is drawn from global randomness"),
        ("never still", "a learning rate of 0 changes no weight"),
        ("never moves", "a learning rate above 0 moves the weights|halves the step"),
        ("acts otherwise", "hands back the acting network's weights"),
        ("other slots", r"forward gives every slot, \['q'\], got \['v'\]"),
        ("one row", "forward gives a row an environment"),
        ("takes anything", "saved and read back goes on bit for bit"),
        ("wordless", "summary describes the networks"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    KEPT.clear()
    with pytest.raises(AssertionError, match=rule):
        check_engine(Faulty(fault=fault))


@pytest.mark.parametrize(
    ("law", "fault", "rule"),
    [
        ("the_acting_program_is_the_network", "acts otherwise", "the acting program gives what forward gives"),
        ("another_networks_state_is_refused", "takes anything", "a BadCheckpoint; nothing was raised"),
        ("the_learning_rate_is_the_size_of_a_step", "never moves", "a learning rate above 0 moves the weights"),
        ("equal_problems_give_equal_learners", "own chance", "the same seed gives the same weights"),
    ],
)
def test_a_law_alone_catches_its_fault(law, fault, rule):
    with pytest.raises(AssertionError, match=rule):
        next(each for each in LAWS if each.__name__ == law)(Faulty(fault=fault), toy_problem())


def test_sound_engines_pass():
    check_engine(ToyEngine())
    check_engine(Faulty())
    check_engine(Faulty(fault="no program"))


def pictures():
    """A problem with an image, a number and a vector, for what samples have to hold."""
    seen = {"camera": Box((2, 2, 1), 0, 255, "uint8"), "speed": Box(())}
    spaces = Spaces(observation=seen, action=Discrete(2))
    return attrs.evolve(toy_problem(), spaces=spaces, layout=Layout.of(spaces), weighted=True)


def test_a_sample_fits_its_problem():
    problem = pictures()
    sample = drawn(problem, 3)
    assert sample.packed.shape == (3, 4, problem.layout.width)
    assert set(np.unique(sample.packed[..., problem.layout.packed["action"]])) <= {0.0, 1.0}
    assert set(np.unique(sample.packed[..., problem.layout.packed["discount"]])) <= {np.float32(0.0), np.float32(0.9)}
    assert {name: (v.shape, v.dtype.name) for name, v in sample.apart.items()} == {
        "obs.camera": ((3, 4, 2, 2, 1), "uint8"),
        "next_obs.camera": ((3, 4, 2, 2, 1), "uint8"),
    }
    assert sample.weight.tolist() == [[1.0] * 4] * 3
    with pytest.raises(ValueError, match="read-only"):
        sample.packed[:] = 0


def test_pictures_pass_too():
    check_engine(ToyEngine(), attrs.evolve(pictures(), weighted=False))


def test_steps_are_plain():
    assert (PLAIN.optimizer, PLAIN.beta1, PLAIN.gradient_clip) == ("sgd", 0.0, 0.0)


def test_the_toys_own_refusal():
    with pytest.raises(BadCheckpoint, match="were saved, this network has"):
        ToyEngine().make(toy_problem()).restore({"weights": np.zeros(2)})


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(EngineConformance))
    with pytest.raises(NotImplementedError):
        EngineConformance().make()


class TestToy(EngineConformance):
    def make(self):
        return ToyEngine()
