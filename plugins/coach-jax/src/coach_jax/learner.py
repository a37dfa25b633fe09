"""The learner: a tree of arrays, one compiled program for each number of fused updates."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import jax
import numpy as np

from coach_jax.program import JaxBackend, Program
from coach_jax.tree import Tree, flat
from coach_networks import rows
from coach_networks.blueprint import Blueprint
from coach_networks.flow import Flow, Noise, flowing
from coach_networks.update import Leaves, UpdateRule
from coachcore.api import Array, Generator, Obs, Problem, Sample, State, Trained

NO_KNOBS: Mapping[str, float] = {}


class JaxLearner:
    """Networks, optimizer and targets of one problem, as one tree that is donated to each train call.

    `compile_seconds` is the time spent so far on building and compiling update
    programs (one for each number of fused updates).
    """

    def __init__(self, problem: Problem) -> None:
        self._blueprint, self._problem = Blueprint.of(problem), problem
        self._rule = UpdateRule(problem, self._blueprint.networks, JaxBackend())
        self._tree = Tree(self._blueprint, self._rule.optimizer.slots)
        self._state = self._tree.grown(self._tree.first(), 0)
        self._program = jax.jit(Program(self._blueprint, self._rule), donate_argnums=0)
        self._seen: set[tuple[int, ...]] = set()  # shapes that have been compiled
        self._forward = jax.jit(self._outputs)
        self._forward_noise = -1  # not counted yet
        self.compile_seconds = 0.0
        self.metric_names = self._traced_names()

    def train(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float] = NO_KNOBS) -> Trained:
        """K updates in one call (K calls for executor ``conv``); see `contracts.engine`."""
        if sample.packed.shape in self._seen:
            return self._called(sample, learning_rate, knobs)
        begun = perf_counter()
        self._blueprint.check(sample)
        trained = self._called(sample, learning_rate, knobs)
        self._seen.add(sample.packed.shape)
        self.compile_seconds += perf_counter() - begun
        return trained

    def acting(self) -> tuple[Mapping[str, Any], Array]:
        """The acting program (empty when some layer has no acting form: then `forward` acts), and its weights."""
        name = self._blueprint.acting
        return self._blueprint.networks[name].program() or {}, np.array(flat(self._state.weights[name]))

    def forward(self, obs: Obs, rng: Generator | None = None) -> Mapping[str, Array]:
        """Head outputs by slot for `obs`, each ``[N, ...]``, through the compiled network."""
        weights, given = self._state.weights[self._blueprint.acting], self._blueprint.seen(obs)
        noise = None if rng is None else rng.standard_normal(self._noise_of(given), np.float32)
        return {slot: np.asarray(value) for slot, value in self._forward(weights, given, noise).items()}

    def summary(self) -> str:
        """The networks, a line a layer, for people."""
        return self._blueprint.summary()

    def state(self) -> State:
        """Flat float32 vectors ``weights``, ``target`` and ``slot_0`` on (what the optimizer remembers), the number
        of ``updates``, and where the stream of noise stands: the same as any engine's."""
        flattened = self._tree.flattened(self._state)
        return flattened | {"updates": int(self._state.updates), "noise": self._blueprint.streams.state()}

    def restore(self, state: State) -> None:
        """Become what `state` describes; raises `BadCheckpoint` when its vectors have other sizes."""
        sizes = {name: vector.size for name, vector in self._tree.first().items()}
        self._state = self._tree.grown(self._blueprint.restored(state, sizes), state["updates"])

    def _called(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float]) -> Trained:
        numbers = np.array([learning_rate, *(knobs[name] for name in self._blueprint.knobs)], np.float32)
        calls = sample.packed.shape[0]
        if self._problem.executor != "conv" or calls == 1:
            return Trained(*self._once(sample, numbers, slice(None)))
        parts = [self._once(sample, numbers, slice(call, call + 1)) for call in range(calls)]
        priority, metrics, weights = zip(*parts, strict=True)
        return Trained(np.concatenate(priority), rows.mean(np.stack(metrics)), weights[-1])

    def _once(self, sample: Sample, numbers: Array, which: slice) -> tuple[Array, Array, Array]:
        calls, batch = sample.packed[which].shape[:2]
        packed = np.empty((calls, batch, rows.width(self._problem)), np.float32)
        rows.fill(packed, self._problem, sample, which, self._blueprint.noise)
        columns = [np.ascontiguousarray(values) for values in rows.apart(self._problem, sample, which)]
        size, noise = self._rule.noise_size, None
        if size:
            noise = self._blueprint.noise.standard_normal((calls, size), np.float32)
        self._state, *told = self._program(self._state, packed, numbers, columns, noise)
        priority, metrics, weights = (np.asarray(values) for values in told)
        return priority, metrics, weights

    def _traced_names(self) -> tuple[str, ...]:
        begun = perf_counter()
        Program(self._blueprint, self._rule).trace(self._state)
        self.compile_seconds += perf_counter() - begun
        return self._rule.metric_names

    def _outputs(self, weights: Leaves, obs: Mapping[str, Any], noise: Any) -> Mapping[str, Any]:
        network = self._blueprint.networks[self._blueprint.acting]
        if noise is None:
            return network.call(list(weights), obs)  # type: ignore[no-any-return]
        with flowing(Flow(normal=Noise(noise))):
            return network.call(list(weights), obs)  # type: ignore[no-any-return]

    def _noise_of(self, obs: Mapping[str, Any]) -> int:
        """How many noise numbers one forward pass needs; found by a pass on symbols."""
        if self._forward_noise < 0:
            counting, network = Noise(None), self._blueprint.networks[self._blueprint.acting]

            def counted(weights: Leaves, given: Mapping[str, Any]) -> Any:
                with flowing(Flow(normal=counting)):
                    return network.call(list(weights), given)

            jax.eval_shape(counted, self._state.weights[self._blueprint.acting], dict(obs))
            self._forward_noise = counting.used
        return self._forward_noise
