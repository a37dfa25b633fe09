"""One update as a pure function: state and a minibatch in, state, priorities and metrics out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

from coach_networks.assembly import Network
from coach_tensorflow.flat import Leaves, Segments
from coach_tensorflow.optimizers import RULES, clipped
from coachcore.api import BadSetting, Batch, Discrete, LossOut, Mismatch, Pair, Problem, Update


class TrainState(NamedTuple):
    """All that an update changes, as tensors."""

    weights: dict[str, Leaves]
    m: dict[str, Leaves]
    v: dict[str, Leaves]
    target: dict[str, Leaves]  # of the networks that have a target
    updates: Any  # int64, updates done


class UpdateRule:
    """The update of one problem.

    Update u (from 1 on) makes, in order, each of the agent's gradient steps whose
    ``every`` divides u, then mixes the online weights into the targets if
    ``target_every`` divides u. `metric_names` is known once it has been traced.
    """

    def __init__(self, problem: Problem, networks: Mapping[str, Network], segments: Segments) -> None:
        self._problem, self._networks, self._segments = problem, networks, segments
        self._updates = problem.agent.updates()
        self._step = RULES[problem.settings.optimizer](problem.settings)
        self._target_every = _target_every(problem)
        self._names: dict[str, tuple[str, ...]] = {}
        _check(self._updates, networks)

    @property
    def metric_names(self) -> tuple[str, ...]:
        """Metrics in order: the first gradient step's by their own names, the others' as ``network.name``."""
        first, *others = (update.moves for update in self._updates)
        return (*self._names[first], *(f"{moves}.{name}" for moves in others for name in self._names[moves]))

    def counts(self, done: Any, calls: int) -> Any:
        """How often each metric is measured in the `calls` updates after the first `done`: ``[M]``."""
        times = [
            tf.fill(
                [len(self._names[update.moves])],
                tf.cast((done + calls) // update.every - done // update.every, tf.float32),
            )
            for update in self._updates
        ]
        return tf.concat(times, 0)

    def __call__(
        self, state: TrainState, rows: Any, apart: Mapping[str, Any], rate: Any
    ) -> tuple[TrainState, Any, Any]:
        """`rows` ``[B, W]``, `apart` each ``[B, ...]`` -> new state, priorities ``[B]``, sums of metrics ``[M]``."""
        batch, importance = self._unpacked(rows, apart)
        state = state._replace(updates=state.updates + 1)
        priorities, metrics = [], []
        for update in self._updates:
            move = partial(self._move, update, state, batch, importance, rate)
            if update.every > 1:
                skip = partial(self._skip, update, state, tf.zeros_like(rows[:, 0]))
                move = partial(tf.cond, tf.equal(state.updates % update.every, 0), move, skip)
            state, priority, measured = move()
            priorities.append(priority)
            metrics.append(measured)
        return self._copied(state), priorities[0], tf.concat(metrics, 0)

    def _skip(self, update: Update, state: TrainState, priority: Any) -> Any:
        return state, priority, tf.zeros([len(self._names[update.moves])])

    def _move(self, update: Update, state: TrainState, batch: Batch, importance: Any, rate: Any) -> Any:
        leaves = state.weights[update.moves]
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(leaves)
            out = update.loss(self._nets(state, update.moves, leaves), batch)
            loss = tf.reduce_mean(out.loss if importance is None else out.loss * importance)
        gradients = tape.gradient(loss, leaves, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        measured: dict[str, Any] = {"loss": loss} | {name: tf.reduce_mean(value) for name, value in out.metrics.items()}
        if self._problem.settings.gradient_clip:
            gradients, measured["gradient_norm"] = clipped(gradients, self._problem.settings.gradient_clip)
        self._names[update.moves] = tuple(measured)
        moved = self._applied(update, state, gradients, rate)
        return (
            moved,
            tf.cast(out.priority, tf.float32),
            tf.stack([tf.cast(value, tf.float32) for value in measured.values()]),
        )

    def _applied(self, update: Update, state: TrainState, gradients: Any, rate: Any) -> TrainState:
        name = update.moves
        number = tf.cast(state.updates // update.every, tf.float32)
        given = zip(gradients, state.weights[name], state.m[name], state.v[name], strict=True)
        weights, m, v = zip(*(self._step(*leaf, rate, number) for leaf in given), strict=True)
        return state._replace(weights=state.weights | {name: weights}, m=state.m | {name: m}, v=state.v | {name: v})

    def _nets(self, state: TrainState, moves: str, leaves: Leaves) -> dict[str, Pair]:
        online = {name: self._caller(name, leaves if name == moves else given) for name, given in state.weights.items()}
        target = {name: self._caller(name, given) for name, given in state.target.items()}
        return {name: Pair(online[name], target.get(name, partial(_no_target, name))) for name in online}

    def _caller(self, name: str, leaves: Leaves) -> Any:
        return partial(self._networks[name].call, self._segments.by_name[name].weights(leaves))

    def _copied(self, state: TrainState) -> TrainState:
        share = self._problem.settings.target_rate
        due = tf.equal(state.updates % self._target_every, 0)

        def mixed(weight: Any, target: Any) -> Any:
            fresh = weight if share == 1.0 else target + share * (weight - target)
            return fresh if self._target_every == 1 else tf.where(due, fresh, target)

        copied = {
            name: tuple(mixed(*pair) for pair in zip(state.weights[name], leaves, strict=True))
            for name, leaves in state.target.items()
        }
        return state._replace(target=copied)

    def _unpacked(self, rows: Any, apart: Mapping[str, Any]) -> tuple[Batch, Any]:
        """The batch, and the importance weights ``[B]`` that lie in one more column where there are any."""
        layout, columns = self._problem.layout, dict(apart)
        for name, place in layout.packed.items():
            shape = layout[name].shape
            columns[name] = tf.reshape(rows[:, place], (-1, *shape)) if shape else rows[:, place.start]
        action = columns.pop("action")
        if isinstance(self._problem.spaces.action, Discrete):
            action = tf.cast(action, tf.int32)
        named = {key: columns.pop(key) for key in ("reward", "discount")}
        obs = {name.removeprefix("obs."): columns.pop(name) for name in list(columns) if name.startswith("obs.")}
        after = {
            name.removeprefix("next_obs."): columns.pop(name) for name in list(columns) if name.startswith("next_obs.")
        }
        batch = Batch(obs, action, named["reward"], named["discount"], after, columns)
        return batch, rows[:, layout.width] if self._problem.weighted else None


def _no_target(name: str, _inputs: Mapping[str, Any]) -> LossOut:
    raise Mismatch(
        f"a loss asks for the target of network '{name}', whose NetworkSpec has target = False; set it to True"
    )


def _target_every(problem: Problem) -> int:
    every = problem.settings.target_every
    if every.unit != "updates" or every.amount < 1:
        raise BadSetting(f"target_every is counted in updates, at least 1, got '{every}'; write \"100 updates\"")
    return every.amount


def _check(updates: tuple[Update, ...], networks: Mapping[str, Network]) -> None:
    moved = [update.moves for update in updates]
    unknown = [name for name in moved if name not in networks]
    if unknown:
        raise Mismatch(f"an update moves network '{unknown[0]}', but there are only {', '.join(networks)}")
    if not updates or len(set(moved)) < len(moved) or updates[0].every != 1:
        raise Mismatch("an agent needs updates that each move a network of their own, the first one every time")
