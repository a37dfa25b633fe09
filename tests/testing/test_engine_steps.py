"""The laws of an engine's steps pass a sound engine and catch each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.clock import Duration
from coachcore.component import component, param
from coachcore.settings import LearnerSettings
from coachcore.spaces import Discrete
from coachcore.testing.engine import EngineConformance, toy_problem
from coachcore.testing.engine_steps import STEP_LAWS, StepConformance, changed, close
from coachcore.testing.toy_learning import ToyEngine, ToyQ


@component("engine", "deaf")
@attrs.frozen(kw_only=True)
class Deaf:
    """The toy engine, deaf to one setting of the learner, or hiding what is no number."""

    setting: str = param(default="", doc="the learner's setting that it does not hear")
    fault: str = param(default="", doc="what to do wrong besides")

    def make(self, problem):
        heard = attrs.evolve(problem.settings, **DEAF.get(self.setting, {}))
        learner = ToyEngine().make(attrs.evolve(problem, settings=heard))
        train = learner.train

        def changed_train(sample, rate, knobs=None):
            if self.fault == "adds up":
                rate = rate * sample.packed.shape[1]
            trained = train(sample, rate)
            if self.fault == "hides":
                trained = trained._replace(priority=np.nan_to_num(trained.priority))
            if self.fault == "marks all" and not np.isfinite(trained.priority).all():
                trained = trained._replace(priority=np.full_like(trained.priority, np.nan))
            return trained

        learner.train = changed_train
        return learner


DEAF = {
    "target_every": {"target_every": Duration.parse("7 updates")},
    "target_rate": {"target_rate": 1.0},
    "gradient_clip": {"gradient_clip": 0.0},
}


@pytest.mark.parametrize(
    ("engine", "rule"),
    [
        (Deaf(setting="target_every"), "a target is copied as often as target_every says"),
        (Deaf(setting="target_rate"), "target_rate is the share that is copied"),
        (Deaf(setting="gradient_clip"), "a gradient clipped to 0.01 makes a step of at most that"),
        (Deaf(fault="adds up"), "a minibatch laid twice is the same step"),
        (Deaf(fault="hides"), "the priority of a row whose loss is no number is NaN"),
        (Deaf(fault="marks all"), "only the row whose loss is no number is marked"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_fault_is_caught(engine, rule):
    laws = [law for law in STEP_LAWS if not (engine.fault == "adds up" and "clipped" in law.__name__)]
    with pytest.raises(AssertionError, match=rule):
        _ = [law(engine, toy_problem()) for law in laws]


def test_sound_engines_pass():
    for engine in (ToyEngine(), Deaf()):
        for law in STEP_LAWS:
            law(engine, toy_problem())


@component("agent", "still", slots={"q": "action-values"})
@attrs.frozen(kw_only=True)
class Still:
    """The toy agent, whose goal is its reward alone: it has no target."""

    toy: ToyQ = param(factory=ToyQ, type="agent", doc="the agent that it is otherwise")

    def networks(self, spaces):
        return {name: attrs.evolve(spec, target=False) for name, spec in self.toy.networks(spaces).items()}

    def data(self, spaces):
        return self.toy.data(spaces)

    def updates(self):
        return self.toy.updates()


def test_an_agent_without_a_target_is_asked_for_none():
    problem = toy_problem()
    spec = Still().networks(problem.spaces)["main"]
    plans = {"main": attrs.evolve(problem.networks["main"], spec=spec)}
    STEP_LAWS[0](Deaf(setting="target_rate"), attrs.evolve(problem, agent=Still(), networks=plans))


def test_what_is_changed_is_plain_otherwise():
    settings = changed(toy_problem(), batch_size=8).settings
    assert isinstance(settings, LearnerSettings)
    assert (settings.batch_size, settings.optimizer, settings.beta1) == (8, "sgd", 0.0)


def test_equal_but_for_rounding():
    assert close(np.ones(2), np.ones(2) + 1e-6)
    assert not close(np.ones(2), np.ones(2) + 1e-3)
    assert not close(np.ones(2), np.ones((1, 2)))


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in STEP_LAWS} <= set(dir(StepConformance))
    assert issubclass(EngineConformance, StepConformance)
    for method in ("make", "problem"):
        with pytest.raises(NotImplementedError):
            getattr(StepConformance(), method)()


def test_the_toy_problem_is_discrete():
    assert isinstance(toy_problem().spaces.action, Discrete)
