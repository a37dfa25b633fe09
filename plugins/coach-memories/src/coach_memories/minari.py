"""Data sets of Minari: by their name, or the HDF5 file of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coach_memories.filling import Blocks, Columns
from coachcore.api import Array, BadData, CoachError

_PARTS = ("actions", "rewards", "terminations", "truncations")


def named(name: str) -> Blocks:
    """The episodes of a data set on this machine, such as ``D4RL/pointmaze/umaze-v2``. Needs the extra ``minari``."""
    where = f"minari:{name}"
    try:
        import minari
    except ImportError:
        raise CoachError("reading it needs Minari - pip install 'coach-memories[minari]'", where=where) from None
    try:
        data = minari.load_dataset(name)
    except (FileNotFoundError, ValueError):
        raise BadData(f"there is no such data set here - minari download {name}", where=where) from None
    return (
        _episode(each.observations, (each.actions, each.rewards, each.terminations, each.truncations))
        for each in data.iterate_episodes()
    )


def hdf5_episodes(path: Path) -> Blocks:
    """The episodes of a ``main_data.hdf5``, in the order of their numbers. Needs the extra ``hdf5``."""
    try:
        import h5py
    except ImportError:
        raise CoachError("reading it needs h5py - pip install 'coach-memories[hdf5]'", where=str(path)) from None
    try:
        file = h5py.File(path, "r")
    except OSError:
        raise BadData("it is no HDF5 file", where=str(path)) from None
    with file:
        names = [name for name in file if name.startswith("episode_") and name[8:].isdigit()]
        if not names:
            raise BadData("there is no group episode_0, as Minari writes them", where=str(path))
        for name in sorted(names, key=lambda name: int(name[8:])):
            group = file[name]
            missing = [part for part in ("observations", *_PARTS) if part not in group]
            if missing:
                raise BadData(f"'{missing[0]}' is missing in {name}; there is {', '.join(group)}", where=str(path))
            yield _episode(_read(group["observations"]), [_read(group[part]) for part in _PARTS])


def _read(node: Any) -> Any:
    """A data set as an array, a group as a mapping of what is in it."""
    return {name: _read(node[name]) for name in node} if hasattr(node, "keys") else node[()]


def _episode(observations: Any, parts: Any) -> Columns:
    actions, rewards, terminated, truncated = parts
    columns = {f"obs.{name}": values for name, values in _flat(observations, "").items()}
    columns |= {"action": np.asarray(actions), "reward": np.asarray(rewards)}
    return columns | {"terminated": np.asarray(terminated, bool), "truncated": np.asarray(truncated, bool)}


def _flat(observations: Any, above: str) -> dict[str, Array]:
    """Arrays by name; those of a mapping within a mapping are called ``outer.inner``, a lone one ``observation``."""
    if not isinstance(observations, Mapping):
        return {above or "observation": np.asarray(observations)}
    found: dict[str, Array] = {}
    for name, inner in observations.items():
        found |= _flat(inner, f"{above}.{name}" if above else name)
    return found
