"""What on-policy agents share: literal answers, and NumPy against the arithmetic that the losses use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_networks import arithmetic
from coach_policy.a2c import A2C
from coach_policy.clipped_ppo import ClippedPPO
from coach_policy.on_policy import explained, log_prob, proposal, ratio, value_loss
from coach_policy.ppo import PPO
from coachcore.api import Box, Column, DataSpec, Discrete, Mismatch, Spaces, spec_of

F = np.float32
AGENTS = (A2C(), ClippedPPO(), PPO())
OBSERVATION = {"observation": Box((4,))}


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def spaces(action: Any) -> Spaces:
    return Spaces(observation=OBSERVATION, action=action)


def test_logits_become_probabilities() -> None:
    logits = np.array([[0.0, math.log(3.0)], [7.0, 7.0]], F)
    proposed = proposal(logits)
    np.testing.assert_allclose(proposed.preferences, [[0.25, 0.75], [0.5, 0.5]], rtol=1e-6)
    assert proposed.deviation is None
    assert plain(logits) == [[0.0, F(math.log(3.0))], [7.0, 7.0]]


def test_logits_far_apart_do_not_overflow() -> None:
    assert plain(proposal(np.array([[1e4, -1e4]], F)).preferences) == [[1.0, 0.0]]


def test_a_gaussian_head_becomes_mean_and_deviation() -> None:
    proposed = proposal(np.array([[[1.0, -2.0], [0.0, math.log(0.5)]]], F))
    assert plain(proposed.preferences) == [[1.0, -2.0]]
    np.testing.assert_allclose(proposed.deviation, [[1.0, 0.5]], rtol=1e-6)


def test_how_likely_discrete_actions_were() -> None:
    proposed = proposal(np.log(np.array([[0.25, 0.75], [0.5, 0.5]], F)))
    np.testing.assert_allclose(log_prob(proposed, np.array([1, 0])), np.log([0.75, 0.5]), rtol=1e-6)


def test_how_likely_real_actions_were() -> None:
    # one deviation of 1/2 from the mean of a Gaussian, and the mean of another
    proposed = proposal(np.array([[[1.0, 3.0], [math.log(0.5), 0.0]]], F))
    wanted = -0.5 - math.log(0.5) - 2 * 0.5 * math.log(2 * math.pi)
    np.testing.assert_allclose(log_prob(proposed, np.array([[1.5, 3.0]], F)), [wanted], rtol=1e-6)


def test_what_could_not_happen_has_a_finite_logarithm() -> None:
    told = log_prob(proposal(np.array([[0.0, -1e4]], F)), np.array([1]))
    assert np.isfinite(told).all()
    assert told[0] < -80


@given(seed=st.integers(0, 2**31), count=st.integers(1, 5), actions=st.integers(1, 4), box=st.booleans())
def test_numpy_says_what_the_loss_says(seed: int, count: int, actions: int, box: bool) -> None:
    rng = np.random.default_rng(seed)
    shape = (count, 2, actions) if box else (count, actions)
    policy = rng.standard_normal(shape).astype(F)
    taken = rng.standard_normal((count, actions)).astype(F) if box else rng.integers(0, actions, count)
    told = log_prob(proposal(policy), taken)
    assert told.shape == (count,)
    np.testing.assert_allclose(told, np.asarray(arithmetic.log_prob(policy, taken)), rtol=1e-4, atol=1e-5)


def test_a_ratio_is_never_infinite() -> None:
    assert plain(ratio(np.array([0.0], F))) == [1.0]
    assert np.isfinite(np.asarray(ratio(np.array([1e6], F)))).all()


def test_a_value_is_drawn_to_the_return() -> None:
    extras = {"return": np.array([1.0, 1.0], F), "value": np.array([0.0, 0.0], F)}
    assert plain(value_loss(np.array([3.0, 1.0], F), extras)) == [2.0, 0.0]


def test_a_clipped_value_has_still_to_pay() -> None:
    # held within 1/2 of the old value 0, both are 1/2, which is 1/2 away from the return
    extras = {"return": np.array([1.0, 1.0], F), "value": np.array([0.0, 0.0], F)}
    assert plain(value_loss(np.array([3.0, 1.0], F), extras, clip=0.5)) == [2.0, 0.125]


@pytest.mark.parametrize(("value", "share"), [([0.0, 2.0], 1.0), ([1.0, 1.0], 0.0), ([2.0, 0.0], -3.0)])
def test_the_share_of_variance_explained(value: list[float], share: float) -> None:
    assert plain(explained(np.array(value, F), np.array([0.0, 2.0], F))) == pytest.approx(share)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: spec_of(agent).name)
def test_the_network_fits_the_actions(agent: Any) -> None:
    discrete, box = (agent.networks(spaces(action))["main"] for action in (Discrete(3), Box((2,), -1.0, 1.0)))
    assert dict(discrete.slots) == {"policy": "discrete-policy", "value": "state-value"}
    assert dict(box.slots) == {"policy": "gaussian-policy", "value": "state-value"}
    assert (discrete.target, discrete.acts) == (False, True)
    assert spec_of(agent).facts["actions"] == ["discrete", "unit-box"]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: spec_of(agent).name)
def test_actions_that_are_no_vectors_are_refused(agent: Any) -> None:
    with pytest.raises(Mismatch) as caught:
        agent.networks(spaces(Box((2, 3), -1.0, 1.0)))
    assert str(caught.value) == (
        f"{spec_of(agent).name} takes discrete actions or vectors, this environment's are a box of shape (2, 3); "
        "an environment whose actions are flattened to a vector would do"
    )


def test_rows_are_fresh_and_hold_what_each_loss_needs() -> None:
    value, of_two = Column("value"), spaces(Box((2,), -1.0, 1.0))
    assert A2C().data(of_two) == DataSpec(fresh=True, keep=(value,))
    assert ClippedPPO().data(of_two) == DataSpec(fresh=True, keep=(value, Column("log_prob")))
    assert PPO().data(of_two) == DataSpec(fresh=True, keep=(value, Column("policy", (2, 2))))
    assert PPO().data(spaces(Discrete(3))) == DataSpec(fresh=True, keep=(value, Column("policy", (3,))))


def test_old_names_still_lead_here() -> None:
    assert spec_of(A2C).aliases == ("ActorCritic", "ActorCriticAgent", "ActorCriticAgentParameters")
    assert spec_of(ClippedPPO).aliases == ("ClippedPPO", "ClippedPPOAgent", "ClippedPPOAgentParameters")
    assert spec_of(PPO).aliases == ("PPO", "PPOAgent", "PPOAgentParameters")
