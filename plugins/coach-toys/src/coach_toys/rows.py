"""From packed rows to the columns that a loss reads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coachcore.api import Array, Batch, Layout


def batch_of(layout: Layout, packed: Array, apart: Mapping[str, Array]) -> Batch:
    """One minibatch: rows ``[B, W]`` cut up as `layout` says, and the columns that lie `apart`."""
    columns = {name: packed[:, where].reshape(-1, *layout[name].shape) for name, where in layout.packed.items()}
    columns |= apart
    obs, after = _below("obs.", columns), _below("next_obs.", columns)
    taken = {"action", "reward", "discount", *(f"obs.{n}" for n in obs), *(f"next_obs.{n}" for n in after)}
    extras = {name: values for name, values in columns.items() if name not in taken}
    reward, discount = (columns[name].astype(np.float64) for name in ("reward", "discount"))
    return Batch(obs, columns["action"].astype(np.int64), reward, discount, after, extras)


def _below(prefix: str, columns: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(prefix): values for name, values in columns.items() if name.startswith(prefix)}
