"""A train call as one compiled program: K updates, reading and writing the learner's variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coach_networks import rows
from coach_networks.blueprint import Blueprint
from coach_networks.update import Numbers, TrainState, UpdateRule
from coach_tensorflow.calls import Slot, direct
from coach_tensorflow.flat import Vector
from coachcore.api import Sample, Trained


class Variables(NamedTuple):
    """The learner's variables: a few long ones, since each costs microseconds a call."""

    weights: Vector
    slots: tuple[Vector, ...]  # what the optimizer remembers, each as long as the weights
    target: Vector  # of the networks that have one
    updates: Any


class Parts(NamedTuple):
    """What every program of one learner is made from."""

    blueprint: Blueprint
    rule: UpdateRule
    variables: Variables

    def read(self, *, looped: bool) -> TrainState:
        """The variables as the leaves of a state (`Segments.leaves`)."""
        given = self.variables
        how = "apart" if self.blueprint.apart else "grouped" if looped else "whole"
        weights, remembered = given.weights.leaves(how), [slot.leaves(how) for slot in given.slots]
        slots = {name: tuple(slot[name] for slot in remembered) for name in weights}
        return TrainState(weights, slots, given.target.leaves(how), given.updates.value())

    def write(self, state: TrainState) -> Any:
        """Take over `state`; returns the acting network's weights as one flat tensor."""
        weights = self.variables.weights.take(state.weights)
        for index, slot in enumerate(self.variables.slots):
            slot.take({name: slots[index] for name, slots in state.slots.items()})
        self.variables.target.take(state.target)
        self.variables.updates.assign(state.updates)
        return tf.identity(weights[self.blueprint.acting])


class Program:
    """`calls` updates of `batch` rows; the executor says how they are compiled.

    ``small``: XLA, the updates in a compiled loop. ``twin``: TensorFlow's graph
    executor, so that networks run side by side. ``conv``: the same with one call
    an update, since XLA's and the executor's loops keep convolutions from their fast form.
    """

    def __init__(self, parts: Parts, shape: tuple[int, int], *, fast_call: bool = True) -> None:
        self._problem, self._parts, self._rule = parts.blueprint.problem, parts, parts.rule
        self._calls, self._batch = shape
        self._fused = 1 if parts.blueprint.problem.executor == "conv" else self._calls
        shapes = _shapes(parts, self._fused, self._batch, parts.rule.noise_size)
        self._apart = len(parts.blueprint.problem.layout.apart)
        self._slots = [Slot(given, dtype) for given, dtype in shapes]
        self._noise = self._slots[-1].array if parts.rule.noise_size else None
        self._tensors = [slot.tensor for slot in self._slots]
        function = tf.function(self._run, jit_compile=parts.blueprint.problem.executor == "small", autograph=False)
        concrete = function.get_concrete_function(*(tf.TensorSpec(given, dtype) for given, dtype in shapes))
        self._call = direct(concrete, fast=fast_call)

    @staticmethod
    def trace(parts: Parts, batch: int) -> None:
        """Run one update of `batch` rows on symbols, compiling nothing."""

        def run(packed: Any, numbers: Any, *columns: Any) -> Any:
            given = [column[0] for column in columns]
            return parts.rule(parts.read(looped=False), packed[0], given, _numbers(parts, numbers, None))[1:]

        specs = [tf.TensorSpec(given, dtype) for given, dtype in _shapes(parts, 1, batch, 0)]
        tf.function(run, autograph=False).get_concrete_function(*specs)

    def __call__(self, sample: Sample, learning_rate: float, knobs: Mapping[str, float]) -> Trained:
        numbers = self._slots[1].array
        numbers[0] = learning_rate
        for index, name in enumerate(self._parts.blueprint.knobs, 1):
            numbers[index] = knobs[name]
        if self._fused == self._calls:
            return Trained(*self._once(sample, slice(None)))
        parts = [self._once(sample, slice(call, call + 1)) for call in range(self._calls)]
        priority, metrics, weights = zip(*parts, strict=True)
        return Trained(np.concatenate(priority), rows.mean(np.stack(metrics)), weights[-1])

    def _once(self, sample: Sample, which: slice) -> tuple[Any, Any, Any]:
        rows.fill(self._slots[0].array, self._problem, sample, which, self._parts.blueprint.noise)
        for slot, values in zip(self._slots[2:], rows.apart(self._problem, sample, which), strict=False):
            slot.array[...] = values
        if self._noise is not None:
            self._noise[...] = self._parts.blueprint.noise.standard_normal(self._noise.shape, np.float32)
        priority, metrics, weights = self._call(*self._tensors)
        return np.asarray(priority), np.asarray(metrics), np.asarray(weights)

    def _run(self, packed: Any, numbers: Any, *columns: Any) -> tuple[Any, Any, Any]:
        state = self._parts.read(looped=self._fused > 1)
        update = self._single if self._fused == 1 else self._loop
        after, priority, sums = update(state, packed, numbers, columns)
        return priority, self._rule.means(sums, state.updates, self._fused), self._parts.write(after)

    def _update(self, state: TrainState, packed: Any, numbers: Any, columns: tuple[Any, ...], call: Any) -> Any:
        apart = [column[call] for column in columns[: self._apart]]
        noise = None if self._noise is None else columns[-1][call]
        return self._rule(state, packed[call], apart, _numbers(self._parts, numbers, noise))

    def _single(self, state: TrainState, packed: Any, numbers: Any, columns: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        state, priority, metrics = self._update(state, packed, numbers, columns, 0)
        return state, priority[None], metrics

    def _loop(self, state: TrainState, packed: Any, numbers: Any, columns: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        def body(call: Any, state: TrainState, priorities: Any, metrics: Any) -> tuple[Any, ...]:
            state, priority, measured = self._update(state, packed, numbers, columns, call)
            return call + 1, state, priorities.write(call, priority), metrics + measured

        kept = tf.TensorArray(tf.float32, self._fused, element_shape=[self._batch])
        begin = (tf.constant(0), state, kept, tf.zeros([len(self._rule.metric_names)]))
        _, state, kept, metrics = tf.while_loop(
            lambda call, *_: call < self._fused, body, begin, maximum_iterations=self._fused, parallel_iterations=1
        )
        return state, kept.stack(), metrics


def _numbers(parts: Parts, numbers: Any, noise: Any) -> Numbers:
    return Numbers(numbers[0], {name: numbers[index] for index, name in enumerate(parts.blueprint.knobs, 1)}, noise)


def _shapes(parts: Parts, calls: int, batch: int, noise: int) -> list[tuple[tuple[int, ...], str]]:
    """The inputs of a train call: rows, learning rate and knobs, each column that lies apart, noise for layers."""
    problem = parts.blueprint.problem
    kinds = [column.dtype for column in problem.layout.apart]
    apart = [((calls, batch, *shape), kind) for shape, kind in zip(rows.apart_shapes(problem), kinds, strict=True)]
    beside = [((calls, noise), "float32")] if noise else []
    numbers = 1 + len(parts.blueprint.knobs)
    return [((calls, batch, rows.width(problem)), "float32"), ((numbers,), "float32"), *apart, *beside]
