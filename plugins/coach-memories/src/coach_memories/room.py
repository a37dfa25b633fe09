"""Where large arrays lie: in the machine's memory, or on a disk where they are larger than that."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from math import prod
from typing import Any, BinaryIO

import numpy as np

from coachcore.api import Array, BadSetting, param

PIECE = 1 << 28
"""Bytes that are copied at once between disks: what a saved array is cut into, so that saving it needs no more."""


def disk_setting() -> Any:
    """The setting that says where a memory lies."""
    return param(
        default="", doc="folder on whose disk the transitions lie, for more than fit into RAM; left out: in RAM"
    )


class Room:
    """Makes arrays whose content is not set; `folder` is where they lie, or empty for the machine's memory.

    An array on disk is a file without a name that goes with the process, however that ends, so
    runs never share one. Its whole size is reserved at once: a full disk is said before the first step.
    """

    def __init__(self, folder: str = "") -> None:
        self.folder = folder
        self._files: list[tuple[Array, BinaryIO]] = []

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """A new array; raises `MemoryError`, or `BadSetting` where the disk has no room for it."""
        if not self.folder or not prod(shape):
            return np.empty(shape, dtype)
        try:
            file: Any = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115 - as long as the array lives
        except OSError as problem:
            raise BadSetting(
                f"no file can be made in '{self.folder}': {problem.strerror} - name a folder that can be written to",
                where="memory.disk",
            ) from None
        weakref.finalize(self, file.close)  # what was mapped stays mapped
        array = self._mapped(file, shape, dtype)
        self._files.append((array, file))
        return array

    def grown(self, array: Array, wanted: int) -> Array:
        """`array` with `wanted` rows, the first as they were; the old one is not to be used any more."""
        for place, (kept, file) in enumerate(self._files):
            if kept is array:
                grown = self._mapped(file, (wanted, *array.shape[1:]), array.dtype)
                self._files[place] = grown, file
                return grown
        array.resize((wanted, *array.shape[1:]), refcheck=False)  # in place: a copy would need twice the room
        return array

    def saved(self, array: Array) -> Any:
        """A copy for a checkpoint; of an array on disk in pieces that lie on the same disk."""
        if not self.folder:
            return array.copy()
        rows = max(1, PIECE // max(1, array[:1].nbytes))
        pieces = []
        for start in range(0, len(array), rows):
            part = array[start : start + rows]
            pieces.append(Room(self.folder).empty(part.shape, part.dtype))
            pieces[-1][...] = part
        return pieces

    def _mapped(self, file: BinaryIO, shape: tuple[int, ...], dtype: Any) -> Array:
        size = prod(shape) * np.dtype(dtype).itemsize
        try:
            _reserve(file, size, self.folder)
        except OSError:
            free = shutil.disk_usage(self.folder).free
            raise BadSetting(
                f"{size / 1e9:.1f} GB do not fit into '{self.folder}', which has {free / 1e9:.1f} GB left - "
                "lower memory.capacity or name another folder",
                where="memory.disk",
            ) from None
        return np.memmap(file, dtype, "r+", shape=shape).view(np.ndarray)


def _reserve(file: BinaryIO, size: int, folder: str) -> None:
    """Make `file` that large; where a page could not be had later the process would be killed by a signal.

    What is free is asked first: reserving too much may fill the disk up before it fails.
    """
    if shutil.disk_usage(folder).free < size - os.fstat(file.fileno()).st_size:
        raise OSError
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


def put(place: Array, saved: Any) -> None:
    """Fill the first rows of `place` with what `Room.saved` made, here or elsewhere."""
    start = 0
    for piece in saved if isinstance(saved, list) else [saved]:
        place[start : start + len(piece)] = piece
        start += len(piece)


def length(saved: Any) -> int:
    """How many rows `Room.saved` copied."""
    return sum(map(len, saved)) if isinstance(saved, list) else len(saved)
