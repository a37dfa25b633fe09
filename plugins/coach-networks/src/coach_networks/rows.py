"""From the rows of a train call to the batch that a loss sees, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coach_networks import ops
from coachcore.api import Array, Batch, Column, Discrete, Problem, Sample, Tensor


def noise_columns(problem: Problem) -> tuple[Column, ...]:
    """The noise that the agent's losses ask for, a row each."""
    return problem.agent.data(problem.spaces).noise  # type: ignore[no-any-return]


def width(problem: Problem) -> int:
    """Numbers in a row as it enters the update: the layout's, an importance weight where there is one, noise."""
    return problem.layout.width + int(problem.weighted) + sum(column.size for column in noise_columns(problem))


def fill(into: Array, problem: Problem, sample: Sample, which: slice, rng: np.random.Generator) -> None:
    """Write minibatches `which` of `sample` into `into` ``[K, B, width]``, with weights and fresh noise."""
    end = problem.layout.width
    into[:, :, :end] = sample.packed[which]
    if problem.weighted:
        into[:, :, end] = 1.0 if sample.weight is None else sample.weight[which]
        end += 1
    if end < into.shape[2]:
        into[:, :, end:] = rng.standard_normal((*into.shape[:2], into.shape[2] - end), np.float32)


def apart(problem: Problem, sample: Sample, which: slice) -> list[Array]:
    """The columns that lie apart of minibatches `which`, each ``[K, B, ...]``; pictures plane by plane, as they lie
    in memory: turning them is quicker in the compiled update."""
    found = []
    for column in problem.layout.apart:
        values = sample.apart[column.name][which]
        found.append(np.moveaxis(values, -1, -3) if _picture(column) else values)
    return found


def apart_shapes(problem: Problem) -> list[tuple[int, ...]]:
    """The shapes of `apart`'s columns, without K and B."""
    return [
        (column.shape[-1], *column.shape[:-1]) if _picture(column) else column.shape for column in problem.layout.apart
    ]


def _picture(column: Column) -> bool:
    return len(column.shape) == 3  # height, width, channels


def unpack(problem: Problem, rows: Tensor, apart: Sequence[Tensor]) -> tuple[Batch, Tensor | None]:
    """`rows` ``[B, width]`` and columns as `apart` gives them -> the batch, and importance weights ``[B]`` if any."""
    layout, columns = problem.layout, {}
    for column, values in zip(layout.apart, apart, strict=True):
        columns[column.name] = ops.transpose(values, (0, 2, 3, 1)) if _picture(column) else values
    for name, place in layout.packed.items():
        columns[name] = _column(rows, layout[name], place.start)
    action = columns.pop("action")
    if isinstance(problem.spaces.action, Discrete):
        action = ops.cast(action, "int32")
    reward, discount = columns.pop("reward", None), columns.pop("discount", None)
    obs, after = _named(columns, "obs."), _named(columns, "next_obs.")
    end = layout.width
    importance = rows[:, end] if problem.weighted else None
    end += int(problem.weighted)
    noise = {}
    for column in noise_columns(problem):
        noise[column.name] = _column(rows, column, end)
        end += column.size
    return Batch(obs, action, reward, discount, after, columns, noise), importance


def _column(rows: Tensor, column: Column, start: int) -> Tensor:
    if not column.shape:
        return rows[:, start]
    return ops.reshape(rows[:, start : start + column.size], (-1, *column.shape))


def _named(columns: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Take the columns that begin with `prefix` out, by the rest of their names."""
    return {name.removeprefix(prefix): columns.pop(name) for name in list(columns) if name.startswith(prefix)}


def mean(metrics: Array) -> Array:
    """Means over calls ``[K, M] -> [M]`` of what was measured; NaN where nothing was."""
    there = ~np.isnan(metrics)
    sums, counts = np.where(there, metrics, 0.0).sum(axis=0), there.sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).astype(np.float32)
