"""A right agent that uses each row once, keeps what it thought, draws noise and turns a knob; in NumPy."""

from __future__ import annotations

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.contracts.agent import DataSpec, NetworkSpec, Update
from coachcore.errors import Mismatch
from coachcore.layout import Column
from coachcore.spaces import Discrete
from coachcore.types import LossOut, Proposal

SLOTS = {"policy": "discrete-policy", "value": "state-value"}


@component("agent", "critic", slots=SLOTS, executor="small", actions="discrete", defaults={}, data={"fresh": True})
@attrs.frozen(kw_only=True)
class Critic:
    """A policy gradient with a learned value, logits shaken a little, and an entropy whose weight adapts."""

    discount: float = param(default=0.99, gt=0, le=1, doc="gamma")
    gae_lambda: float = param(default=0.95, ge=0, le=1, doc="how far advantages look ahead")
    entropy: float = param(default=1.0, gt=0, doc="entropy that is aimed at", unit="nats")

    def data(self, spaces):
        return DataSpec(fresh=True, keep=(Column("value"), Column("chance")), noise=(Column("shake"),))

    def networks(self, spaces):
        if not isinstance(spaces.action, Discrete):
            raise Mismatch(f"discrete actions only, got {spaces.action}")
        return {"main": NetworkSpec(slots=SLOTS)}

    def updates(self):
        return (Update("main", self.errors),)

    def errors(self, nets, batch):
        out = nets["main"].online(batch.obs)
        logits = out["policy"] * (1.0 + 0.01 * batch.noise["shake"][:, None])
        chances = softmax(logits)
        chosen = chances[np.arange(len(batch.action)), batch.action]
        ratio = chosen / batch.extras["chance"]
        spread = -(chances * np.log(chances + 1e-8)).sum(axis=1)
        advantage = batch.extras["advantage"]
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        value = 0.5 * (out["value"] - batch.extras["return"]) ** 2
        policy = -ratio * advantage - batch.knobs["weight"] * spread
        return LossOut({"policy": policy, "value": value}, np.abs(advantage), {"entropy": spread})

    def propose(self, outputs):
        return Proposal(softmax(outputs["policy"]))

    def kept(self, outputs, proposal, actions):
        chance = proposal.preferences[np.arange(len(actions)), actions]
        return {"value": outputs["value"], "chance": chance}

    def begin(self):
        return {"log": 0.0}

    def knobs(self, state, step):
        return {"weight": float(np.exp(state["log"]))}

    def adapt(self, state, metrics):
        gap = self.entropy - metrics["entropy"]
        return {"log": min(max(state["log"] + 0.01 * gap, -9.0), 9.0) if np.isfinite(gap) else state["log"]}


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
