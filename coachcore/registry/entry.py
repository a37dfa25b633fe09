"""What the registry knows of one part: its spec, who offers it and whether it can be used."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from coachcore.specs import API, ComponentSpec

Standing = Literal["ok", "unavailable", "clash", "broken", "disabled", "too-new", "too-old"]
REFUSED = ("too-new", "too-old")
"""How a plugin for another major version of the API stands; its manifest may have another form, and is not read."""


class Entry(NamedTuple):
    """One part as installed; `problem` says in words what `state` stands for, or warns of a sound part."""

    spec: ComponentSpec
    dist: str
    version: str
    state: Standing = "ok"
    problem: str = ""

    @property
    def id(self) -> str:
        """The full id, ``"dist/kind:name"``, which is unique whatever else is installed."""
        return f"{self.dist}/{self.spec.kind}:{self.spec.name}"


class Trouble(NamedTuple):
    """Something wrong with a distribution as a whole, in one line."""

    dist: str
    version: str
    text: str


class Survey(NamedTuple):
    """All that installed distributions offer, read without importing any of them."""

    entries: tuple[Entry, ...] = ()
    presets: tuple[tuple[str, Path], ...] = ()  # distribution -> folder
    hooks: tuple[tuple[str, str], ...] = ()  # distribution -> module (or module:object) with hookimpls
    troubles: tuple[Trouble, ...] = ()


def standing(api: str) -> tuple[Standing, str]:
    """How a plugin made for Coach API `api` (``"1.0"``) stands to this core, and what to say about it.

    Same major and minor not newer: used. Newer minor: used, with a warning.
    Another major: refused when used, as too new or too old.
    """
    ours = f"{API[0]}.{API[1]}"
    major, minor = (int(number) for number in api.split("."))
    if major != API[0]:
        state: Standing = "too-new" if major > API[0] else "too-old"
        return state, f"made for Coach API {api}, this core has {ours} - install versions that go together"
    if minor > API[1]:
        return "ok", f"made for Coach API {api}, this core has {ours} - a newer coachcore may be needed"
    return "ok", ""
