"""The suite for agents passes a sound one and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.contracts.agent import DataSpec, NetworkSpec, Update
from coachcore.errors import Mismatch
from coachcore.layout import Column
from coachcore.spaces import Box, Discrete
from coachcore.testing.agent import LAWS, AgentConformance, check_agent
from coachcore.testing.toy_learning import SLOTS, ToyQ
from coachcore.testing.trial import trial
from coachcore.types import LossOut, Proposal

CALLS = []


@component("agent", "faulty", slots=SLOTS, executor="small", defaults={"heads": {"q": {"use": "toy-values"}}})
@attrs.frozen(kw_only=True)
class Faulty:
    """Q-learning, wrong in one way."""

    fault: str = param(default="", doc="what to do wrong")
    discount: float = param(default=0.9, doc="gamma")
    n_step: int = param(default=1, doc="rewards added up")

    def data(self, spaces):
        match self.fault:
            case "no data":
                return None
            case "fresh unsaid":
                return DataSpec(fresh=True)
            case "keeps silently":
                return DataSpec(keep=(Column("thought"),))
            case "drawn in vain":
                return DataSpec(noise=(Column("shake", (2,)),))
        return DataSpec()

    def networks(self, spaces):
        if not isinstance(spaces.action, Discrete):
            raise KeyError("n") if self.fault == "no mismatch" else Mismatch("discrete actions only")
        slots = {"v": "action-values"} if self.fault == "other slot" else SLOTS
        return {"main": NetworkSpec(slots=slots, target=self.fault != "undeclared", acts=self.fault != "idle")}

    def updates(self):
        if self.fault == "by odd head":
            return (Update("main", self.by_head),)
        if self.fault == "moves another":
            return (Update("other", self.errors),)
        if self.fault == "twice":
            return (Update("main", self.errors),) * 2
        if self.fault == "later":
            return (Update("main", self.errors, every=2),)
        return (Update("main", self.errors),)

    def errors(self, nets, batch):
        value = nets["main"].online(batch.obs)["q"][np.arange(len(batch.action)), batch.action]
        after = nets["main"].target(batch.next_obs)["q"].max(axis=1)
        discount = self.discount if self.fault == "goes on" else batch.discount
        error = value - (batch.reward + discount * after)
        return self._spoilt(batch, error)

    def by_head(self, nets, batch):
        out = self.errors(nets, batch)
        return out._replace(loss={"q": out.loss, "v": out.loss})

    def _spoilt(self, batch, error):
        loss, priority, metrics = 0.5 * error**2, np.abs(error), {"error": error}
        match self.fault:
            case "averages":
                loss = loss.mean()
            case "signed":
                priority = error
            case "not a number":
                loss = np.where(priority > 0, np.nan, loss)
            case "odd metric":
                metrics = {"error": np.zeros((2, 3))}
            case "counts":
                CALLS.append(1)
                loss = loss + len(CALLS)
            case "writes":
                batch.reward[:] = 0
            case "writes through":
                batch.discount.flags.writeable = True
                batch.discount[:] = 0.5
            case "global chance":
                loss = loss + 0 * np.random.normal()  # noqa: NPY002
            case "place matters":
                loss = loss * np.arange(1, len(loss) + 1)
            case "normalises":
                loss = loss / (loss.sum() + 1.0)
        return LossOut(loss, priority, metrics)

    def propose(self, outputs):
        values = outputs["q"]
        match self.fault:
            case "proposes one":
                return Proposal(values.max(axis=1))
            case "proposes writing":
                values -= 1.0
            case "proposes lists":
                return Proposal(values.tolist())
            case "mixes":
                return Proposal(values - values.mean(axis=0))
            case "deviates":
                return Proposal(values, np.full_like(values[:, :1], 0.1))
        return Proposal(values)


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("no data", r"data\(\) gives a DataSpec, got NoneType"),
        ("fresh unsaid", r"data in @component says .*False.*, data\(\) says order = any, fresh = True"),
        ("keeps silently", r"gives them in kept\(\); it keeps \['thought'\]"),
        ("drawn in vain", "noise 'shake' is drawn, but no loss looks at it"),
        ("by odd head", "a loss by head names slots of 'main', got 'v'"),
        ("other slot", r"slots in @component are .*'q'.*, networks\(\) names .*'v'"),
        ("idle", r"exactly one network chooses actions, got \[\]"),
        ("moves another", "updates move networks of the agent"),
        ("twice", "each update moves a network of its own"),
        ("later", "the first update is made every time, got every = 2"),
        ("undeclared", r"targets are declared for \[\], losses ask for \['main'\]"),
        ("averages", r"loss is one number an example, \[B\], got shape \(\)"),
        ("signed", "priorities are not negative"),
        ("not a number", "loss is finite, got"),
        ("odd metric", r"metric 'error' is \[B\] or one number, got shape \(2, 3\)"),
        ("counts", "a loss is a pure function: the same batch gives the same numbers"),
        ("writes", "a loss never writes to what it is given: "),
        ("global chance", "nothing is drawn from global randomness"),
        ("place matters", "loss of an example does not depend on the order of the rows"),
        ("normalises", "loss of an example alone is what it is in a batch"),
        ("goes on", r"loss past a terminal step \(discount 0\) ignores next_obs"),
        ("proposes one", r"preferences are \[N, A\] = \(1, 3\), got \(1,\)"),
        ("proposes writing", "propose never writes to what it is given"),
        ("proposes lists", "preferences are a NumPy array, got list"),
        ("mixes", "environments do not mix in a proposal"),
        ("deviates", r"deviation are \[N, A\] = \(1, 3\), got \(1, 1\)"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_agent(Faulty(fault=fault), trial(Discrete(3)))


def test_writing_behind_the_seal_is_caught():
    law = next(law for law in LAWS if law.__name__ == "a_loss_is_a_pure_function")
    with pytest.raises(AssertionError, match="never writes to what it is given"):
        law(Faulty(fault="writes through"), trial(Discrete(3)))


def test_an_error_that_is_no_mismatch_is_caught():
    with pytest.raises(AssertionError, match=r"Box.* is served or refused with Mismatch, got KeyError"):
        check_agent(Faulty(fault="no mismatch"), trial(Discrete(3)))


def test_an_agent_needs_what_the_accumulator_reads():
    with pytest.raises(AssertionError, match="an agent has a setting 'n_step', which the accumulator reads"):
        LAWS[0](Bare(), trial(Discrete(3)))


@component("agent", "bare", slots=SLOTS)
@attrs.frozen
class Bare:
    """Lacks a setting, and serves nobody."""

    discount: float = param(default=0.9, doc="gamma")

    def networks(self, spaces):
        raise Mismatch("nobody")


def test_an_agent_that_serves_nobody_needs_a_trial():
    with pytest.raises(AssertionError, match="serves none of the usual action spaces: give check_agent a trial"):
        check_agent(Bare())


@component("agent", "toy-actor", slots={"mean": "mean-action"}, executor="small")
@attrs.frozen(kw_only=True)
class Actor:
    """Learns to do what was done; its head is of the agent's own invention."""

    discount: float = param(default=0.9, doc="gamma")
    n_step: int = param(default=1, doc="rewards added up")

    def data(self, spaces):
        return DataSpec()

    def networks(self, spaces):
        if not isinstance(spaces.action, Box):
            raise Mismatch("boxes only")
        return {"main": NetworkSpec(slots={"mean": "mean-action"})}

    def updates(self):
        return (Update("main", self.errors),)

    def errors(self, nets, batch):
        error = ((nets["main"].online(batch.obs)["mean"] - batch.action) ** 2).sum(axis=1)
        return LossOut(error, error, {})

    def propose(self, outputs):
        return Proposal(outputs["mean"], np.full_like(outputs["mean"], 0.2))


def test_sound_agents_pass():
    check_agent(ToyQ())
    check_agent(Faulty())
    check_agent(Actor(), trial(Box((2,), -1, 1), mean=(2,)))


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(AgentConformance))
    with pytest.raises(NotImplementedError):
        AgentConformance().make()


class TestToy(AgentConformance):
    def make(self):
        return ToyQ()
