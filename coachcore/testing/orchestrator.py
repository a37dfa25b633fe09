"""What every orchestrator must keep true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def a_deployment_can_be_watched_and_undone(part: Any) -> None:
    """Its name is all that another process needs; undoing what is gone is no error. This one really starts things."""
    name = part.deploy(PRESET, 2)
    require(isinstance(name, str) and bool(name), f"deploy gives the deployment's name, got {name!r}")
    require(bool(part.status(name)), "status says what is running")
    part.undeploy(name)
    require(not part.status(name), "nothing is left after undeploy")
    part.undeploy(name)


LAWS = (settings_never_change, what_it_would_start_is_a_pure_function)
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

    def test_a_deployment_can_be_watched_and_undone(self) -> None:
        if self.deploys:
            a_deployment_can_be_watched_and_undone(self.make())
