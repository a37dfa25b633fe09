"""The nouns of the machine: what flows between environment, memory and learner.

Axes, everywhere: B batch, T time, A actions, K atoms or fused updates,
N environments, M some of the N environments, W width of a packed row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Obs = Mapping[str, Array]
"""Named observations; each array has a leading environment axis: ``[N, ...]``."""

State = Any
"""A part's state: None, a number, an array, or a (nested) dict/list/tuple of them.

It is passed in and handed back, and goes into a checkpoint as it is, so it
holds nothing else (no objects, no functions).
"""

Tensor = Any
"""An array of whichever backend the engine brought; `keras.ops` reads them all."""


class Step(NamedTuple):
    """What N environments said after one step each.

    `obs` is what followed the action, also where an episode ended: resetting
    is a call of its own, so a final observation is never overwritten.
    """

    obs: Obs  # each [N, ...]
    reward: Array  # [N] float64
    terminated: Array  # [N] bool: the task is over, nothing follows, bootstrap 0
    truncated: Array  # [N] bool: we stopped watching, bootstrap as usual
    lost: Array | None = None  # [N] bool: truncated before this step, which never happened; None: nobody's


class Rows(NamedTuple):
    """Which environments the M values handed to a filter come from."""

    envs: Array  # [M] int: indices into 0..N-1, ascending
    first: bool  # True when the values open an episode (they follow a reset)
    evaluating: bool = False  # True when a policy is tried out: what was learned stands still


class Proposal(NamedTuple):
    """What the agent would like to do, before exploration.

    `preferences` are action values, scores or probabilities ``[N, A]`` for
    discrete actions and the mean action ``[N, A]`` for continuous ones;
    `deviation` is the network's own standard deviation, where it has one. Where
    the policy squashes what it draws by tanh, `preferences` are the squashed mean
    and `centre` is the mean before, the one that `deviation` belongs to. Where H
    networks, or heads of one, value discrete actions, `ensemble` is what each says
    and `preferences` are their mean.
    """

    preferences: Array  # [N, A]
    deviation: Array | None = None  # [N, A]
    centre: Array | None = None  # [N, A]
    ensemble: Array | None = None  # [N, H, A]


class Moment(NamedTuple):
    """When and how an exploration policy is asked to choose."""

    rng: np.random.Generator
    step: int  # environment steps since training began (heat-up not counted); in a run a `clock.Now`
    evaluating: bool  # True in evaluation: be greedy, advance nothing
    first: Array | None = None  # [N] bool, whose episode begins with this action; None: nobody's


class Batch(NamedTuple):
    """A minibatch inside the compiled update, one tensor a column.

    `discount` already holds gamma, n-step and termination (0 past a terminal
    step), so no loss asks whether an episode ended. Rows that are used once
    (`DataSpec.fresh`) have no reward, discount and next_obs; ``advantage`` and
    ``return`` are among their extras.
    """

    obs: Mapping[str, Tensor]  # each [B, ...]
    action: Tensor  # [B] int for discrete actions, else [B, A]
    reward: Tensor = None  # [B]
    discount: Tensor = None  # [B]
    next_obs: Mapping[str, Tensor] = {}  # each [B, ...]; like the defaults below, never changed
    extras: Mapping[str, Tensor] = {}  # what the agent keeps, each [B, ...]
    noise: Mapping[str, Tensor] = {}  # standard normal numbers drawn for this update, each [B, ...]
    knobs: Mapping[str, Tensor] = {}  # numbers that the agent turns as training goes on, each a scalar


class Pair(NamedTuple):
    """One network as a loss sees it: two callables from inputs by name to head outputs by slot.

    Of ``critics`` ``[B, H]``, ``only=h`` gives the one numbered h, ``[B, 1]``, without the work for the others.
    """

    online: Callable[..., Mapping[str, Tensor]]
    target: Callable[..., Mapping[str, Tensor]]


Nets = Mapping[str, Pair]
"""Every network of an agent by its name; tests pass lambdas."""


class LossOut(NamedTuple):
    """Per-example results; the learner does the weighting and the averaging.

    A loss of several heads is told by head slot: `agent.network.loss_weights` weigh them.
    """

    loss: Tensor  # [B]; or a mapping from head slots to [B]
    priority: Tensor  # [B], how surprising each example was
    metrics: Mapping[str, Tensor]  # each [B] or scalar; the learner averages


class Sample(NamedTuple):
    """K minibatches drawn from a memory in one go."""

    rows: Array  # [K, B] int: where they lie, for `learned`
    packed: Array  # [K, B, W] float32: the packed columns of the memory's layout
    weight: Array | None = None  # [K, B] float32 importance weights; None when all are 1
    apart: Mapping[str, Array] = {}  # never changed; columns that are not float32, each [K, B, ...]


class Trained(NamedTuple):
    """What one train call (K updates) hands back, all in NumPy."""

    priority: Array  # [K, B] float32; NaN for a row whose loss is no finite number
    metrics: Array  # [M] float32, means over the K updates in the order of `Learner.metric_names`; NaN: not measured
    weights: Array  # [P] float32, the acting network's weights, flat
