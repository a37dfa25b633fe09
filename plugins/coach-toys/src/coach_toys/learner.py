"""A linear network q = x W + b that learns: forward, backward, a step of the optimizer, a target copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coach_toys.network import DEVIATION, actions_of
from coach_toys.rows import batch_of
from coach_toys.steps import clipped, rule_of
from coachcore.api import Array, BadCheckpoint, Batch, Generator, Obs, Pair, Problem, Sample, State, Trained

_NO_KNOBS: Mapping[str, float] = {}


class LinearLearner:
    """Weights W ``[F, A]`` and b ``[A]``, their slow copies, and what the optimizer remembers; all float64."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._agent = problem, problem.agent
        ((self._name, self._plan),) = problem.networks.items()
        (self._slot,) = self._plan.spec.slots
        self._shapes = {name: space.shape for name, space in sorted(problem.spaces.observation.items())}
        features, actions = sum(int(np.prod(s)) for s in self._shapes.values()), actions_of(problem.spaces.action)
        rng = np.random.Generator(np.random.PCG64(problem.seed))
        self._weights = (DEVIATION * rng.standard_normal((features, actions)), np.zeros(actions))
        self._target = self._weights
        self._rule = rule_of(problem.settings)
        self._memory = self._rule.start(self._weights)
        self._updates = 0
        nothing = batch_of(problem.layout, np.zeros((1, problem.layout.width), np.float32), {})
        clip = ("gradient_norm",) if problem.settings.gradient_clip else ()
        self.metric_names = ("loss", *sorted(self._loss(nothing).metrics), *clip)

    def train(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float] = _NO_KNOBS) -> Trained:
        """K updates, one a minibatch, each with its target copy where one falls due."""
        done = []
        for call, packed in enumerate(sample.packed):
            batch = batch_of(self._problem.layout, packed, {name: v[call] for name, v in sample.apart.items()})
            weight = np.ones(len(packed)) if sample.weight is None else sample.weight[call].astype(np.float64)
            done.append(self._update(batch, weight, learning_rate))
        priorities, metrics = zip(*done, strict=True)
        means = np.mean(metrics, axis=0).astype(np.float32)
        return Trained(np.array(priorities, np.float32), np.where(np.isfinite(means), means, np.inf), self._flat())

    def acting(self) -> tuple[Mapping[str, Any], Array]:
        """Flatten, join, one dense layer, as a program of `coachcore.acting`."""
        kernel, bias = self._weights
        ops: list[dict[str, Any]] = [
            {"op": "flatten", "inputs": [name], "output": f"x.{name}"} for name in self._shapes
        ]
        flat = [op["output"] for op in ops]
        if len(flat) > 1:
            ops.append({"op": "concatenate", "inputs": flat, "output": "x"})
        dense = {"op": "dense", "inputs": [ops[-1]["output"]], "output": "q", "kernel": 0, "bias": 1}
        listed = [
            {"name": "kernel", "shape": list(kernel.shape), "offset": 0},
            {"name": "bias", "shape": list(bias.shape), "offset": kernel.size},
        ]
        program = {
            "inputs": {name: list(shape) for name, shape in self._shapes.items()},
            "size": kernel.size + bias.size,
            "weights": listed,
            "ops": [*ops, {**dense, "activation": "linear"}],
            "outputs": {self._slot: "q"},
        }
        return program, self._flat()

    def forward(self, obs: Obs, rng: Generator | None = None) -> Mapping[str, Array]:
        return {self._slot: self._values(obs, self._weights).astype(np.float32)}

    def summary(self) -> str:
        kernel, bias = self._weights
        seen = ", ".join(f"{name} {list(shape)}" for name, shape in self._shapes.items())
        return f"{self._name}: {seen} -> {self._slot} [{len(bias)}], {kernel.size + bias.size} weights"

    def state(self) -> State:
        return {
            "weights": [weight.copy() for weight in self._weights],
            "target": [weight.copy() for weight in self._target],
            "memory": [[part.copy() for part in slot] for slot in self._memory],
            "updates": self._updates,
        }

    def restore(self, state: State) -> None:
        saved, mine = [np.shape(weight) for weight in state["weights"]], [weight.shape for weight in self._weights]
        if saved != mine or len(state["memory"]) != len(self._memory):
            raise BadCheckpoint(f"it holds a network of other weights, {saved}; this one has {mine}")
        self._weights, self._target = (tuple(w.copy() for w in state[name]) for name in ("weights", "target"))
        self._memory = tuple(tuple(part.copy() for part in slot) for slot in state["memory"])
        self._updates = int(state["updates"])

    def _update(self, batch: Batch, weight: Array, rate: float) -> tuple[Array, list[float]]:
        """One gradient step; priorities ``[B]`` and the metrics in their order."""
        settings, own = self._problem.settings, self._plan.settings
        out, slopes = self._loss(batch), self._agent.slopes(self._nets(), batch)
        factor = own.loss_weights.get(self._slot, 1.0) if isinstance(out.loss, Mapping) else 1.0
        gradients = self._gradients(batch.obs, factor * weight[:, None] * slopes[self._slot] / len(weight))
        gradients, norm = clipped(gradients, settings.gradient_clip, settings.gradient_clip_by)
        self._updates += 1
        rate *= own.learning_rate_factor
        self._weights, self._memory = self._rule.step(self._weights, gradients, self._memory, (rate, self._updates))
        if self._updates % settings.target_every.amount == 0:
            pairs = zip(self._target, self._weights, strict=True)
            self._target = tuple(slow + settings.target_rate * (fast - slow) for slow, fast in pairs)
        known = {"loss": weight * out.loss, **out.metrics, "gradient_norm": norm}
        return np.where(np.isfinite(out.loss), out.priority, np.nan), [np.mean(known[n]) for n in self.metric_names]

    def _gradients(self, obs: Obs, slope: Array) -> tuple[Array, Array]:
        """The chain rule: q = x W + b, so dL/dW = x' dL/dq and dL/db = sum of dL/dq, for `slope` dL/dq ``[B, A]``."""
        kernel, _ = self._weights
        return self._features(obs).T @ slope + self._plan.settings.l2 * kernel, slope.sum(axis=0)

    def _loss(self, batch: Batch) -> Any:
        return self._agent.updates()[0].loss(self._nets(), batch)

    def _nets(self) -> dict[str, Pair]:
        """The network and its slow copy, as losses see them."""
        online, target = (
            lambda inputs, weights=weights: {self._slot: self._values(inputs, weights)}
            for weights in (self._weights, self._target)
        )
        return {self._name: Pair(online, target)}

    def _values(self, obs: Obs, weights: tuple[Array, ...]) -> Array:
        kernel, bias = weights
        return np.asarray(self._features(obs) @ kernel + bias)

    def _features(self, obs: Obs) -> Array:
        """Every observation flattened, one after the other: x ``[B, F]``."""
        parts = [np.asarray(obs[name], np.float64) for name in self._shapes]
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)

    def _flat(self) -> Array:
        """The weights ``[P]`` float32, in an array of their own."""
        return np.concatenate([weight.reshape(-1) for weight in self._weights]).astype(np.float32)
