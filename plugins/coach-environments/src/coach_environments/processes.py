"""The environment part `processes`: simulators that may crash or hang without harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from coachcore.api import component, param

if TYPE_CHECKING:
    from coach_environments.simulators import ProcessSimulators


@component("environment", "processes")
@attrs.frozen(kw_only=True)
class Processes:
    """Another environment, each simulator in a spawned process of its own, all of them stepping at the same time.

    A simulator that dies, raises, or takes longer than `step_limit` is killed and started
    anew. Its episode is a function of its seed and actions, so these are played to it
    again, and where it then shows what it showed before, the run goes on as if nothing had
    happened. Where it fails again, or shows something else, the episode is lost: it is
    truncated at what was seen last, and the step that never happened is not learned
    from (in rollouts, and by memories of whole episodes, it counts as one that earned and
    changed nothing). Every restart is an event ``simulator`` with ``env``, ``cause`` and
    ``lost``, and a lost episode says so in its own event.

    A step costs about 0.1 ms a simulator more than in the process itself, and each evaluation starts
    processes of its own: worth it for simulators that are slow or not to be trusted.
    Nothing that a simulator sends is unpickled: shapes are agreed on at the start,
    and bytes are read as these say. For Linux and macOS.
    """

    environment: Any = param(type="environment", doc="the environment that runs in processes")
    step_limit: float = param(default=60.0, gt=0, doc="longest that a step or a reset may take", unit="seconds")
    start_limit: float = param(default=120.0, gt=0, doc="longest that a process may take to begin", unit="seconds")

    def make(self, count: int, *, render: bool = False) -> ProcessSimulators:
        """`count` processes; raises what the environment raises where it cannot be made."""
        from coach_environments.simulators import ProcessSimulators

        return ProcessSimulators(self, count, render=render)

    @property
    def evaluation(self) -> Processes:
        """The part that a policy is tried out on."""
        return attrs.evolve(self, environment=getattr(self.environment, "evaluation", self.environment))
