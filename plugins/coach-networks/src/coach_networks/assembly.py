"""One network from its plan: embedders, merge, middleware, heads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from coach_networks.flow import current
from coach_networks.program import CARRY, Torso, write_program
from coach_networks.seeds import seed_for
from coachcore.api import Array, Box, Mismatch, NetworkPlan, NetworkSettings, Space, Spaces, Tensor

FIRST = "first"
"""Beside the carry, a further input of a recurrent network: whether an episode begins."""


class Network:
    """A stack of Keras layers, called statelessly: the weights are always handed in.

    `names` and `shapes` give the weights in their one order: first those that
    training moves, then `statistics` that batch norm gathers. `initial` are
    the weights drawn from the seed.
    """

    def __init__(self, model: Any, torsos: Sequence[Torso], merge: str = "concatenate") -> None:
        self._model, self._torsos, self._merge = model, tuple(torsos), merge
        self._moving = len(model.trainable_variables)
        self._variables = [*model.trainable_variables, *model.non_trainable_variables]
        self.statistics = len(model.non_trainable_variables)
        self.names = tuple(variable.path for variable in self._variables)
        self.shapes = tuple(tuple(int(n) for n in variable.shape) for variable in self._variables)
        self.inputs = tuple(model.input)

    def initial(self) -> list[Array]:
        """The weights as drawn from the seed, float32."""
        return [np.array(variable.numpy(), np.float32) for variable in self._variables]

    def call(self, weights: Sequence[Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Inputs ``[B, ...]`` -> head outputs by slot, with these weights and no others.

        How layers behave is said by `flow.current`.
        """
        from keras import ops

        given, flow = list(weights), current()
        named = {name: inputs[name] for name in self.inputs}
        outputs, moved = self._model.stateless_call(given[: self._moving], given[self._moving :], named)
        if flow.training:
            flow.moved[:] = [ops.stop_gradient(statistic) for statistic in moved]
        return {slot: ops.cast(output, "float32") for slot, output in outputs.items()}

    def program(self) -> dict[str, Any] | None:
        """The network for `coachcore.acting`, or None when some layer has no acting form."""
        first, *further = self._torsos
        return write_program(self._variables, self.names, *first, merge=self._merge, further=further)

    def summary(self) -> str:
        """A line a layer, for people."""
        lines: list[str] = []
        self._model.summary(print_fn=lambda line, **_: lines.append(line), expand_nested=True)
        return "\n".join(lines)


class Numbers:
    """A network of nothing but free numbers: no inputs, and each slot is one number that training moves."""

    inputs: tuple[str, ...] = ()
    statistics = 0

    def __init__(self, free: Mapping[str, float]) -> None:
        self._free = dict(free)
        self.names = tuple(self._free)
        self.shapes: tuple[tuple[int, ...], ...] = ((),) * len(free)

    def initial(self) -> list[Array]:
        return [np.array(value, np.float32) for value in self._free.values()]

    def call(self, weights: Sequence[Tensor], _inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Each number by its slot, scalars."""
        return dict(zip(self._free, weights, strict=True))

    def program(self) -> dict[str, Any] | None:
        return None

    def summary(self) -> str:
        return "\n".join(f"one free number: {name}, at first {value:g}" for name, value in self._free.items())


def build(plan: NetworkPlan, spaces: Spaces, seed: int, precision: str = "float32") -> Network | Numbers:
    """Stack the parts up: embedders in alphabetical order, joined, one middleware, every head on top of it.

    With a separate torso each head has embedders and a middleware of its own.
    Each part draws its weights from a seed of its own, so a part added or
    changed leaves the others' weights as they were. Raises `Mismatch` for an
    input that does not exist and for a slot without a head.
    """
    if plan.spec.free:
        return Numbers(plan.spec.free)
    import keras

    _check(plan, spaces)
    given = {name: _space(name, plan, spaces) for name in sorted(plan.embedders)}
    if _recurrent(plan):
        given |= {CARRY: Box((plan.middleware.carry * len(_groups(plan)),)), FIRST: Box(())}
    with _precision(precision):
        entries = {name: keras.Input(space.shape, dtype=_dtype(space), name=name) for name, space in given.items()}
        groups = _groups(plan)
        torsos = [_torso(plan, spaces, seed, slots, f"{slots[0]}_" if len(groups) > 1 else "") for slots in groups]
        outputs: dict[str, Any] = {}
        carried: list[Any] = []
        for index, torso in enumerate(torsos):
            outputs |= _called(torso, entries, plan.settings, (index, carried))
        if carried:
            outputs[CARRY] = carried[0] if len(carried) == 1 else keras.layers.Concatenate(name="carried")(carried)
        model = keras.Model(entries, outputs, name="network")
    return Network(model, torsos, plan.settings.merge)


def _torso(plan: NetworkPlan, spaces: Spaces, seed: int, slots: tuple[str, ...], prefix: str) -> Torso:
    """The layers of one torso and its heads; `prefix` tells several torsos apart."""
    embedders = {
        name: _named(
            plan.embedders[name].build(_space(name, plan, spaces), seed_for(seed, f"{prefix}embedders.{name}")),
            f"{prefix}embedder_{name}",
        )
        for name in sorted(plan.embedders)
    }
    middleware = _named(plan.middleware.build(seed_for(seed, f"{prefix}middleware")), f"{prefix}middleware")
    heads = {
        slot: _named(plan.heads[slot].build(spaces.action, seed_for(seed, f"heads.{slot}")), f"head_{slot}")
        for slot in slots
    }
    return Torso(embedders, middleware, heads)


def _called(
    torso: Torso, entries: Mapping[str, Any], settings: NetworkSettings, memory: tuple[int, list[Any]]
) -> dict[str, Any]:
    """The head outputs of a torso, as symbols; the `memory` of several torsos lies one piece after another."""
    from coach_networks.layers.gradient import GradientScale

    merged, scales = _merged(torso, entries, settings.merge), settings.gradient_scales
    if CARRY in entries:
        index, carried = memory
        size = torso.middleware.carry
        between, after = torso.middleware(merged, entries[CARRY][:, index * size : (index + 1) * size], entries[FIRST])
        carried.append(after)
    else:
        between = torso.middleware(merged)
    return {
        slot: head(GradientScale(scales[slot])(between) if slot in scales else between)
        for slot, head in torso.heads.items()
    }


def _merged(torso: Torso, entries: Mapping[str, Any], merge: str) -> Any:
    """What the embedders make of the inputs, joined."""
    import keras

    features = {name: embedder(entries[name]) for name, embedder in torso.embedders.items()}
    if len(features) == 1:
        return next(iter(features.values()))
    widths = {tuple(feature.shape[1:]) for feature in features.values()}
    if merge == "sum" and len(widths) > 1:
        told = ", ".join(f"{name} {feature.shape[-1]}" for name, feature in features.items())
        raise Mismatch(f'merge = "sum" needs features of equal width, got {told}', where="agent.network.merge")
    layer = keras.layers.Add if merge == "sum" else keras.layers.Concatenate
    return layer()(list(features.values()))


def _groups(plan: NetworkPlan) -> list[tuple[str, ...]]:
    """The slots of each torso."""
    slots = tuple(sorted(plan.heads))
    return [(slot,) for slot in slots] if plan.settings.torso == "separate" else [slots]


def _recurrent(plan: NetworkPlan) -> bool:
    return bool(getattr(plan.middleware, "carry", 0))


def _check(plan: NetworkPlan, spaces: Spaces) -> None:
    missing = [slot for slot in plan.spec.slots if slot not in plan.heads]
    if missing:
        raise Mismatch(
            f"no head for slot {', '.join(missing)}; give heads.{missing[0]} one that provides "
            f"{plan.spec.slots[missing[0]]}"
        )
    if not plan.embedders:
        raise Mismatch(f"a network needs an embedder; inputs: {', '.join(sorted(spaces.observation))}")


def _space(name: str, plan: NetworkPlan, spaces: Spaces) -> Space:
    if name == "action" and "action" in plan.spec.inputs:
        return spaces.action
    if name not in spaces.observation:
        raise Mismatch(f"there is no input '{name}' to embed; inputs: {', '.join(sorted(spaces.observation))}")
    return spaces.observation[name]


def _dtype(space: Space) -> str:
    return "uint8" if space.dtype == "uint8" else "float32"


def _named(layer: Any, name: str) -> Any:
    layer.name = name
    return layer


@contextmanager
def _precision(precision: str) -> Iterator[None]:
    """Layers made inside compute in `precision`; their weights stay float32."""
    import keras

    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16" if precision == "bfloat16" else "float32")
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)
