"""An agent's networks as its losses see them: callables over weights that are handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from coach_networks.flow import Flow, Noise, flowing
from coachcore.api import LossOut, Mismatch, Pair, Tensor

Leaves = tuple[Any, ...]
"""One network's weights: a leaf each, or one flat leaf for all."""


@attrs.frozen
class Callers:
    """Makes callables of `networks`, whose rows are sequences of `sequence` steps; `shaped` puts leaves in shape,
    and the whole may be `compiled`."""

    networks: Mapping[str, Any]
    shaped: Callable[[str, Leaves], Sequence[Any]]
    sequence: int
    compiled: bool = False

    def pairs(
        self, online: Mapping[str, Leaves], target: Mapping[str, Leaves], moves: str, noise: Noise, moved: list[Any]
    ) -> dict[str, Pair]:
        """Every network, online and slow. The online one of `moves` is in training: it leaves statistics in `moved`."""
        still = Flow(normal=noise, sequence=self.sequence, compiled=self.compiled)
        training = attrs.evolve(still, training=True, moved=moved)
        fast = {name: self._caller(name, given, training if name == moves else still) for name, given in online.items()}
        slow = {name: self._caller(name, given, still) for name, given in target.items()}
        return {name: Pair(fast[name], slow.get(name, partial(_no_target, name))) for name in fast}

    def _caller(self, name: str, leaves: Leaves, flow: Flow) -> Any:
        weights, network = self.shaped(name, leaves), self.networks[name]

        def call(inputs: Mapping[str, Tensor], only: int | None = None) -> Mapping[str, Tensor]:
            with flowing(attrs.evolve(flow, only=only)):
                return network.call(weights, inputs)  # type: ignore[no-any-return]

        return call


def _no_target(name: str, _inputs: Mapping[str, Any], only: int | None = None) -> LossOut:
    raise Mismatch(
        f"a loss asks for the target of network '{name}', whose NetworkSpec has target = False; set it to True"
    )
