"""The learner: flat variables, one compiled program for each number of fused updates."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
import tensorflow as tf

from coach_networks.assembly import Network, build
from coach_networks.seeds import seed_for
from coach_tensorflow import programs
from coach_tensorflow.flat import Segments
from coach_tensorflow.program import Parts, Program, Variables
from coach_tensorflow.update import UpdateRule
from coachcore.api import Array, BadCheckpoint, CoachError, Mismatch, Obs, Problem, Sample, State, Trained

VECTORS = ("weights", "m", "v", "target")


class TensorFlowLearner:
    """Networks, optimizer and targets of one problem, in five variables.

    `compile_seconds` is the time spent so far on building and compiling update
    programs (one for each number of fused updates).
    """

    def __init__(self, problem: Problem, *, fast_call: bool = True) -> None:
        self._problem, self._fast = problem, fast_call
        self._networks = {
            name: build(plan, problem.spaces, seed_for(problem.seed, name)) for name, plan in problem.networks.items()
        }
        shapes = {name: network.shapes for name, network in self._networks.items()}
        slow = {name: shapes[name] for name, plan in problem.networks.items() if plan.spec.target}
        self._variables, self._segments = self._initial(slow), Segments.of(shapes)
        self._acting = _one_that_acts(problem)
        self._rule = UpdateRule(problem, self._networks, self._segments)
        self._parts = Parts(problem, self._rule, self._variables, self._segments, Segments.of(slow), self._acting)
        self._programs: dict[tuple[int, ...], Program] = {}
        self._forward: Any = None
        self.compile_seconds = 0.0
        self.metric_names = self._traced_names()

    def train(self, sample: Sample, learning_rate: float) -> Trained:
        """K updates in one call (K calls for executor ``conv``); see `contracts.engine`."""
        program = self._programs.get(sample.packed.shape)
        if program is None:
            return self._first(sample, learning_rate)
        return program(sample, learning_rate)

    def acting(self) -> tuple[Mapping[str, Any], Array]:
        """The acting program (empty when some layer has no acting form: then `forward` acts), and its weights."""
        weights = self._segments.by_name[self._acting].of(self._variables.weights.numpy())
        return self._networks[self._acting].program() or {}, weights

    def forward(self, obs: Obs) -> Mapping[str, Array]:
        """Head outputs by slot for `obs`, each ``[N, ...]``, through the compiled network."""
        if self._forward is None:
            self._forward = tf.function(self._outputs, autograph=False, reduce_retracing=True)
        spaces, names = self._problem.spaces.observation, self._networks[self._acting].inputs
        kinds = {name: "uint8" if spaces[name].dtype == "uint8" else "float32" for name in names}
        given = {name: tf.constant(obs[name], kind) for name, kind in kinds.items()}
        return {slot: np.asarray(value) for slot, value in self._forward(given).items()}

    def summary(self) -> str:
        """The networks, a line a layer, for people."""
        return "\n".join(f"{name}\n{network.summary()}" for name, network in self._networks.items())

    def state(self) -> State:
        """Flat float32 vectors ``weights``, ``m``, ``v``, ``target``, and the number of ``updates``."""
        vectors = {name: np.array(getattr(self._variables, name).numpy()) for name in VECTORS}
        return vectors | {"updates": int(self._variables.updates.numpy())}

    def restore(self, state: State) -> None:
        """Become what `state` describes; raises `BadCheckpoint` when its vectors have other sizes."""
        for name in VECTORS:
            given, size = np.asarray(state.get(name, ())), int(getattr(self._variables, name).shape[0])
            if given.shape != (size,):
                raise BadCheckpoint(
                    f"the learner's {name} should be {size} numbers, the checkpoint holds {given.shape}"
                )
        if not isinstance(state.get("updates"), int):
            raise BadCheckpoint(f"the learner's updates should be a whole number, got {state.get('updates')!r}")
        for name in VECTORS:
            getattr(self._variables, name).assign(np.asarray(state[name], np.float32))
        self._variables.updates.assign(state["updates"])

    def _initial(self, slow: Mapping[str, Any]) -> Variables:
        first = {name: np.concatenate([w.ravel() for w in net.initial()]) for name, net in self._networks.items()}
        weights = np.concatenate(list(first.values()))
        target = np.concatenate([first[name] for name in slow]) if slow else np.zeros(0, np.float32)
        zeros = np.zeros_like(weights)
        return Variables(*(tf.Variable(x, trainable=False) for x in (weights, zeros, zeros, target, np.int64(0))))

    def _first(self, sample: Sample, learning_rate: float) -> Trained:
        """Build the program for this many updates, compile it by running it, and keep it."""
        begun = perf_counter()
        _check(sample, self._problem)
        try:
            program = Program(self._parts, sample.packed.shape[:2], fast_call=self._fast)
            trained = program(sample, learning_rate)
        except tf.errors.OpError:
            # a kept program that was cut short fails before anything has run; without it, compile anew
            if not programs.forget():
                raise
            program = Program(self._parts, sample.packed.shape[:2], fast_call=self._fast)
            try:
                trained = program(sample, learning_rate)
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

    def _outputs(self, obs: Mapping[str, Any]) -> Mapping[str, Any]:
        segment = self._segments.by_name[self._acting]
        network: Network = self._networks[self._acting]
        return network.call(segment.weights((segment.of(self._variables.weights),)), obs)


def _check(sample: Sample, problem: Problem) -> None:
    width = problem.layout.width
    if sample.packed.ndim != 3 or sample.packed.shape[2] != width:
        raise Mismatch(f"a sample's rows should be [K, B, {width}], got {sample.packed.shape}")
    if sample.weight is not None and not problem.weighted:
        raise Mismatch("a sample brings importance weights, but the problem was made with weighted = False")


def _one_that_acts(problem: Problem) -> str:
    names = [name for name, plan in problem.networks.items() if plan.spec.acts]
    if len(names) != 1:
        raise Mismatch(f"exactly one network chooses actions, but {names or 'none'} do; set acts in its NetworkSpec")
    return names[0]
