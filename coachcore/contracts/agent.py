"""Agents: a loss, the networks it needs and the shape of experience it is valid for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

import attrs

from coachcore.layout import Column
from coachcore.settings import NetworkSettings
from coachcore.spaces import Spaces
from coachcore.types import Array, Batch, LossOut, Nets, Proposal, State


@attrs.frozen(kw_only=True)
class DataSpec:
    """The shape of experience an agent's loss is valid for; a mismatch with the memory is an error at the door.

    A fresh agent keeps a column ``value``, and has `gae_lambda` beside `discount`:
    the accumulator turns them into the columns ``advantage`` and ``return``.
    """

    order: Literal["any", "sequence", "episode"] = "any"  # may rows be shuffled, or must time be kept?
    fresh: bool = False  # on-policy: each row is used once, then forgotten
    keep: tuple[Column, ...] = ()  # of fresh rows: acting-time outputs to store besides (`Keeping.kept`)
    drawn: tuple[Column, ...] = ()  # of other rows: uniform numbers in [0, 1), drawn once for each and stored with it
    noise: tuple[Column, ...] = ()  # standard normal numbers that the losses need, drawn anew for every update


@attrs.frozen(kw_only=True)
class NetworkSpec:
    """One network of an agent: which head slots it must fill and what each must provide.

    With `free` it has neither inputs nor heads: each slot is one number that
    gradients move, such as the logarithm of SAC's temperature.
    """

    slots: Mapping[str, str] = attrs.field(factory=dict)  # slot -> what its head provides: {"q": "action-values"}
    inputs: tuple[str, ...] = ()  # extra inputs besides every observation, such as ("action",)
    target: bool = False  # does a loss ask for a slow copy?
    acts: bool = True  # is it the one that chooses actions?
    free: Mapping[str, float] = attrs.field(factory=dict)  # slot -> its first value


class Update(NamedTuple):
    """One gradient step: which network moves, down which loss, every how many updates."""

    moves: str
    loss: Callable[[Nets, Batch], LossOut]
    every: int = 1


class Agent(Protocol):
    """Settings and pure functions; weighting, averaging, clipping and target copies are the learner's.

    In @component: ``slots`` (as `NetworkSpec.slots`; a list where any of several
    will do), ``defaults`` (the network tables used where the preset is silent),
    ``executor`` (``small``, ``twin`` or ``conv``; how the engine should run it),
    ``shapes`` (slot -> shape without the batch axis, such as ``[2, "A"]`` with A actions: of
    a slot whose ``provides`` the core fixes no shape for; the kit tries the agent on it),
    ``actions`` (``discrete``, ``box``, or ``unit-box``: a box that the run maps to
    [-1, 1] for the agent) and ``data`` (order and fresh, as `DataSpec`). With
    several networks, ``slots`` and ``defaults`` are by network name and the preset's
    tables are ``[agent.networks.NAME]``. An agent has `n_step` and `discount`
    fields: the accumulator reads them, the loss never does.

    Must keep true: a loss is a function of networks and batch only, written in
    `keras.ops`; it returns one number an example; equal batches give equal losses
    whatever the order of the rows.
    """

    def data(self, spaces: Spaces) -> DataSpec: ...

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """The networks by name; raises `Mismatch` where the action space does not fit."""
        ...

    def updates(self) -> tuple[Update, ...]:
        """The gradient steps of one update, in order."""
        ...

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Head outputs by slot ``[N, ...]``, in NumPy -> what the agent would like to do."""
        ...


class Keeping(Agent, Protocol):
    """An agent that stores what it thought when it acted."""

    def kept(self, outputs: Mapping[str, Array], proposal: Proposal, actions: Array) -> Mapping[str, Array]:
        """The columns of `DataSpec.keep`, each ``[N, ...]``, for the actions ``[N, ...]`` chosen, in NumPy."""
        ...


class Adapting(Agent, Protocol):
    """An agent with numbers that change as training goes on; losses read them from `Batch.knobs`."""

    def begin(self) -> State:
        """What it remembers between train calls, at first."""
        ...

    def knobs(self, state: State, step: int) -> Mapping[str, float]:
        """The numbers by name, always the same names, after `step` training steps."""
        ...

    def adapt(self, state: State, metrics: Mapping[str, float]) -> State:
        """What it remembers after a train call that measured `metrics`."""
        ...


@attrs.frozen(kw_only=True)
class NetworkPlan:
    """One network as the preset settled it: the parts that an engine's builder stacks up."""

    spec: NetworkSpec
    embedders: Mapping[str, Any] = attrs.field(factory=dict)  # input name -> embedder part
    middleware: Any = None  # None where `spec.free` makes the network
    heads: Mapping[str, Any] = attrs.field(factory=dict)  # slot -> head part
    settings: NetworkSettings = attrs.field(factory=NetworkSettings)
