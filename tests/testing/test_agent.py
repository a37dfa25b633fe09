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


@component(
    "agent",
    "several",
    slots={"actor": {"policy": ["discrete-policy"], "value": "state-value"}, "critic": {"q": "critics"}},
    defaults={"actor": {"torso": "separate", "heads": {"value": {"use": "v"}}}, "critic": {"embedders": {}}},
    inputs={"critic": ["action"]},
    free=["price"],
    executor="twin",
    actions=["discrete"],
    data={"fresh": True},
)
@attrs.frozen(kw_only=True)
class Several:
    """Nonsense of the right shape over several networks, with kept columns, noise and knobs; wrong in one way."""

    fault: str = param(default="", doc="what to do wrong")
    discount: float = param(default=0.9, doc="gamma")
    gae_lambda: float = param(default=0.9, doc="how far advantages look ahead")

    def data(self, spaces):
        keep = () if self.fault == "forgets" else (Column("value"), Column("policy", (spaces.action.n,)))
        if self.fault == "two of a name":
            keep = (*keep, Column("value"))
        return DataSpec(fresh=True, keep=keep, noise=(Column("shake"),))

    def networks(self, spaces):
        if not isinstance(spaces.action, Discrete) or (self.fault == "picky" and spaces.action.n == 2):
            raise Mismatch("discrete actions only")
        slots = {"policy": "discrete-policy", "value": "state-value"}
        if self.fault == "no price":
            slots["value"] = "critics"
        return {
            "actor": NetworkSpec(slots=slots),
            "critic": NetworkSpec(
                slots={"q": "critics"}, inputs=() if self.fault == "shows nothing" else ("action",), acts=False
            ),
            **({} if self.fault == "not free" else {"price": NetworkSpec(free={"log": 0.5}, acts=False)}),
        }

    def updates(self):
        return (Update("actor", self.errors), Update("price", self.pay, 2))

    def errors(self, nets, batch):
        out, knobs = nets["actor"].online(batch.obs), batch.knobs
        shown = batch.action if batch.action.ndim > 1 else batch.action[:, None]
        judged = nets["critic"].online({**batch.obs, "action": shown})["q"].mean(axis=1)
        told = (out["policy"] * batch.extras["policy"]).mean(axis=1) * knobs["gain"] + judged * batch.noise["shake"]
        value = 0.5 * (out["value"] - batch.extras["return"]) ** 2
        advantage = batch.extras["advantage"]
        advantage = advantage - (advantage.sum() if self.fault == "adds up" else advantage.mean())
        return LossOut({"policy": told * advantage, "value": value}, np.abs(value), {"entropy": told.mean()})

    def pay(self, nets, batch):
        return LossOut(nets["price"].online({})["log"] * batch.extras["value"], np.zeros(len(batch.action)), {})

    def propose(self, outputs):
        centre = outputs["policy"]
        match self.fault:
            case "odd centre":
                return Proposal(centre, np.ones_like(centre), centre)
            case "lonely centre":
                return Proposal(np.tanh(centre), None, centre)
        return Proposal(np.tanh(centre), np.ones_like(centre), centre)

    def kept(self, outputs, proposal, actions):
        value, policy = outputs["value"], outputs["policy"]
        match self.fault:
            case "keeps more":
                return {"value": value, "policy": policy, "more": value}
            case "keeps flat":
                return {"value": value, "policy": policy[:, 0]}
            case "keeps infinities":
                return {"value": value, "policy": np.full_like(policy, np.inf)}
            case "keeps a mixture":
                return {"value": value, "policy": policy - policy.mean(axis=0)}
            case "keeps another":
                return {"value": value + 1.0, "policy": policy}
        return {"value": value, "policy": policy}

    def begin(self):
        return {"gain": np.ones(())}

    def knobs(self, state, step):
        if self.fault == "renames":
            return {"gain": 1.0, f"at{step}": 1.0}
        return {"gain": float("inf") if self.fault == "limitless" and step > 1 else float(state["gain"])}

    def adapt(self, state, metrics):
        match self.fault:
            case "adapts in place":
                state["gain"] += 1.0
                return state
            case "adapts by chance":
                return {"gain": np.asarray(np.random.default_rng().random())}
        return {"gain": np.asarray(state["gain"] * (0.5 if metrics["entropy"] > 0 else 2.0))}


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("forgets", r"a fresh agent keeps 'value', from which advantages follow; it keeps \['shake'\]"),
        ("two of a name", "columns that are kept or drawn have names of their own"),
        ("no price", r"slots in @component are .*, networks\(\) names .*'value': 'critics'"),
        ("not free", r"free in @component names \['price'\], networks\(\) makes \[\] free"),
        ("shows nothing", r"inputs in @component of 'critic' are \('action',\), networks\(\) says \(\)"),
        ("picky", r"actions in @component are \('discrete',\), but Discrete\(n=2.*\) is refused"),
        ("adds up", "loss of head policy in a batch laid twice is what it was"),
        ("odd centre", "preferences are the tanh of the centre"),
        ("lonely centre", "a proposal with a centre has the deviation that belongs to it"),
        ("keeps more", r"kept\(\) gives the columns \['policy', 'value'\], got \['more', 'policy', 'value'\]"),
        ("keeps flat", r"kept 'policy' has shape \(1, 3\), got \(1,\)"),
        ("keeps infinities", "kept 'policy' is finite"),
        ("keeps a mixture", "environments do not mix in what is kept"),
        ("keeps another", "kept 'value' is what the head 'value' says"),
        ("renames", r"knobs are always \['at0', 'gain'\], at step 1 they are \['at1', 'gain'\]"),
        ("limitless", "knobs are finite numbers, at step 10000 they are"),
        ("adapts in place", "adapt hands back a new state"),
        ("adapts by chance", "adapt follows from what it is given"),
    ],
)
def test_a_fault_of_several_networks_is_caught(fault, rule):
    if fault in ("adapts in place", "limitless", "renames", "adapts by chance"):
        law = next(law for law in LAWS if law.__name__ == "its_knobs_keep_their_names")
    elif fault.startswith("keeps "):
        law = next(law for law in LAWS if law.__name__ == "what_is_kept_fills_its_columns")
    else:
        law = check_agent
    with pytest.raises(AssertionError, match=rule):
        law(Several(fault=fault), trial(Discrete(3)))


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({"executor": "fast"}, "executor in @component is one of small, twin, conv"),
        ({"actions": "boxes"}, r"actions in @component are of discrete, box, unit-box, got \('boxes',\)"),
        ({"defaults": {"critics": {}}}, "default tables are of networks of the agent, got 'critics'"),
        ({"defaults": {"actor": {"heads": {"q": {}}}}}, r"the default heads fill slots of the agent, got \['q'\]"),
        ({"defaults": {"actor": {"torsos": 2}}}, r"holds parts and settings of a network, got \['torsos'\]"),
    ],
)
def test_an_unsound_declaration_is_caught(facts, rule):
    law = next(law for law in LAWS if law.__name__ == "what_it_says_of_itself_is_sound")
    spec = Several.__coach__

    class Declared(Several):
        __coach__ = spec._replace(facts={**spec.facts, **facts})

    with pytest.raises(AssertionError, match=rule):
        law(Declared(), trial(Discrete(3)))


def test_sound_agents_pass():
    check_agent(Several())
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
