"""A train call as one pure function: K updates, a scan over minibatches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import jax
from jax import numpy as jnp

from coach_jax.tree import flat
from coach_networks import rows
from coach_networks.blueprint import Blueprint
from coach_networks.update import Leaves, Numbers, TrainState, UpdateRule


class JaxBackend:
    """Weights are leaves in their shapes already (`coach_networks.update.Backend`)."""

    compiled = True

    def gradient(self, loss: Callable[[Leaves], tuple[Any, Any]], leaves: Leaves) -> tuple[Leaves, Any]:
        return jax.grad(loss, has_aux=True)(leaves)  # type: ignore[no-any-return]

    def shaped(self, _name: str, leaves: Leaves) -> list[Any]:
        return list(leaves)


@attrs.frozen(eq=False)
class Program:
    """K updates of `blueprint` by `rule`; pure, so that JAX can compile it for every K."""

    blueprint: Blueprint
    rule: UpdateRule

    def __call__(self, state: TrainState, packed: Any, numbers: Any, columns: list[Any], noise: Any) -> Any:
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
        weights = flat(after.weights[self.blueprint.acting])
        return after, priority, self.rule.means(sums, begin, calls), weights

    def _scanned(self, numbers: Any, state: TrainState, given: Any) -> Any:
        state, priority, metrics = self._update(numbers, state, given)
        return state, (priority, metrics)

    def _update(self, numbers: Any, state: TrainState, given: Any) -> tuple[TrainState, Any, Any]:
        packed, columns, noise = given
        knobs = {name: numbers[index] for index, name in enumerate(self.blueprint.knobs, 1)}
        return self.rule(state, packed, columns, Numbers(numbers[0], knobs, noise))

    def trace(self, state: TrainState) -> None:
        """Run the update on symbols once: faults in a loss show here, and its metrics give their names."""
        problem = self.blueprint.problem
        batch, layout = problem.settings.batch_size, problem.layout
        kinds, shapes = (column.dtype for column in layout.apart), rows.apart_shapes(problem)
        columns = [jax.ShapeDtypeStruct((batch, *shape), kind) for shape, kind in zip(shapes, kinds, strict=True)]
        packed = jax.ShapeDtypeStruct((batch, rows.width(problem)), "float32")
        numbers = jax.ShapeDtypeStruct((1 + len(self.blueprint.knobs),), "float32")
        once = lambda state, packed, numbers, columns: self._update(numbers, state, (packed, columns, None))  # noqa: E731
        jax.eval_shape(once, state, packed, numbers, columns)
