"""Action spaces that do not fit an agent: one line each, with what would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_control.ddpg import DDPG
from coach_control.discrete_sac import DiscreteSAC
from coach_control.sac import SAC
from coach_control.td3 import TD3
from coachcore.api import Box, Discrete, Mismatch, Spaces, spec_of

CONTINUOUS = (DDPG(), TD3(), SAC())


def refused(agent: Any, action: Any) -> str:
    with pytest.raises(Mismatch) as caught:
        agent.networks(Spaces(observation={"observation": Box((4,))}, action=action))
    return str(caught.value)


@pytest.mark.parametrize("agent", CONTINUOUS, ids=lambda agent: spec_of(agent).name)
def test_discrete_actions(agent: Any) -> None:
    assert refused(agent, Discrete(3)) == (
        f"{spec_of(agent).name} acts by real numbers, this environment has 3 discrete actions; "
        "use discrete-sac, dqn or clipped-ppo"
    )


@pytest.mark.parametrize("agent", CONTINUOUS, ids=lambda agent: spec_of(agent).name)
def test_actions_that_are_no_vectors(agent: Any) -> None:
    assert refused(agent, Box((2, 3), -1.0, 1.0)) == (
        f"{spec_of(agent).name} acts by vectors, this environment's actions are a box of shape (2, 3); "
        "an environment whose actions are flattened to a vector would do"
    )


@pytest.mark.parametrize("agent", CONTINUOUS, ids=lambda agent: spec_of(agent).name)
@pytest.mark.parametrize("bounds", [{}, {"low": 0.0}, {"low": np.array([0.0, -np.inf]), "high": 1.0}])
def test_actions_without_bounds(agent: Any, bounds: dict[str, Any]) -> None:
    assert refused(agent, Box((2,), **bounds)) == (
        f"{spec_of(agent).name} acts from -1 to 1, mapped to the bounds of the action space, which this box lacks; "
        "bound it with the action filter 'linear-box-to-box'"
    )


def test_a_box_for_an_agent_of_discrete_actions() -> None:
    assert refused(DiscreteSAC(), Box((2,), -1.0, 1.0)) == (
        "discrete-sac chooses among discrete actions, this environment's are a box of shape (2,); "
        "discretise them with the action filter 'box-discretization', or use sac"
    )


def test_old_names_still_lead_here() -> None:
    assert spec_of(DDPG).aliases == ("DDPG", "DDPGAgent", "DDPGAgentParameters")
    assert spec_of(TD3).aliases == ("TD3", "TD3Agent", "TD3AgentParameters")
    assert spec_of(SAC).aliases == ("SoftActorCritic", "SoftActorCriticAgent", "SoftActorCriticAgentParameters")
