"""One seed, many streams: each consumer of chance has its own named generator."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

Generator = np.random.Generator


class Streams:
    """Named, independent random generators that all follow from one seed.

    A stream depends on the seed and its own name only, so adding a consumer
    never shifts another's draws. Names in use: ``explore``, ``heatup``,
    ``memory``, ``drawn``, ``episodes``, ``evaluation``, ``network``.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._streams: dict[str, Generator] = {}

    def __getitem__(self, name: str) -> Generator:
        stream = self._streams.get(name)
        if stream is None:
            sequence = np.random.SeedSequence(self.seed, spawn_key=(crc32(name.encode()),))
            stream = self._streams[name] = np.random.Generator(np.random.PCG64(sequence))
        return stream

    def state(self) -> dict[str, Any]:
        """Every stream's position, as plain JSON data (128-bit integers as text)."""
        return {name: _packed(stream.bit_generator.state) for name, stream in self._streams.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put every stream where `state` says; streams it does not name start anew."""
        self._streams.clear()
        for name, packed in state.items():
            self[name].bit_generator.state = _unpacked(packed)


def _packed(state: Any) -> dict[str, Any]:
    inner = {key: str(value) for key, value in state["state"].items()}
    return {**state, "state": inner}


def _unpacked(packed: dict[str, Any]) -> dict[str, Any]:
    return {**packed, "state": {key: int(value) for key, value in packed["state"].items()}}
