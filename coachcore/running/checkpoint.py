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
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from coachcore.errors import BadCheckpoint, CoachError
from coachcore.types import State

FORMAT = 1
_ARRAY = "$array"
_TUPLE = "$tuple"


class Checkpoints:
    """The checkpoints of one run, in `folder`."""

    def __init__(self, folder: Path, *, keep_last: int = 2) -> None:
        self.folder, self.keep_last = folder, keep_last

    def save(self, name: str, state: State, *, pointer: str = "latest") -> Path:
        """Write `state` as checkpoint `name`, then let `pointer` name it; returns the manifest's path.

        Raises `CoachError` when the disk is full or not writable; what was saved before stays whole.
        """
        try:
            (self.folder / "parts").mkdir(parents=True, exist_ok=True)
            sizes: dict[str, int] = {}
            tree = self._packed(state, sizes)
            manifest = json.dumps({"format": FORMAT, "name": name, "state": tree, "parts": sizes}, sort_keys=True)
            data = manifest.encode()
            path = self.folder / f"{name}.json"
            _write(path, data)
            point = json.dumps({"name": name, "sha256": sha256(data).hexdigest()})
            _write(self.folder / pointer, point.encode())
            self._forget()
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
        path = self.folder / f"{pointed['name'] if pointed else name}.json"
        data = _read(path, f"no checkpoint is called '{name}'; there is {self._listed()}")
        if pointed and sha256(data).hexdigest() != pointed["sha256"]:
            raise BadCheckpoint(f"it was altered or cut short: its sha256 is not what '{name}' says", where=str(path))
        try:
            manifest = json.loads(data)
            tree, sizes, written = manifest["state"], manifest["parts"], manifest["format"]
        except (ValueError, KeyError, TypeError):
            raise BadCheckpoint("it is not a checkpoint manifest", where=str(path)) from None
        if written != FORMAT:
            raise BadCheckpoint(f"it has format {written}, this version of Coach reads {FORMAT}", where=str(path))
        return self._unpacked(tree, sizes)

    def pointed(self, pointer: str) -> str:
        """The name that a pointer stands for, empty when there is none."""
        found = self._pointer(pointer)
        return str(found["name"]) if found else ""

    def names(self) -> list[str]:
        """Every checkpoint there is, oldest first."""
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def _listed(self) -> str:
        return ", ".join(self.names()) or "none yet"

    def _pointer(self, name: str) -> dict[str, str] | None:
        path = self.folder / name
        if not path.is_file():
            return None
        try:
            found = json.loads(path.read_bytes())
            return {"name": str(found["name"]), "sha256": str(found["sha256"])}
        except (ValueError, KeyError, TypeError):
            raise BadCheckpoint("the pointer file is damaged", where=str(path)) from None

    def _packed(self, value: Any, sizes: dict[str, int]) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return {_ARRAY: self._part(np.asarray(value), sizes)}
        if isinstance(value, Mapping):
            return {str(key): self._packed(item, sizes) for key, item in value.items()}
        if isinstance(value, tuple):
            return {_TUPLE: [self._packed(item, sizes) for item in value]}
        if isinstance(value, list):
            return [self._packed(item, sizes) for item in value]
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise CoachError(f"a state may hold numbers, text and arrays only, got {type(value).__name__}: {value!r}")

    def _part(self, array: np.ndarray[Any, Any], sizes: dict[str, int]) -> str:
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
        data = buffer.getbuffer()
        digest = sha256(data).hexdigest()
        path = self.folder / "parts" / f"{digest}.npy"
        if not (path.is_file() and path.stat().st_size == len(data)):
            _write(path, data)
        sizes[digest] = len(data)
        return digest

    def _unpacked(self, tree: Any, sizes: Mapping[str, int]) -> Any:
        if isinstance(tree, list):
            return [self._unpacked(item, sizes) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if _ARRAY in tree:
            return self._array(str(tree[_ARRAY]), sizes)
        if _TUPLE in tree:
            return tuple(self._unpacked(item, sizes) for item in tree[_TUPLE])
        return {key: self._unpacked(item, sizes) for key, item in tree.items()}

    def _array(self, digest: str, sizes: Mapping[str, int]) -> np.ndarray[Any, Any]:
        if not (len(digest) == 64 and digest.isalnum()):
            raise BadCheckpoint(f"a part is called {digest!r}, which is not a sha256", where=str(self.folder))
        path = self.folder / "parts" / f"{digest}.npy"
        data = _read(path, "a part of the checkpoint is missing")
        if len(data) != sizes.get(digest):
            raise BadCheckpoint(
                f"it holds {len(data)} bytes, {sizes.get(digest)} were saved: cut short", where=str(path)
            )
        if sha256(data).hexdigest() != digest:
            raise BadCheckpoint("it was altered: its sha256 is not its name", where=str(path))
        return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)

    def _forget(self) -> None:
        """Remove full checkpoints beyond `keep_last`, and parts that no manifest names any more."""
        pointed = {self.pointed(pointer) for pointer in ("latest", "best")}
        numbered = [name for name in self.names() if name.startswith("step-")]
        for name in numbered[: -self.keep_last]:
            if name not in pointed:
                (self.folder / f"{name}.json").unlink(missing_ok=True)
        named: set[str] = set()
        for name in self.names():
            named.update(json.loads((self.folder / f"{name}.json").read_bytes()).get("parts", ()))
        for part in (self.folder / "parts").glob("*.npy"):
            if part.stem not in named:
                part.unlink(missing_ok=True)


def _write(path: Path, data: bytes | memoryview) -> None:
    """Atomically: written aside, flushed to the disk, renamed."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _read(path: Path, missing: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadCheckpoint(missing, where=str(path)) from None
    except OSError as problem:
        raise BadCheckpoint(f"it cannot be read: {problem.strerror}", where=str(path)) from None
