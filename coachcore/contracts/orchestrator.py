"""Orchestrators: who starts trainers and workers, watches them and takes them down."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Orchestrator(Protocol):
    """Starts the same entry point in three roles (local, trainer, worker).

    Must keep true: what it would start is a pure function of its settings and
    the preset (`render`, which starts and writes nothing); a deployment has a name of its own and can
    be watched and undone from any process.
    """

    def render(self, preset: Path, workers: int) -> Mapping[str, str]:
        """The manifests or command lines by name, without starting anything."""
        ...

    def deploy(self, preset: Path, workers: int) -> str:
        """Start them and return the deployment's name; raises `CoachError` with the outside system's own words."""
        ...

    def status(self, deployment: str) -> Mapping[str, str]:
        """Process or pod -> what it is doing."""
        ...

    def undeploy(self, deployment: str) -> None:
        """Stop everything; undoing what is gone is no error."""
        ...
