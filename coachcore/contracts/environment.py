"""Environments: N simulators behind one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from coachcore.spaces import Spaces
from coachcore.types import Array, Obs, Step


class VectorEnvironment(Protocol):
    """N running simulators.

    Must keep true: an episode is a function of its seed and its actions (so a
    checkpoint stores only these); `step` never resets; arrays handed out are
    not written to later. Where a simulator failed for good, `step` says so in `Step.lost`:
    `obs` is then what was shown last, and the episode is truncated there. An environment
    that has something to tell of its simulators (restarts) has a method ``news()``: what
    happened since it was last asked, as plain data, each of which becomes an event ``simulator``.
    """

    spaces: Spaces
    count: int

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        """Open an episode in each of the M environments named; observations ``[M, ...]`` in that order."""
        ...

    def step(self, actions: Array) -> Step:
        """One step in every environment; `actions` ``[N]`` or ``[N, A]``."""
        ...

    def render(self) -> Array | None:
        """A picture ``[H, W, 3]`` uint8 of environment 0, or None where it was not made for that."""
        ...

    def close(self) -> None:
        """Let go of windows, processes and files."""
        ...


class Environment(Protocol):
    """The part: settings that can be made into running environments any number of times.

    Where policies are to be tried out on another one, a property ``evaluation`` is that part.
    """

    def make(self, count: int, *, render: bool = False) -> VectorEnvironment:
        """`count` simulators; raises `UnknownName` or `BadSetting` when they cannot be made."""
        ...
