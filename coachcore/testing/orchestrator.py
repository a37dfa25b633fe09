"""What every orchestrator must keep true."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs

from coachcore.testing.laws import require, settings_are_frozen

PRESET = Path("preset.toml")


def settings_never_change(part: Any) -> None:
    """It is an orchestrator, and its settings are frozen."""
    settings_are_frozen(part, "orchestrator")


def what_it_would_start_is_a_pure_function(part: Any) -> None:
    """Equal settings, preset and number of workers give equal texts; more workers never fewer of them."""
    few, again, many = (part.render(PRESET, workers) for workers in (1, 1, 3))
    require(few == again, "render gives the same for the same preset and number of workers")
    require(bool(few) and all(isinstance(text, str) and text.strip() for text in few.values()), "render gives texts")
    require(many != few, "render depends on the number of workers")
    require(any(PRESET.name in text for text in few.values()), "what is started knows the preset")


def showing_starts_nothing(part: Any) -> None:
    """`render` writes no file."""
    with TemporaryDirectory(prefix="coach-") as folder, chdir(folder):
        part.render(PRESET, 2)
        written = sorted(path.name for path in Path(folder).rglob("*"))
    require(not written, f"render starts nothing and writes nothing, but it left {', '.join(written)}")


def a_deployment_can_be_watched_and_undone(part: Any) -> None:
    """Its name is all that another process needs; undoing what is gone is no error. This one really starts things.

    The other process is played by a part of equal settings.
    """
    elsewhere = attrs.evolve(part)
    name, second = part.deploy(PRESET, 2), part.deploy(PRESET, 1)
    require(isinstance(name, str) and bool(name), f"deploy gives the deployment's name, got {name!r}")
    require(second != name, f"each deployment has a name of its own, two are called {name!r}")
    require(bool(elsewhere.status(name)), "status says what is running, in another process too")
    elsewhere.undeploy(name)
    require(not part.status(name), "nothing is left after undeploy")
    require(bool(part.status(second)), "undoing one deployment leaves the others")
    part.undeploy(second)
    part.undeploy(name)


LAWS = (settings_never_change, what_it_would_start_is_a_pure_function, showing_starts_nothing)
"""Those that start nothing; `pytest --coach-conformance` asks these."""


class OrchestratorConformance:
    """The laws as tests: subclass it as ``TestMine`` and give `make`; with ``deploys = False`` nothing is started."""

    deploys = True

    def make(self) -> Any:
        """The orchestrator to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make())

    def test_what_it_would_start_is_a_pure_function(self) -> None:
        what_it_would_start_is_a_pure_function(self.make())

    def test_showing_starts_nothing(self) -> None:
        showing_starts_nothing(self.make())

    def test_a_deployment_can_be_watched_and_undone(self) -> None:
        if self.deploys:
            a_deployment_can_be_watched_and_undone(self.make())
