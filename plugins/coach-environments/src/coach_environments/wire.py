"""What goes over the wire to a simulator's process and back: fixed frames, and a few as JSON with their length."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.api import (
    Array,
    Attention,
    BadData,
    BadSetting,
    Box,
    CoachError,
    Compound,
    Discrete,
    Mismatch,
    MultiSelect,
    Spaces,
    UnknownName,
    spec_of,
)

RESET, STEP, RENDER = b"R", b"S", b"P"
"""To a simulator, followed by a seed (`SEED`), by the bytes of an action, and by nothing."""
FINE, WRONG = b"O", b"E"
"""From a simulator: the answer follows, or what is wrong as JSON."""
SEED, LENGTH, PAID, SIZE = struct.Struct("<q"), struct.Struct("<I"), struct.Struct("<d??"), struct.Struct("<II")

_MOST = 2**28
"""No frame is longer."""
_SPACES: dict[str, Any] = {cls.__name__: cls for cls in (Attention, Box, Compound, Discrete, MultiSelect, Spaces)}
_ERRORS: dict[str, type[CoachError]] = {cls.__name__: cls for cls in (BadData, BadSetting, Mismatch, UnknownName)}


class Lost(Exception):
    """The other end died, hung or sent what makes no sense; says which. `gone`: the wire is cut."""

    def __init__(self, message: str, *, gone: bool = False) -> None:
        self.gone = gone
        super().__init__(message)


class Line:
    """One end of the wire. What is awaited longer than `limit` seconds is `Lost`."""

    def __init__(self, end: socket.socket, limit: float | None = None) -> None:
        self._end, self.limit = end, limit

    def send(self, *parts: bytes | memoryview) -> None:
        try:
            self._end.settimeout(self.limit)
            self._end.sendall(b"".join(parts))
        except OSError as error:
            raise _broken(error, self.limit) from None

    def receive(self, size: int) -> bytearray:
        """Exactly so many bytes, in an array of their own."""
        if size > _MOST:
            raise Lost(f"it sent {size} bytes at once")
        data = bytearray(size)
        view, until = memoryview(data), time.monotonic() + (self.limit or 0.0)
        while view:
            try:
                if self.limit is not None:
                    self._end.settimeout(max(until - time.monotonic(), 1e-3))
                got = self._end.recv_into(view)
            except OSError as error:
                raise _broken(error, self.limit) from None
            if not got:
                raise Lost("it died", gone=True)
            view = view[got:]
        return data

    def send_told(self, mark: bytes, told: Any) -> None:
        """A mark, then something as JSON."""
        text = json.dumps(told).encode()
        self.send(mark, LENGTH.pack(len(text)), text)

    def receive_told(self) -> Any:
        """What `send_told` sent after its mark."""
        try:
            return json.loads(self.receive(LENGTH.unpack(self.receive(LENGTH.size))[0]))
        except ValueError:
            raise Lost("it sent no JSON") from None

    def close(self) -> None:
        self._end.close()


def _broken(error: OSError, limit: float | None) -> Lost:
    if isinstance(error, TimeoutError):
        return Lost(f"it gave no answer within {limit:g} s")
    return Lost("it died", gone=True)


def part_told(part: Any) -> Any:
    """A part as data: where its class is and what it was made with; raises `CoachError` for what is no data."""
    if isinstance(part, Mapping):
        return {"table": {key: part_told(value) for key, value in part.items()}}
    if isinstance(part, list | tuple):
        return [part_told(item) for item in part]
    if hasattr(part, "__coach__"):
        fields = (field.name for field in attrs.fields(type(part)) if field.init)
        return {"part": spec_of(part).object, "given": {name: part_told(getattr(part, name)) for name in fields}}
    if part is None or isinstance(part, str | bool | int | float):
        return part
    raise CoachError(f"{part!r} cannot be sent to another process - run it without 'processes'")


def part_read(told: Any) -> Any:
    """The part that `part_told` describes; raises whatever importing and making it raises."""
    if isinstance(told, list):
        return tuple(part_read(item) for item in told)
    if not isinstance(told, dict):
        return told
    if "table" in told:
        return {key: part_read(value) for key, value in told["table"].items()}
    from importlib import import_module

    module, _, name = told["part"].partition(":")
    thing: Any = import_module(module)
    for piece in name.split("."):
        thing = getattr(thing, piece)
    return thing(**{key: part_read(value) for key, value in told["given"].items()})


def spaces_told(value: Any) -> Any:
    """Spaces as data."""
    if isinstance(value, Mapping):
        return {"table": {key: spaces_told(item) for key, item in value.items()}}
    if attrs.has(type(value)):
        fields = (field.name for field in attrs.fields(type(value)) if field.init)
        return {"space": type(value).__name__, "given": {name: spaces_told(getattr(value, name)) for name in fields}}
    if isinstance(value, np.ndarray):
        same = value.size > 0 and bool((value == value.flat[0]).all())
        return value.flat[0].item() if same else value.tolist()
    return list(value) if isinstance(value, tuple) else value


def spaces_read(told: Any) -> Any:
    """The spaces that `spaces_told` describes; raises `Lost` for a class that is none of them."""
    if not isinstance(told, dict):
        return tuple(told) if isinstance(told, list) else told
    if "table" in told:
        return {key: spaces_read(item) for key, item in told["table"].items()}
    if told.get("space") not in _SPACES:
        raise Lost("it did not say what it shows")
    return _SPACES[told["space"]](**{key: spaces_read(item) for key, item in told["given"].items()})


def obs_bytes(spaces: Spaces, obs: Mapping[str, Array]) -> bytes:
    """Observations ``[1, ...]`` in the order of their names; raises `BadData` where they are not as promised."""
    parts = []
    for name, space in sorted(spaces.observation.items()):
        shape = np.shape(obs[name])
        if shape != (1, *space.shape):
            raise BadData(f"observation '{name}' has shape {shape[1:]}, promised was {space.shape}")
        parts.append(np.ascontiguousarray(obs[name], space.dtype).tobytes())
    return b"".join(parts)


def error_told(error: CoachError) -> dict[str, str]:
    """An error of Coach's own as data."""
    return {"error": type(error).__name__, "message": error.message, "where": error.where}


def error_read(told: Any) -> CoachError | None:
    """The error of Coach's own that was told; None where the simulator itself failed."""
    if not isinstance(told, dict) or "error" not in told:
        return None
    cls = _ERRORS.get(str(told["error"]), CoachError)
    return cls(str(told.get("message", "")), where=str(told.get("where", "")))
