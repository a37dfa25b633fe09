"""For the tests of every engine: small problems with answers that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
import pytest

from coach_networks.embedders.vector import Vector
from coach_networks.heads.q import Q
from coach_networks.heads.state_value import StateValue
from coach_networks.middlewares.dense import Dense
from coachcore.api import (
    Batch,
    Box,
    Column,
    DataSpec,
    Discrete,
    Layout,
    LearnerSettings,
    LossOut,
    NetworkPlan,
    NetworkSettings,
    NetworkSpec,
    Problem,
    Proposal,
    Sample,
    Spaces,
    Update,
)
from coachcore.testing.examples import installed

HEADS = {"action-values": Q, "state-value": StateValue}
SPACES = Spaces(observation={"observation": Box((3,))}, action=Discrete(2))


@attrs.frozen(kw_only=True)
class Toy:
    """An agent that learns the reward of the taken action: half square of Q(s, a) - r - d max Q'(s')."""

    specs: Mapping[str, NetworkSpec] = attrs.field(
        factory=lambda: {"main": NetworkSpec(slots={"q": "action-values"}, target=True)}
    )
    steps: tuple[Update, ...] = ()
    given: DataSpec = attrs.field(factory=DataSpec)

    def data(self, spaces: Spaces) -> DataSpec:
        return self.given

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        return self.specs

    def updates(self) -> tuple[Update, ...]:
        return self.steps or (Update("main", loss_of("main")),)

    def propose(self, outputs: Mapping[str, Any]) -> Proposal:
        return Proposal(outputs["q"])


def loss_of(name: str, *, bootstrap: bool = True) -> Callable[[Any, Batch], LossOut]:
    """The toy loss of the network `name`."""

    def loss(nets: Any, batch: Batch) -> LossOut:
        from keras import ops

        values = nets[name].online(batch.obs)["q"]
        value = ops.sum(values * ops.one_hot(batch.action, 2), axis=-1)
        wanted = batch.reward
        if bootstrap:
            wanted = wanted + batch.discount * ops.max(nets[name].target(batch.next_obs)["q"], axis=-1)
        error = value - ops.stop_gradient(wanted)
        return LossOut(0.5 * error * error, ops.abs(error), {"q": value})

    return loss


def problem(agent: Any = None, hidden: Any = "empty", keep: tuple[Column, ...] = (), **given: Any) -> Problem:
    """A linear problem unless `hidden` says otherwise; `network` settings in a table, learner settings by name."""
    agent = agent or Toy()
    own = {name: given.pop(name) for name in ("executor", "weighted", "seed") if name in given}
    network = NetworkSettings(**given.pop("network", {}))
    plans = {name: plan_of(spec, hidden, network) for name, spec in agent.networks(SPACES).items()}
    settings = LearnerSettings(**({"batch_size": 4, "target_every": "3 updates"} | given))
    return Problem(agent=agent, networks=plans, spaces=SPACES, layout=Layout.of(SPACES, keep), settings=settings, **own)


def plan_of(spec: NetworkSpec, hidden: Any, settings: NetworkSettings) -> NetworkPlan:
    """One embedder with `hidden` layers and a linear head for each slot: `HEADS`."""
    if spec.free:
        return NetworkPlan(spec=spec, settings=settings)
    return NetworkPlan(
        spec=spec,
        embedders={"observation": Vector(scheme=hidden)},
        middleware=Dense(scheme="empty"),
        heads={slot: HEADS[provides]() for slot, provides in spec.slots.items()},
        settings=settings,
    )


def engine(**given: Any) -> Any:
    """The engine of the backend that Keras has here; it keeps no program. Engines bear the names of backends."""
    import keras

    registry, name = installed(), keras.config.backend()
    if name not in {entry.spec.name for entry in registry.entries("engine")}:
        pytest.skip(f"Keras runs on {name} here, and no engine of that name is installed")
    return registry.load("engine", name)(**({"cache": False} | given))


def drawn(calls: int, batch: int = 4, seed: int = 0, width: int = 9) -> Sample:
    """K minibatches: observation 3, action, reward, discount, next observation 3."""
    rng = np.random.default_rng(seed)
    packed = rng.standard_normal((calls, batch, width)).astype(np.float32)
    packed[:, :, 3] = rng.integers(0, 2, (calls, batch))
    packed[:, :, 5] = rng.choice([0.0, 0.9], (calls, batch))
    return Sample(np.zeros((calls, batch), np.int64), packed)
