"""The learner: flat variables, one compiled program for each number of fused updates."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
import tensorflow as tf

from coach_networks.blueprint import Blueprint
from coach_networks.flow import Flow, Noise, flowing
from coach_networks.update import UpdateRule
from coach_tensorflow import programs
from coach_tensorflow.backend import TensorFlowBackend
from coach_tensorflow.flat import Segments, Vector
from coach_tensorflow.fused import FusedStep
from coach_tensorflow.program import Parts, Program, Variables
from coachcore.api import Array, CoachError, Generator, Obs, Problem, Sample, State, Trained

NO_KNOBS: Mapping[str, float] = {}


class TensorFlowLearner:
    """Networks, optimizer and targets of one problem, in a few long variables.

    `compile_seconds` is the time spent so far on building and compiling update
    programs (one for each number of fused updates).
    """

    def __init__(self, problem: Problem, *, fast_call: bool = True) -> None:
        self._blueprint, self._fast = Blueprint.of(problem), fast_call
        shapes = {name: network.shapes for name, network in self._blueprint.networks.items()}
        self._segments = Segments.of(shapes)
        whole = problem.executor == "small"  # which XLA compiles as a whole
        self._rule = UpdateRule(problem, self._blueprint.networks, TensorFlowBackend(self._segments, whole))
        if not whole:
            self._rule.optimizer = FusedStep(self._rule.optimizer)
            self._rule.mix = tf.function(self._rule.mix, jit_compile=True, autograph=False)
        self._variables = self._initial(Segments.of({name: shapes[name] for name in self._blueprint.slow}))
        self._parts = Parts(self._blueprint, self._rule, self._variables)
        self._programs: dict[tuple[int, ...], Program] = {}
        self._forward: dict[bool, Any] = {}
        self._forward_noise = -1  # not counted yet
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
        name = self._blueprint.acting
        return self._blueprint.networks[name].program() or {}, self._variables.weights.variables[name].numpy()

    def forward(self, obs: Obs, rng: Generator | None = None) -> Mapping[str, Array]:
        """Head outputs by slot for `obs`, each ``[N, ...]``, through the compiled network."""
        noisy = rng is not None
        if noisy not in self._forward:
            run = self._noisy if noisy else self._still
            self._forward[noisy] = tf.function(run, autograph=False, reduce_retracing=True)
        given = {name: tf.constant(values) for name, values in self._blueprint.seen(obs).items()}
        if rng is None:
            outputs = self._forward[False](given)
        else:
            outputs = self._forward[True](given, tf.constant(rng.standard_normal(self._noise_of(given), np.float32)))
        return {slot: np.asarray(value) for slot, value in outputs.items()}

    def summary(self) -> str:
        """The networks, a line a layer, for people."""
        return self._blueprint.summary()

    def state(self) -> State:
        """Flat float32 vectors ``weights``, ``target`` and ``slot_0`` on (what the optimizer remembers), the number
        of ``updates``, and where the stream of noise stands."""
        vectors = {name: vector.numpy() for name, vector in self._vectors().items()}
        return vectors | {"updates": int(self._variables.updates.numpy()), "noise": self._blueprint.streams.state()}

    def restore(self, state: State) -> None:
        """Become what `state` describes; raises `BadCheckpoint` when its vectors have other sizes."""
        vectors = self._vectors()
        saved = self._blueprint.restored(state, {name: vector.size for name, vector in vectors.items()})
        for name, vector in vectors.items():
            vector.assign(saved[name])
        self._variables.updates.assign(state["updates"])

    def _vectors(self) -> dict[str, Vector]:
        given = self._variables
        slots = {f"slot_{index}": slot for index, slot in enumerate(given.slots)}
        return {"weights": given.weights, "target": given.target, **slots}

    def _initial(self, slow: Segments) -> Variables:
        weights = self._blueprint.vector()
        slots = (Vector(self._segments, np.zeros_like(weights)) for _ in range(self._rule.optimizer.slots))
        target = Vector(slow, self._blueprint.vector(self._blueprint.slow))
        updates = tf.Variable(np.int64(0), trainable=False)
        return Variables(Vector(self._segments, weights), tuple(slots), target, updates)

    def _first(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float]) -> Trained:
        """Build the program for this many updates, compile it by running it, and keep it."""
        begun = perf_counter()
        self._blueprint.check(sample)
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
        Program.trace(self._parts, self._blueprint.problem.settings.batch_size)
        self.compile_seconds += perf_counter() - begun
        return self._rule.metric_names

    def _still(self, obs: Mapping[str, Any]) -> Mapping[str, Any]:
        name = self._blueprint.acting
        weights = self._segments.by_name[name].weights((self._variables.weights.variables[name].value(),))
        return self._blueprint.networks[name].call(weights, obs)  # type: ignore[no-any-return]

    def _noisy(self, obs: Mapping[str, Any], noise: Any) -> Mapping[str, Any]:
        with flowing(Flow(normal=Noise(noise))):
            return self._still(obs)

    def _noise_of(self, obs: Mapping[str, Any]) -> int:
        """How many noise numbers one forward pass needs; found by a pass on symbols."""
        if self._forward_noise < 0:
            counting = Noise(None)
            with flowing(Flow(normal=counting)):
                tf.function(self._still, autograph=False).get_concrete_function(obs)
            self._forward_noise = counting.used
        return self._forward_noise
