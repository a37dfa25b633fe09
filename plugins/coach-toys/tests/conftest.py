"""A small problem for the engine, with changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coach_toys.linear_q import LinearQ
from coach_toys.network import LinearValues, Plain, Straight
from coachcore.api import Box, Discrete, Layout, NetworkPlan, Problem, Spaces
from coachcore.testing.engine import PLAIN


@pytest.fixture
def made() -> Callable[..., Problem]:
    """Three numbers seen and two actions, unless told otherwise; `parts` are of the network's plan."""

    def problem(seen: Any = None, *, action: Any = None, parts: Any = None, **changes: Any) -> Problem:
        observation = seen or {"observation": Box((3,), -1.0, 1.0)}
        spaces, agent = Spaces(observation=observation, action=action or Discrete(2)), LinearQ()
        usual = {"middleware": Straight(), "heads": {"q": LinearValues()}}
        usual["embedders"] = {name: Plain() for name in observation}
        spec = agent.networks(Spaces(observation={}, action=Discrete(2)))["main"]
        plan = NetworkPlan(spec=spec, **(usual | (parts or {})))
        given = {"agent": agent, "networks": {"main": plan}, "spaces": spaces, "layout": Layout.of(spaces)}
        return Problem(**{**given, "settings": PLAIN, **changes})

    return problem
