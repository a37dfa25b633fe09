"""One update as a pure function, the same for every engine: state and minibatch in, state, priorities, metrics out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from coach_networks import ops, optimizers
from coach_networks.flow import Noise
from coach_networks.nets import Callers, Leaves
from coach_networks.rows import unpack
from coachcore.api import BadSetting, Batch, LossOut, Mismatch, Problem, Tensor, Update


class TrainState(NamedTuple):
    """All that an update changes, as tensors, by network name."""

    weights: Mapping[str, Leaves]
    slots: Mapping[str, tuple[Leaves, ...]]  # what the optimizer remembers
    target: Mapping[str, Leaves]  # of the networks that have a target
    updates: Any  # int, updates done


class Numbers(NamedTuple):
    """What an update is given besides rows, as tensors."""

    rate: Any  # learning rate, scalar
    knobs: Mapping[str, Any]  # by name, scalars
    noise: Any = None  # [Z] standard normal numbers for noisy layers; None while it is not known how many


class Backend(Protocol):
    """What `keras.ops` does not say."""

    compiled: bool
    """Whether an update is compiled as a whole (`coach_networks.flow.Flow`)."""

    def gradient(self, loss: Callable[[Leaves], tuple[Any, Any]], leaves: Leaves) -> tuple[Leaves, Any]:
        """Gradients of `loss(leaves) -> (scalar, aux)`, zero for leaves it does not use; and its aux."""
        ...

    def shaped(self, name: str, leaves: Leaves) -> Sequence[Any]:
        """The weights of network `name` in their shapes."""
        ...


class UpdateRule:
    """The update of one problem.

    Update u (from 1 on) makes, in order, each of the agent's gradient steps whose
    ``every`` divides u, then mixes the online weights into the targets if
    ``target_every`` divides u. `metric_names` and `noise_size` (Z) are known once it
    has been traced, which is to call it on symbols once.
    """

    def __init__(self, problem: Problem, networks: Mapping[str, Any], backend: Backend) -> None:
        self._problem, self._backend = problem, backend
        self._callers = Callers(networks, backend.shaped, problem.sequence, backend.compiled)
        self._updates = problem.agent.updates()
        self.optimizer: optimizers.Optimizer = optimizers.make(problem.settings)
        self._target_every = _target_every(problem)
        self.mix = self._mixed  # an engine may compile it
        self._names: dict[str, tuple[str, ...]] = {}
        self._noise: dict[str, int] = {}  # how many noise numbers the step that moves a network needs
        _check(self._updates, networks)

    @property
    def metric_names(self) -> tuple[str, ...]:
        """Metrics in order: the first gradient step's by their own names, the others' as ``network.name``."""
        first, *others = (update.moves for update in self._updates)
        return (*self._names[first], *(f"{moves}.{name}" for moves in others for name in self._names[moves]))

    @property
    def noise_size(self) -> int:
        """Z, the noise numbers that the layers need in one update."""
        return sum(self._noise.values())

    def counts(self, done: Any, calls: int) -> Tensor:
        """How often each metric is measured in the `calls` updates after the first `done`: ``[M]``."""
        times = [
            calls if update.every == 1 else (done + calls) // update.every - done // update.every
            for update in self._updates
            for _ in self._names[update.moves]
        ]
        return ops.stack([ops.cast(count, "float32") for count in times])

    def means(self, sums: Tensor, done: Any, calls: int) -> Tensor:
        """Sums of metrics ``[M]`` over `calls` updates as means: NaN where nothing was measured, infinite where
        something that is no number was."""
        counts = self.counts(done, calls)
        means = ops.where(ops.isfinite(sums), sums / ops.maximum(counts, 1.0), float("inf"))
        return ops.where(counts > 0, means, float("nan"))

    def __call__(
        self, state: TrainState, rows: Tensor, apart: Sequence[Tensor], given: Numbers
    ) -> tuple[TrainState, Tensor, Tensor]:
        """Rows ``[B, W]``, columns `apart` (`coach_networks.rows`) -> state, priorities ``[B]``, metrics ``[M]``."""
        batch, importance = unpack(self._problem, rows, apart)
        batch = batch._replace(knobs=given.knobs)
        state = state._replace(updates=state.updates + 1)
        priorities, metrics = [], []
        for update in self._updates:
            move = partial(self._move, update, state, batch, importance, given)
            if update.every > 1:
                name = update.moves
                if name not in self._names:
                    move()  # its metrics' names and its noise must be known before the branches are compared
                skip = partial(self._skip, update, state, ops.zeros_like(rows[:, 0]))
                move = partial(ops.cond, ops.equal(state.updates % update.every, 0), move, skip)
            (weights, slots), priority, measured = move()
            state = state._replace(
                weights={**state.weights, update.moves: weights}, slots={**state.slots, update.moves: slots}
            )
            priorities.append(priority)
            metrics.append(measured)
        first, *others = priorities
        for other in others:  # a row that spoils any of the losses is marked
            first = ops.where(ops.isnan(other), other, first)
        return self._copied(state), first, ops.concatenate(metrics, 0)

    def _skip(self, update: Update, state: TrainState, priority: Tensor) -> Any:
        name = update.moves
        return (state.weights[name], state.slots[name]), priority, ops.zeros([len(self._names[name])])

    def _move(self, update: Update, state: TrainState, batch: Batch, importance: Tensor, given: Numbers) -> Any:
        name = update.moves
        noise = Noise(given.noise, self._begin(name))
        settings, own = self._problem.settings, self._problem.networks[name].settings
        names: list[str] = []  # beside the gradient, not through it: a backend may sort what it hands on by name

        def loss(leaves: Leaves) -> tuple[Tensor, Any]:
            moved: list[Any] = []
            weights = {**state.weights, name: leaves}
            out = update.loss(self._callers.pairs(weights, state.target, name, noise, moved), batch)
            each, parts = _weighed(out, own.loss_weights)  # [B]
            mean = ops.mean(each if importance is None else each * importance)
            measured = {"loss": mean, **parts, **{key: ops.mean(value) for key, value in out.metrics.items()}}
            names[:] = measured
            decay = _decay(self._backend.shaped(name, leaves), own.l2) if own.l2 else 0.0
            return mean + decay, (tuple(measured.values()), each, out.priority, moved)

        gradients, (values, each, priority, moved) = self._backend.gradient(loss, state.weights[name])
        measured = dict(zip(names, values, strict=True))
        if settings.gradient_clip:
            gradients, measured["gradient_norm"] = optimizers.clipped(
                gradients, settings.gradient_clip, settings.gradient_clip_by
            )
        self._names[name], self._noise[name] = tuple(measured), noise.used
        weights, slots = self._stepped(update, state, gradients, given.rate)
        if moved:
            weights = (*weights[: -len(moved)], *moved)
        priority = ops.where(ops.isfinite(each), ops.cast(priority, "float32"), float("nan"))
        return (weights, slots), priority, ops.stack([ops.cast(value, "float32") for value in measured.values()])

    def _stepped(self, update: Update, state: TrainState, gradients: Leaves, rate: Any) -> Any:
        name = update.moves
        number = ops.cast(state.updates // update.every, "float32")
        rate = rate * self._problem.networks[name].settings.learning_rate_factor
        return self.optimizer.step(gradients, state.weights[name], state.slots[name], rate, number)

    def _begin(self, name: str) -> int:
        """Where in the update's noise the numbers of the step that moves `name` begin."""
        names = list(self._noise)
        before = names[: names.index(name)] if name in names else names
        return sum(self._noise[other] for other in before)

    def _copied(self, state: TrainState) -> TrainState:
        leaves = {name: state.weights[name] for name in state.target}
        return state._replace(target=self.mix(leaves, state.target, state.updates)) if leaves else state

    def _mixed(self, weights: Mapping[str, Leaves], target: Mapping[str, Leaves], updates: Any) -> Mapping[str, Leaves]:
        """The targets after update `updates`: drawn towards the weights where it is one after which they are."""
        share, every = self._problem.settings.target_rate, self._target_every
        due = ops.equal(updates % every, 0)

        def mixed(weight: Any, target: Any) -> Any:
            fresh = weight if share == 1.0 else target + share * (weight - target)
            return fresh if every == 1 else ops.where(due, fresh, target)

        return {
            name: tuple(mixed(*pair) for pair in zip(weights[name], leaves, strict=True))
            for name, leaves in target.items()
        }


def _weighed(out: LossOut, factors: Mapping[str, float]) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss ``[B]``, and the mean loss of each head where it comes in parts."""
    if not isinstance(out.loss, Mapping):
        return out.loss, {}
    each = sum(factors.get(slot, 1.0) * value for slot, value in out.loss.items())
    return each, {f"{slot}_loss": ops.mean(value) for slot, value in out.loss.items()}


def _decay(weights: Sequence[Tensor], share: float) -> Tensor:
    """L2: half of `share` times the sum of squared kernels."""
    return 0.5 * share * sum(ops.sum(ops.square(weight)) for weight in weights if len(weight.shape) > 1)


def _target_every(problem: Problem) -> int:
    every = problem.settings.target_every
    if every.unit != "updates" or every.amount < 1:
        raise BadSetting(f"target_every is counted in updates, at least 1, got '{every}'; write \"100 updates\"")
    return every.amount


def _check(updates: tuple[Update, ...], networks: Mapping[str, Any]) -> None:
    moved = [update.moves for update in updates]
    unknown = [name for name in moved if name not in networks]
    if unknown:
        raise Mismatch(f"an update moves network '{unknown[0]}', but there are only {', '.join(networks)}")
    if not updates or len(set(moved)) < len(moved) or updates[0].every != 1:
        raise Mismatch("an agent needs updates that each move a network of their own, the first one every time")
