"""Agents: a loss, the networks it needs and the shape of experience it is valid for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

import attrs

from coachcore.layout import Column
from coachcore.spaces import Spaces
from coachcore.types import Array, Batch, LossOut, Nets, Proposal


@attrs.frozen(kw_only=True)
class DataSpec:
    """The shape of experience an agent's loss is valid for; a mismatch with the memory is an error at the door."""

    order: Literal["any", "sequence", "episode"] = "any"  # may rows be shuffled, or must time be kept?
    fresh: bool = False  # on-policy: each row is used once, then forgotten
    keep: tuple[Column, ...] = ()  # acting-time outputs to store besides


@attrs.frozen(kw_only=True)
class NetworkSpec:
    """One network of an agent: which head slots it must fill and what each must provide."""

    slots: Mapping[str, str]  # slot -> what its head provides, such as {"q": "action-values"}
    inputs: tuple[str, ...] = ()  # extra inputs besides every observation, such as ("action",)
    target: bool = False  # does a loss ask for a slow copy?
    acts: bool = True  # is it the one that chooses actions?


class Update(NamedTuple):
    """One gradient step: which network moves, down which loss, every how many updates."""

    moves: str
    loss: Callable[[Nets, Batch], LossOut]
    every: int = 1


class Agent(Protocol):
    """Settings and pure functions; weighting, averaging, clipping and target copies are the learner's.

    In @component: ``slots`` (as `NetworkSpec.slots`), ``executor`` (``small``,
    ``twin`` or ``conv``; how the engine should run it) and ``defaults`` (the
    network tables used where the preset is silent). An agent has `n_step` and
    `discount` fields: the accumulator reads them, the loss never does.

    Must keep true: a loss is a function of networks and batch only, written in
    `keras.ops`; it returns one number an example; equal batches give equal losses
    whatever the order of the rows.
    """

    @property
    def data(self) -> DataSpec: ...

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        """The networks by name; raises `Mismatch` where the action space does not fit."""
        ...

    def updates(self) -> tuple[Update, ...]:
        """The gradient steps of one update, in order."""
        ...

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        """Head outputs by slot ``[N, ...]``, in NumPy -> what the agent would like to do."""
        ...


@attrs.frozen(kw_only=True)
class NetworkPlan:
    """One network as the preset settled it: the parts that an engine's builder stacks up."""

    spec: NetworkSpec
    embedders: Mapping[str, Any]  # input name -> embedder part
    middleware: Any
    heads: Mapping[str, Any]  # slot -> head part
