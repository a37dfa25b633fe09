"""An agent of several networks that the laws of agents are tried on, from both sides."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.contracts.agent import DataSpec, NetworkSpec, Update
from coachcore.errors import Mismatch
from coachcore.layout import Column
from coachcore.spaces import Discrete
from coachcore.types import LossOut, Proposal


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


@pytest.fixture
def several():
    """The class: what to do wrong is its setting `fault`."""
    return Several
