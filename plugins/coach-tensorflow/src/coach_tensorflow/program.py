"""A train call as one compiled program: K updates, reading and writing the learner's variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coach_tensorflow.calls import Slot, direct
from coach_tensorflow.flat import Segments
from coach_tensorflow.update import TrainState, UpdateRule
from coachcore.api import Problem, Sample, Trained


class Variables(NamedTuple):
    """The learner's variables: a few long ones, since each costs microseconds a call."""

    weights: Any
    m: Any
    v: Any
    target: Any
    updates: Any


class Parts(NamedTuple):
    """What every program of one learner is made from."""

    problem: Problem
    rule: UpdateRule
    variables: Variables
    online: Segments
    slow: Segments  # of the networks that have a target
    acting: str

    def read(self, *, apart: bool) -> TrainState:
        """The variables as the leaves of a state (`Segments.leaves`)."""
        given = self.variables
        moving = [self.online.leaves(vector.value(), apart=apart) for vector in (given.weights, given.m, given.v)]
        return TrainState(*moving, self.slow.leaves(given.target.value(), apart=apart), given.updates.value())

    def write(self, state: TrainState) -> Any:
        """Take over `state`; returns the acting network's weights as one flat tensor."""
        weights = Segments.flat(state.weights.values())
        self.variables.weights.assign(weights)
        self.variables.m.assign(Segments.flat(state.m.values()))
        self.variables.v.assign(Segments.flat(state.v.values()))
        if state.target:
            self.variables.target.assign(Segments.flat(state.target.values()))
        self.variables.updates.assign(state.updates)
        return tf.identity(self.online.by_name[self.acting].of(weights))


class Program:
    """`calls` updates of `batch` rows; the executor says how they are compiled.

    ``small``: XLA, the updates in a compiled loop. ``twin``: TensorFlow's graph
    executor, so that networks run side by side. ``conv``: the same with one call
    an update, since XLA's and the executor's loops keep convolutions from their fast form.
    """

    def __init__(self, parts: Parts, shape: tuple[int, int], *, fast_call: bool = True) -> None:
        problem, self._parts = parts.problem, parts
        self._rule, self._width = parts.rule, problem.layout.width
        self._calls, self._batch = shape
        self._fused = 1 if problem.executor == "conv" else self._calls
        shapes = _shapes(problem, self._fused, self._batch)
        self._apart = tuple(column.name for column in problem.layout.apart)
        self._slots = [Slot(given, dtype) for given, dtype in shapes]
        self._tensors = [slot.tensor for slot in self._slots]
        function = tf.function(self._run, jit_compile=problem.executor == "small", autograph=False)
        concrete = function.get_concrete_function(*(tf.TensorSpec(given, dtype) for given, dtype in shapes))
        self._call = direct(concrete, fast=fast_call)

    @staticmethod
    def trace(parts: Parts, batch: int) -> None:
        """Run one update of `batch` rows on symbols, compiling nothing."""
        apart = [column.name for column in parts.problem.layout.apart]

        def run(packed: Any, rate: Any, *columns: Any) -> Any:
            given = dict(zip(apart, (column[0] for column in columns), strict=True))
            return parts.rule(parts.read(apart=False), packed[0], given, rate[0])[1:]

        specs = [tf.TensorSpec(given, dtype) for given, dtype in _shapes(parts.problem, 1, batch)]
        tf.function(run, autograph=False).get_concrete_function(*specs)

    def __call__(self, sample: Sample, learning_rate: float) -> Trained:
        self._slots[1].array[0] = learning_rate
        if self._fused == self._calls:
            return Trained(*self._once(sample, slice(None)))
        parts = [self._once(sample, slice(call, call + 1)) for call in range(self._calls)]
        priority, metrics, weights = zip(*parts, strict=True)
        return Trained(np.concatenate(priority), np.mean(metrics, axis=0, dtype=np.float32), weights[-1])

    def _once(self, sample: Sample, which: slice) -> tuple[Any, Any, Any]:
        packed = self._slots[0].array
        if packed.shape[2] == self._width:
            packed[...] = sample.packed[which]
        else:
            packed[:, :, : self._width] = sample.packed[which]
            packed[:, :, self._width] = 1.0 if sample.weight is None else sample.weight[which]
        for slot, name in zip(self._slots[2:], self._apart, strict=True):
            slot.array[...] = sample.apart[name][which]
        priority, metrics, weights = self._call(*self._tensors)
        return np.asarray(priority), np.asarray(metrics), np.asarray(weights)

    def _run(self, packed: Any, rate: Any, *columns: Any) -> tuple[Any, Any, Any]:
        state = self._parts.read(apart=self._fused > 1)
        counts = self._rule.counts(state.updates, self._fused)
        update = self._single if self._fused == 1 else self._loop
        state, priority, metrics = update(state, packed, rate[0], columns)
        return priority, metrics / counts, self._parts.write(state)

    def _rows(self, columns: tuple[Any, ...], call: Any) -> Mapping[str, Any]:
        return dict(zip(self._apart, (column[call] for column in columns), strict=True))

    def _single(self, state: TrainState, packed: Any, rate: Any, columns: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        state, priority, metrics = self._rule(state, packed[0], self._rows(columns, 0), rate)
        return state, priority[None], metrics

    def _loop(self, state: TrainState, packed: Any, rate: Any, columns: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        def body(call: Any, state: TrainState, priorities: Any, metrics: Any) -> tuple[Any, ...]:
            state, priority, measured = self._rule(state, packed[call], self._rows(columns, call), rate)
            return call + 1, state, priorities.write(call, priority), metrics + measured

        kept = tf.TensorArray(tf.float32, self._fused, element_shape=[self._batch])
        begin = (tf.constant(0), state, kept, tf.zeros([len(self._rule.metric_names)]))
        _, state, kept, metrics = tf.while_loop(
            lambda call, *_: call < self._fused, body, begin, maximum_iterations=self._fused, parallel_iterations=1
        )
        return state, kept.stack(), metrics


def _shapes(problem: Problem, calls: int, batch: int) -> list[tuple[tuple[int, ...], str]]:
    """The inputs of a train call: packed rows, learning rate, then each column that lies apart."""
    width = problem.layout.width + int(problem.weighted)
    apart = [((calls, batch, *column.shape), column.dtype) for column in problem.layout.apart]
    return [((calls, batch, width), "float32"), ((1,), "float32"), *apart]
