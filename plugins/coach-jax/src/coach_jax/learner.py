"""The learner: a tree of arrays, one compiled program for each number of fused updates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from coach_networks import rows
from coach_networks.blueprint import Blueprint
from coach_networks.flow import Flow, Noise, flowing
from coach_networks.update import Leaves, Numbers, TrainState, UpdateRule
from coachcore.api import Array, Generator, Obs, Problem, Sample, State, Trained

NO_KNOBS: Mapping[str, float] = {}


class JaxBackend:
    """Weights are leaves in their shapes already (`coach_networks.update.Backend`)."""

    def gradient(self, loss: Callable[[Leaves], tuple[Any, Any]], leaves: Leaves) -> tuple[Leaves, Any]:
        return jax.grad(loss, has_aux=True)(leaves)  # type: ignore[no-any-return]

    def shaped(self, _name: str, leaves: Leaves) -> list[Any]:
        return list(leaves)


class JaxLearner:
    """Networks, optimizer and targets of one problem, as one tree that is donated to each train call.

    `compile_seconds` is the time spent so far on building and compiling update
    programs (one for each number of fused updates).
    """

    def __init__(self, problem: Problem) -> None:
        self._blueprint, self._problem = Blueprint.of(problem), problem
        self._rule = UpdateRule(problem, self._blueprint.networks, JaxBackend())
        self._state = self._unflat(self._first_vectors(), 0)
        self._program = jax.jit(self._run, donate_argnums=0)
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
        return self._blueprint.networks[name].program() or {}, np.array(_flat(self._state.weights[name]))

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
        state, names = self._state, self._blueprint.networks
        vectors = {
            "weights": [leaf for name in names for leaf in state.weights[name]],
            "target": [leaf for name in self._blueprint.slow for leaf in state.target[name]],
        }
        for index in range(self._rule.optimizer.slots):
            vectors[f"slot_{index}"] = [leaf for name in names for leaf in state.slots[name][index]]
        flat = {name: np.array(_flat(leaves)) for name, leaves in vectors.items()}
        return flat | {"updates": int(state.updates), "noise": self._blueprint.streams.state()}

    def restore(self, state: State) -> None:
        """Become what `state` describes; raises `BadCheckpoint` when its vectors have other sizes."""
        sizes = {name: vector.size for name, vector in self._first_vectors().items()}
        self._state = self._unflat(self._blueprint.restored(state, sizes), state["updates"])

    def _first_vectors(self) -> dict[str, Array]:
        weights, target = self._blueprint.vector(), self._blueprint.vector(self._blueprint.slow)
        slots = {f"slot_{index}": np.zeros_like(weights) for index in range(self._rule.optimizer.slots)}
        return {"weights": weights, "target": target, **slots}

    def _unflat(self, vectors: Mapping[str, Array], updates: int) -> TrainState:
        everyone = tuple(self._blueprint.networks)
        slots = [self._leaves(vectors[f"slot_{i}"], everyone) for i in range(self._rule.optimizer.slots)]
        return TrainState(
            self._leaves(vectors["weights"], everyone),
            {name: tuple(slot[name] for slot in slots) for name in everyone},
            self._leaves(vectors["target"], self._blueprint.slow),
            jnp.asarray(updates, jnp.int32),
        )

    def _leaves(self, vector: Array, names: tuple[str, ...]) -> dict[str, Leaves]:
        """A flat vector as arrays of their own, in their shapes, by network."""
        found, start = {}, 0
        for name in names:
            leaves = []
            for shape in self._blueprint.networks[name].shapes:
                size = int(np.prod(shape))
                leaves.append(jnp.array(vector[start : start + size].reshape(shape), jnp.float32))
                start += size
            found[name] = tuple(leaves)
        return found

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

    def _run(self, state: TrainState, packed: Any, numbers: Any, columns: list[Any], noise: Any) -> Any:
        """K updates: the new state, priorities ``[K, B]``, metrics ``[M]``, the acting network's flat weights."""
        begin, calls = state.updates, packed.shape[0]
        if calls == 1:
            first = [column[0] for column in columns]
            after, priority, sums = self._update(
                numbers, state, (packed[0], first, None if noise is None else noise[0])
            )
            priority = priority[None]
        else:
            body = partial(self._scanned, numbers)
            after, (priority, measured) = jax.lax.scan(body, state, (packed, columns, noise))
            sums = jnp.sum(measured, axis=0)
        weights = _flat(after.weights[self._blueprint.acting])
        return after, priority, self._rule.means(sums, begin, calls), weights

    def _scanned(self, numbers: Any, state: TrainState, given: Any) -> Any:
        state, priority, metrics = self._update(numbers, state, given)
        return state, (priority, metrics)

    def _update(self, numbers: Any, state: TrainState, given: Any) -> tuple[TrainState, Any, Any]:
        packed, columns, noise = given
        knobs = {name: numbers[index] for index, name in enumerate(self._blueprint.knobs, 1)}
        return self._rule(state, packed, columns, Numbers(numbers[0], knobs, noise))

    def _traced_names(self) -> tuple[str, ...]:
        """Run the update on symbols once: faults in a loss show here, and its metrics give their names."""
        begun, batch = perf_counter(), self._problem.settings.batch_size
        kinds, shapes = (c.dtype for c in self._problem.layout.apart), rows.apart_shapes(self._problem)
        columns = [jax.ShapeDtypeStruct((batch, *shape), kind) for shape, kind in zip(shapes, kinds, strict=True)]
        packed = jax.ShapeDtypeStruct((batch, rows.width(self._problem)), "float32")
        numbers = jax.ShapeDtypeStruct((1 + len(self._blueprint.knobs),), "float32")
        jax.eval_shape(
            lambda state, packed, numbers, columns: self._update(numbers, state, (packed, columns, None)),
            self._state, packed, numbers, columns,
        )  # fmt: skip
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


def _flat(leaves: Any) -> Any:
    pieces = [jnp.reshape(leaf, -1) for leaf in leaves]
    return jnp.concatenate(pieces) if pieces else jnp.zeros(0, jnp.float32)
