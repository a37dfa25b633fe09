"""A toy agent and a toy engine: linear Q-learning in NumPy, with everything that a real pair has to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.component import component, param
from coachcore.contracts.agent import DataSpec, NetworkSpec, Update
from coachcore.contracts.engine import Problem
from coachcore.errors import BadCheckpoint, Mismatch
from coachcore.layout import Layout
from coachcore.rng import Generator
from coachcore.spaces import Discrete, Spaces
from coachcore.types import Array, Batch, LossOut, Nets, Obs, Pair, Proposal, Sample, State, Trained

SLOTS = {"q": "action-values"}
_NUDGE = 1e-3
_NO_KNOBS: Mapping[str, float] = {}


@component("agent", "toy-q", slots=SLOTS, executor="small", actions="discrete", defaults={})
@attrs.frozen(kw_only=True)
class ToyQ:
    """Q-learning: half the squared error of r + d max_a Q'(s', a) - Q(s, a).

    Watkins 1989. A real agent writes the same in `keras.ops`.
    """

    discount: float = param(default=0.9, gt=0, le=1, doc="gamma, what a reward is worth one step later")
    n_step: int = param(default=1, ge=1, doc="rewards added up before bootstrapping")

    def data(self, spaces: Spaces) -> DataSpec:
        return DataSpec()

    def networks(self, spaces: Spaces) -> Mapping[str, NetworkSpec]:
        if not isinstance(spaces.action, Discrete):
            raise Mismatch(f"toy-q chooses among discrete actions, this environment's are {spaces.action}")
        return {"main": NetworkSpec(slots=SLOTS, target=True)}

    def updates(self) -> tuple[Update, ...]:
        return (Update("main", self.errors),)

    def errors(self, nets: Nets, batch: Batch) -> LossOut:
        """The loss ``[B]``; its priority is the size of the error."""
        value = nets["main"].online(batch.obs)["q"][np.arange(len(batch.action)), batch.action]  # [B]
        after = nets["main"].target(batch.next_obs)["q"].max(axis=1)  # [B]
        error = value - (batch.reward + batch.discount * after)
        return LossOut(0.5 * error**2, np.abs(error), {"q": value})

    def propose(self, outputs: Mapping[str, Array]) -> Proposal:
        return Proposal(outputs["q"])


@component("engine", "toy-numpy")
@attrs.frozen(kw_only=True)
class ToyEngine:
    """A linear network without autodiff: ``q = x W + b``, moved by plain gradient descent.

    It treats a loss as what the contract says it is, a pure function of networks
    and a batch: the slope of each example's loss with respect to its own outputs
    is taken by nudging them, and the rest of the chain rule is one product.
    Embedders, middleware and heads are not built; of the learner's settings it
    knows the learning rate, target copies and gradient clipping.
    """

    def make(self, problem: Problem) -> ToyLearner:
        if set(problem.networks) != {"main"} or set(problem.networks["main"].spec.slots) != {"q"}:
            raise Mismatch("toy-numpy builds one network, 'main', with one head, 'q'")
        return ToyLearner(problem)


class ToyLearner:
    """Weights, targets and a count of updates."""

    def __init__(self, problem: Problem) -> None:
        action = problem.spaces.action
        if not isinstance(action, Discrete):
            raise Mismatch(f"toy-numpy values discrete actions, got {action}")
        self._problem, self._update = problem, problem.agent.updates()[0]
        self._shapes = {name: space.shape for name, space in sorted(problem.spaces.observation.items())}
        width = sum(int(np.prod(shape)) for shape in self._shapes.values()) + 1
        rng = np.random.Generator(np.random.PCG64(problem.seed))
        self._weights = 0.01 * rng.standard_normal((width, action.n))  # [F + 1, A]; the last row is the bias
        self._target, self._updates = self._weights.copy(), 0
        columns = {column.name: np.zeros((1, *column.shape), column.dtype) for column in problem.layout.columns}
        self.metric_names = ("loss", *sorted(self._loss(_batch(problem.layout, columns), 0.0).metrics))

    def train(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float] = _NO_KNOBS) -> Trained:
        """K updates, one a minibatch, each with its target copy where one falls due."""
        priorities, metrics = [], []
        for call in range(len(sample.packed)):
            batch = _batch(self._problem.layout, _columns(self._problem.layout, sample, call))
            weight = np.ones(len(batch.reward)) if sample.weight is None else sample.weight[call]
            out = self._loss(batch, 0.0)
            self._descend(batch, weight, learning_rate)
            priorities.append(np.where(np.isfinite(out.loss), out.priority, np.nan))
            known = {"loss": weight * out.loss, **out.metrics}
            metrics.append([float(np.mean(known[name])) for name in self.metric_names])
        mean = np.mean(metrics, axis=0).astype(np.float32)
        told = np.where(np.isfinite(mean), mean, np.float32(np.inf))
        return Trained(np.array(priorities, np.float32), told, self._flat())

    def acting(self) -> tuple[Mapping[str, Any], Array]:
        """A program of `coachcore.acting`: flatten, concatenate, one dense layer."""
        width, actions = self._weights.shape
        ops: list[dict[str, Any]] = [
            {"op": "flatten", "inputs": [name], "output": f"flat.{name}"} for name in self._shapes
        ]
        flat = [op["output"] for op in ops]
        if len(flat) > 1:
            ops.append({"op": "concatenate", "inputs": flat, "output": "features"})
        dense = {
            "op": "dense",
            "inputs": [ops[-1]["output"]],
            "output": "q",
            "kernel": 0,
            "bias": 1,
            "activation": "linear",
        }
        program = {
            "inputs": {name: list(shape) for name, shape in self._shapes.items()},
            "size": width * actions,
            "weights": [
                {"name": "q.kernel", "shape": [width - 1, actions], "offset": 0},
                {"name": "q.bias", "shape": [actions], "offset": (width - 1) * actions},
            ],
            "ops": [*ops, dense],
            "outputs": {"q": "q"},
        }
        return program, self._flat()

    def forward(self, obs: Obs, rng: Generator | None = None) -> Mapping[str, Array]:
        return {"q": (self._features(obs) @ self._weights).astype(np.float32)}

    def summary(self) -> str:
        width, actions = self._weights.shape
        return f"main: {width - 1} features -> q [{actions}], {self._weights.size} weights"

    def state(self) -> State:
        return {"weights": self._weights.copy(), "target": self._target.copy(), "updates": self._updates}

    def restore(self, state: State) -> None:
        if np.shape(state["weights"]) != self._weights.shape:
            raise BadCheckpoint(
                f"weights {np.shape(state['weights'])} were saved, this network has {self._weights.shape}"
            )
        self._weights, self._target = np.array(state["weights"]), np.array(state["target"])
        self._updates = int(state["updates"])

    def _flat(self) -> Array:
        """The weights ``[P]`` as float32, in an array of their own: the caller keeps it."""
        return self._weights.astype(np.float32).reshape(-1)

    def _features(self, obs: Mapping[str, Any]) -> Array:
        """Every observation, flattened, and a one: ``[B, F + 1]``."""
        parts = [np.asarray(obs[name], np.float64) for name in self._shapes]
        flat = [part.reshape(len(part), -1) for part in parts]
        return np.concatenate([*flat, np.ones((len(parts[0]), 1))], axis=1)

    def _loss(self, batch: Batch, nudge: Array | float) -> LossOut:
        """The agent's loss, the online outputs for `batch.obs` moved by `nudge` ``[A]``."""

        def online(inputs: Mapping[str, Any]) -> Mapping[str, Array]:
            values = self._features(inputs) @ self._weights
            return {"q": values + nudge if inputs is batch.obs else values}

        def target(inputs: Mapping[str, Any]) -> Mapping[str, Array]:
            return {"q": self._features(inputs) @ self._target}

        return self._update.loss({"main": Pair(online, target)}, batch)

    def _descend(self, batch: Batch, weight: Array, learning_rate: float) -> None:
        settings = self._problem.settings
        nudges = _NUDGE * np.eye(self._weights.shape[1])
        slopes = [(self._loss(batch, nudge).loss - self._loss(batch, -nudge).loss) / (2 * _NUDGE) for nudge in nudges]
        towards = np.stack(slopes, axis=1) * weight[:, None]  # [B, A]
        gradient = self._features(batch.obs).T @ towards / len(weight)  # [F + 1, A]
        norm = float(np.sqrt(np.sum(gradient**2)))
        if settings.gradient_clip and norm > settings.gradient_clip:
            gradient *= settings.gradient_clip / norm
        self._weights = self._weights - learning_rate * gradient
        self._updates += 1
        if self._updates % settings.target_every.amount == 0:
            self._target = self._target + settings.target_rate * (self._weights - self._target)


def _columns(layout: Layout, sample: Sample, call: int) -> dict[str, Array]:
    """Minibatch number `call` of a sample, column by column ``[B, ...]``."""
    packed = sample.packed[call]
    columns = {name: packed[:, where].reshape(-1, *layout[name].shape) for name, where in layout.packed.items()}
    return columns | {name: values[call] for name, values in sample.apart.items()}


def _batch(layout: Layout, columns: Mapping[str, Array]) -> Batch:
    named: dict[str, dict[str, Array]] = {"obs": {}, "next_obs": {}, "extras": {}}
    for column in layout.columns:
        group, _, name = column.name.partition(".")
        if name and group in ("obs", "next_obs"):
            named[group][name] = columns[column.name]
        elif column.name not in ("action", "reward", "discount"):
            named["extras"][column.name] = columns[column.name]
    action = columns["action"].astype(np.int64) if layout["action"].shape == () else columns["action"]
    reward, discount = columns["reward"].astype(np.float64), columns["discount"].astype(np.float64)
    return Batch(named["obs"], action, reward, discount, named["next_obs"], named["extras"])
