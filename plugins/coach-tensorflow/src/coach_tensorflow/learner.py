"""The learner: flat variables, one compiled program for each number of fused updates."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
import tensorflow as tf

from coach_networks.assembly import build
from coach_networks.flow import Flow, Noise, flowing
from coach_networks.seeds import seed_for
from coach_networks.update import UpdateRule
from coach_tensorflow import programs
from coach_tensorflow.backend import TensorFlowBackend
from coach_tensorflow.flat import Segments
from coach_tensorflow.program import Parts, Program, Variables
from coachcore.api import (
    Array,
    BadCheckpoint,
    CoachError,
    Generator,
    Mismatch,
    Obs,
    Problem,
    Sample,
    State,
    Streams,
    Trained,
)

NO_KNOBS: Mapping[str, float] = {}


class TensorFlowLearner:
    """Networks, optimizer and targets of one problem, in a few long variables.

    `compile_seconds` is the time spent so far on building and compiling update
    programs (one for each number of fused updates).
    """

    def __init__(self, problem: Problem, *, fast_call: bool = True) -> None:
        self._problem, self._fast = problem, fast_call
        precision = problem.settings.precision
        self._networks = {
            name: build(plan, problem.spaces, seed_for(problem.seed, name), precision)
            for name, plan in problem.networks.items()
        }
        shapes = {name: network.shapes for name, network in self._networks.items()}
        slow = {name: shapes[name] for name, plan in problem.networks.items() if plan.spec.target}
        self._segments = Segments.of(shapes)
        self._acting = one_that_acts(problem)
        self._rule = UpdateRule(problem, self._networks, TensorFlowBackend(self._segments))
        self._variables = self._initial(slow)
        self._streams = Streams(problem.seed)
        begin = getattr(problem.agent, "begin", None)
        knobs = () if begin is None else tuple(sorted(problem.agent.knobs(begin(), 0)))
        statistics = any(network.statistics for network in self._networks.values())
        self._parts = Parts(
            problem, self._rule, self._variables, self._segments, Segments.of(slow), self._acting, knobs,
            self._streams["noise"], statistics,
        )  # fmt: skip
        self._programs: dict[tuple[int, ...], Program] = {}
        self._forward: dict[bool, Any] = {}
        self._forward_noise = 0
        self.compile_seconds = 0.0
        self.metric_names = self._traced_names()

    def train(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float] = NO_KNOBS) -> Trained:
        """K updates in one call (K calls for executor ``conv``); see `contracts.engine`."""
        program = self._programs.get(sample.packed.shape)
        if program is None:
            return self._first(sample, learning_rate, knobs)
        return program(sample, learning_rate, knobs)

    def acting(self) -> tuple[Mapping[str, Any], Array]:
        """The acting program (empty when some layer has no acting form: then `forward` acts), and its weights."""
        weights = self._segments.by_name[self._acting].of(self._variables.weights.numpy())
        return self._networks[self._acting].program() or {}, weights

    def forward(self, obs: Obs, rng: Generator | None = None) -> Mapping[str, Array]:
        """Head outputs by slot for `obs`, each ``[N, ...]``, through the compiled network."""
        noisy = rng is not None
        if noisy not in self._forward:
            self._forward[noisy] = tf.function(self._noisy if noisy else self._still, autograph=False)
        spaces, names = self._problem.spaces.observation, self._networks[self._acting].inputs
        kinds = {name: "uint8" if spaces[name].dtype == "uint8" else "float32" for name in names}
        given = {name: tf.constant(obs[name], kind) for name, kind in kinds.items()}
        if rng is None:
            outputs = self._forward[False](given)
        else:
            outputs = self._forward[True](given, tf.constant(rng.standard_normal(self._noise_of(given), np.float32)))
        return {slot: np.asarray(value) for slot, value in outputs.items()}

    def summary(self) -> str:
        """The networks, a line a layer, for people."""
        return "\n".join(f"{name}\n{network.summary()}" for name, network in self._networks.items())

    def state(self) -> State:
        """Flat float32 vectors ``weights``, ``target`` and ``slot_0`` on (what the optimizer remembers), the number
        of ``updates``, and where the stream of noise stands."""
        vectors = {name: np.array(vector.numpy()) for name, vector in self._vectors().items()}
        return vectors | {"updates": int(self._variables.updates.numpy()), "noise": self._streams.state()}

    def restore(self, state: State) -> None:
        """Become what `state` describes; raises `BadCheckpoint` when its vectors have other sizes."""
        vectors = self._vectors()
        for name, vector in vectors.items():
            given, size = np.asarray(state.get(name, ())), int(vector.shape[0])
            if given.shape != (size,):
                raise BadCheckpoint(
                    f"the learner's {name} should be {size} numbers, the checkpoint holds {given.shape}"
                )
        if not isinstance(state.get("updates"), int):
            raise BadCheckpoint(f"the learner's updates should be a whole number, got {state.get('updates')!r}")
        for name, vector in vectors.items():
            vector.assign(np.asarray(state[name], np.float32))
        self._variables.updates.assign(state["updates"])
        noise = Streams(self._problem.seed)
        noise.restore(state["noise"])
        self._streams["noise"].bit_generator.state = noise["noise"].bit_generator.state

    def _vectors(self) -> dict[str, Any]:
        given = self._variables
        slots = {f"slot_{index}": slot for index, slot in enumerate(given.slots)}
        return {"weights": given.weights, "target": given.target, **slots}

    def _initial(self, slow: Mapping[str, Any]) -> Variables:
        first = {name: np.concatenate([w.ravel() for w in net.initial()]) for name, net in self._networks.items()}
        weights = np.concatenate(list(first.values()))
        target = np.concatenate([first[name] for name in slow]) if slow else np.zeros(0, np.float32)
        slots = [np.zeros_like(weights) for _ in range(self._rule.optimizer.slots)]
        made = (tf.Variable(x, trainable=False) for x in (weights, *slots, target, np.int64(0)))
        weights, *slots, target, updates = made
        return Variables(weights, tuple(slots), target, updates)

    def _first(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float]) -> Trained:
        """Build the program for this many updates, compile it by running it, and keep it."""
        begun = perf_counter()
        _check(sample, self._problem)
        try:
            program = Program(self._parts, sample.packed.shape[:2], fast_call=self._fast)
            trained = program(sample, learning_rate, knobs)
        except tf.errors.OpError:
            # a kept program that was cut short fails before anything has run; without it, compile anew
            if not programs.forget():
                raise
            program = Program(self._parts, sample.packed.shape[:2], fast_call=self._fast)
            try:
                trained = program(sample, learning_rate, knobs)
            except tf.errors.OutOfRangeError as error:  # XLA's word for a cache that cannot be written
                said = str(error.message).splitlines()[0].partition(" [Op")[0]
                raise CoachError(
                    f"the compiled program cannot be kept: {said} - free the disk, or set engine.cache = false"
                ) from None
        self._programs[sample.packed.shape] = program
        self.compile_seconds += perf_counter() - begun
        return trained

    def _traced_names(self) -> tuple[str, ...]:
        """Run the update on symbols once: faults in a loss show here, and its metrics give their names."""
        begun = perf_counter()
        Program.trace(self._parts, self._problem.settings.batch_size)
        self.compile_seconds += perf_counter() - begun
        return self._rule.metric_names

    def _still(self, obs: Mapping[str, Any]) -> Mapping[str, Any]:
        segment = self._segments.by_name[self._acting]
        weights = segment.weights((segment.of(self._variables.weights),))
        return self._networks[self._acting].call(weights, obs)

    def _noisy(self, obs: Mapping[str, Any], noise: Any) -> Mapping[str, Any]:
        with flowing(Flow(normal=Noise(noise))):
            return self._still(obs)

    def _noise_of(self, obs: Mapping[str, Any]) -> int:
        """How many noise numbers one forward pass needs; found by a pass on symbols."""
        if not self._forward_noise:
            counting = Noise(None)
            with flowing(Flow(normal=counting)):
                tf.function(self._still, autograph=False).get_concrete_function(obs)
            self._forward_noise = counting.used
        return self._forward_noise


def _check(sample: Sample, problem: Problem) -> None:
    width = problem.layout.width
    if sample.packed.ndim != 3 or sample.packed.shape[2] != width:
        raise Mismatch(f"a sample's rows should be [K, B, {width}], got {sample.packed.shape}")
    if sample.weight is not None and not problem.weighted:
        raise Mismatch("a sample brings importance weights, but the problem was made with weighted = False")


def one_that_acts(problem: Problem) -> str:
    names = [name for name, plan in problem.networks.items() if plan.spec.acts]
    if len(names) != 1:
        raise Mismatch(f"exactly one network chooses actions, but {names or 'none'} do; set acts in its NetworkSpec")
    return names[0]
