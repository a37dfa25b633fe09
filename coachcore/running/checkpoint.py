"""Checkpoints: immutable parts named by their content, a manifest last, then the pointer.

On disk: ``parts/<sha256>.npy`` (plain NumPy arrays), ``<name>.json`` (a manifest:
the state's structure with every array replaced by its part, and the sizes of
all parts) and a pointer file, ``latest`` or ``best``, that names a manifest and
its sha256. Everything is written aside and renamed, so a process killed at any
moment leaves the last checkpoint whole. Nothing is ever unpickled, and reading
needs NumPy alone.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from coachcore.errors import BadCheckpoint, CoachError
from coachcore.types import Array, State

FORMAT = 1
LARGE = 1 << 27
"""Bytes from which an array is read as it is used: a memory may be larger than what the machine has."""
_DIGEST = re.compile("[0-9a-f]{64}")
_ARRAY = "$array"
_SCALAR = "$scalar"
_TUPLE = "$tuple"


class Checkpoints:
    """The checkpoints of one run, in `folder`. One process writes there at a time; any number may read."""

    def __init__(self, folder: Path, *, keep_last: int = 2) -> None:
        self.folder, self.keep_last = folder, keep_last
        self._sound: set[str] = set()  # parts that this object has written or verified

    def save(self, name: str, state: State, *, pointer: str = "latest") -> Path:
        """Write `state` as checkpoint `name`, then let `pointer` name it; returns the manifest's path.

        A manifest that a pointer may stand for is never written over: when `name`
        is taken by another state, the new one is called ``<name>+1``, and the old
        one goes once the pointer has moved. Raises `CoachError` when the disk is
        full or not writable; what was saved before stays whole.
        """
        try:
            (self.folder / "parts").mkdir(parents=True, exist_ok=True)
            sizes: dict[str, int] = {}
            tree = self._packed(state, sizes)
            data = json.dumps({"format": FORMAT, "state": tree, "parts": sizes}, sort_keys=True).encode()
            path = self._free(name, data)
            _write(path, data)
            point = json.dumps({"name": path.stem, "sha256": sha256(data).hexdigest()})
            _write(self.folder / pointer, point.encode())
            self._forget(path.stem)
        except OSError as problem:
            kept = self.pointed("latest")
            still = f"the last whole checkpoint is '{kept}'" if kept else "nothing had been saved before"
            raise CoachError(f"cannot save a checkpoint: {problem.strerror or problem} - {still}",
                             where=str(self.folder)) from problem  # fmt: skip
        return path

    def load(self, name: str = "latest") -> State:
        """The state a pointer or a checkpoint's own name stands for, every part verified.

        Raises `BadCheckpoint` when there is none, or it is cut short or altered.
        """
        pointed = self._pointer(name)
        try:
            return self._loaded(name, pointed)
        except BadCheckpoint:
            if pointed is None or self._pointer(name) == pointed:
                raise
            return self.load(name)  # a run that writes here has moved the pointer meanwhile

    def _loaded(self, name: str, pointed: dict[str, str] | None) -> State:
        path = self.folder / f"{pointed['name'] if pointed else name}.json"
        data = _read(path, f"no checkpoint is called '{name}'; there is {', '.join(self.names()) or 'none yet'}")
        if pointed and sha256(data).hexdigest() != pointed["sha256"]:
            raise BadCheckpoint(f"it was altered or cut short: its sha256 is not what '{name}' says", where=str(path))
        try:
            manifest = json.loads(data)
            written, sizes = manifest["format"], manifest["parts"]
            if written != FORMAT:
                raise BadCheckpoint(f"it has format {written}, this version of Coach reads {FORMAT}", where=str(path))
            return _unpacked(self.folder, manifest["state"], sizes)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BadCheckpoint("it is not a checkpoint manifest", where=str(path)) from None

    def pointed(self, pointer: str) -> str:
        """The name that a pointer stands for, empty when there is none."""
        found = self._pointer(pointer)
        return found["name"] if found else ""

    def begun(self) -> bool:
        """Whether anything was ever saved here: parts alone are a first save that was cut short."""
        return (self.folder / "latest").exists() or any(name.startswith("step-") for name in self.names())

    def names(self) -> list[str]:
        """Every checkpoint there is, oldest first."""
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def _free(self, name: str, data: bytes) -> Path:
        """The first of ``<name>``, ``<name>+1`` ... that is not taken, or holds these very bytes already."""
        names = (f"{name}+{number}.json" if number else f"{name}.json" for number in count())
        paths = (self.folder / each for each in names)
        return next(path for path in paths if not path.exists() or path.read_bytes() == data)

    def _pointer(self, name: str) -> dict[str, str] | None:
        path = self.folder / name
        if not path.is_file():
            return None
        try:
            found = json.loads(path.read_bytes())
            named, digest = found["name"], found["sha256"]
            if Path(named).name == named:
                return {"name": named, "sha256": digest}
        except (ValueError, KeyError, TypeError, RecursionError):
            pass  # said below, as for a name that leads out of the folder
        raise BadCheckpoint("the pointer file is damaged - give the name of a checkpoint instead", where=str(path))

    def _packed(self, value: Any, sizes: dict[str, int]) -> Any:
        if isinstance(value, np.ndarray):
            return {_ARRAY: self._part(value, sizes)}
        if isinstance(value, np.generic):
            return {_SCALAR: self._part(np.asarray(value), sizes)}
        if isinstance(value, Mapping):
            return {_key(key): self._packed(item, sizes) for key, item in value.items()}
        if isinstance(value, tuple):
            return {_TUPLE: [self._packed(item, sizes) for item in value]}
        if isinstance(value, list):
            return [self._packed(item, sizes) for item in value]
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise CoachError(f"a state may hold numbers, text and arrays only, got {type(value).__name__}: {value!r}")

    def _part(self, array: Array, sizes: dict[str, int]) -> str:
        if array.dtype.hasobject or (array.dtype.kind == "V" and array.dtype.names is None):
            raise CoachError(f"a state may hold arrays of plain numbers or text only, got dtype {array.dtype}")
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
        data = buffer.getbuffer()
        digest = sha256(data).hexdigest()
        path = self.folder / "parts" / f"{digest}.npy"
        there = path.is_file() and path.stat().st_size == len(data)
        if not (there and (digest in self._sound or sha256(path.read_bytes()).hexdigest() == digest)):
            _write(path, data)  # what rotted on the disk is mended while the true bytes are at hand
        self._sound.add(digest)
        sizes[digest] = len(data)
        return digest

    def _forget(self, saved: str) -> None:
        """Remove full checkpoints beyond `keep_last`, what `saved` replaces, and what nothing names any more."""
        pointed = {self.pointed(pointer) for pointer in ("latest", "best")} | {saved}
        replaced = {name for name in self.names() if _plain_name(name) == _plain_name(saved)} - pointed
        full = [name for name in self.names() if name.startswith("step-") and name not in replaced]
        for name in replaced | (set(full[: -self.keep_last]) - pointed):
            (self.folder / f"{name}.json").unlink(missing_ok=True)
        named: set[str] = set()
        try:
            for name in self.names():
                named.update(json.loads((self.folder / f"{name}.json").read_bytes())["parts"])
        except (ValueError, KeyError, TypeError):
            return  # a damaged manifest: what it needs is not known, so every part stays
        unneeded = [part for part in (self.folder / "parts").glob("*.npy") if part.stem not in named]
        self._sound &= named
        for path in (*unneeded, *self.folder.glob(".*.tmp"), *self.folder.glob("parts/.*.tmp")):
            path.unlink(missing_ok=True)


def _unpacked(folder: Path, tree: Any, sizes: Mapping[str, int]) -> Any:
    if isinstance(tree, list):
        return [_unpacked(folder, item, sizes) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if _ARRAY in tree:
        return _array(folder, tree[_ARRAY], sizes)
    if _SCALAR in tree:
        return _array(folder, tree[_SCALAR], sizes)[()]
    if _TUPLE in tree:
        return tuple(_unpacked(folder, item, sizes) for item in tree[_TUPLE])
    return {key: _unpacked(folder, item, sizes) for key, item in tree.items()}


def _array(folder: Path, digest: str, sizes: Mapping[str, int]) -> Array:
    if not _DIGEST.fullmatch(digest):
        raise BadCheckpoint(f"a part is called {digest!r}, which is not a sha256", where=str(folder))
    path = folder / "parts" / f"{digest}.npy"
    data = _read(path, "a part of the checkpoint is missing")
    if len(data) != sizes.get(digest):
        raise BadCheckpoint(f"it holds {len(data)} bytes, {sizes.get(digest)} were saved: cut short", where=str(path))
    if sha256(data).hexdigest() != digest:
        raise BadCheckpoint("it was altered: its sha256 is not its name", where=str(path))
    try:
        if len(data) >= LARGE:
            return np.load(path, mmap_mode="c", allow_pickle=False)  # type: ignore[no-any-return]
        array: Array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except (ValueError, MemoryError):
        raise BadCheckpoint("it is not an array of plain numbers", where=str(path)) from None
    return array


def _plain_name(name: str) -> str:
    return name.partition("+")[0]


def _key(key: Any) -> str:
    if not isinstance(key, str) or key in (_ARRAY, _SCALAR, _TUPLE):
        raise CoachError(f"a state's keys are text other than {_ARRAY}, {_SCALAR} and {_TUPLE}, got {key!r}")
    return key


def _write(path: Path, data: bytes | memoryview) -> None:
    """Atomically: written aside, flushed to the disk, renamed."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        _settle(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Make a rename last through a power cut, where the system lets a folder be flushed."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _read(path: Path, missing: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadCheckpoint(missing, where=str(path)) from None
    except OSError as problem:
        raise BadCheckpoint(f"it cannot be read: {problem.strerror}", where=str(path)) from None
