"""Rainbow is a C51 with other defaults, and says so in every answer."""

from __future__ import annotations

import numpy as np
import pytest

from coach_value.c51 import C51
from coach_value.rainbow import Rainbow
from coachcore.api import BadSetting, Batch, Box, DataSpec, Discrete, Mismatch, Pair, Spaces, spec_of

OBSERVATION = {"observation": Box((4,))}


def test_it_is_double_over_three_steps_unless_told_otherwise() -> None:
    agent = Rainbow()
    assert (agent.low, agent.high, agent.double, agent.n_step) == (-10.0, 10.0, True, 3)
    assert agent.inner == C51(low=-10.0, high=10.0, double=True, n_step=3)
    assert Rainbow(double=False, n_step=1).inner == C51()


def test_its_loss_is_that_of_the_c51_it_holds() -> None:
    rng = np.random.default_rng(0)
    now, after, slow = (rng.standard_normal((5, 3, 7)).astype(np.float32) for _ in range(3))
    nets = {"main": Pair(lambda obs: {"q": obs["q"]}, lambda obs: {"q": slow})}
    reward, discount = rng.standard_normal(5).astype(np.float32), np.full(5, 0.97, np.float32)
    batch = Batch({"q": now}, np.array([0, 1, 2, 0, 1]), reward, discount, {"q": after})
    (update,) = Rainbow(low=-2.0, high=2.0).updates()
    told = update.loss(nets, batch)
    plain = C51(low=-2.0, high=2.0, double=True).errors(nets, batch)
    assert (update.moves, update.every) == ("main", 1)
    assert np.asarray(told.loss).tolist() == np.asarray(plain.loss).tolist()
    assert np.asarray(told.priority).tolist() == np.asarray(plain.priority).tolist()
    assert set(told.metrics) == {"q", "divergence"}


def test_it_proposes_expected_returns() -> None:
    logits = np.log(np.array([[[0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]]) + 1e-30).astype(np.float32)
    proposed = Rainbow(low=0.0, high=2.0).propose({"q": logits})
    np.testing.assert_allclose(proposed.preferences, [[1.0, 1.5]], rtol=1e-6)


def test_one_network_with_a_target_for_discrete_actions() -> None:
    spaces = Spaces(observation=OBSERVATION, action=Discrete(2))
    spec = Rainbow().networks(spaces)["main"]
    assert (dict(spec.slots), spec.target, spec.acts) == ({"q": "return-distribution"}, True, True)
    facts = spec_of(Rainbow).facts
    assert (facts["slots"], facts["defaults"]["heads"]) == (dict(spec.slots), {"q": {"use": "rainbow-q"}})
    assert Rainbow().data(spaces) == DataSpec()


def test_a_box_of_actions_is_refused_with_the_filter_that_bridges_it() -> None:
    with pytest.raises(Mismatch) as caught:
        Rainbow().networks(Spaces(observation=OBSERVATION, action=Box((2,))))
    assert str(caught.value) == (
        "rainbow chooses among discrete actions, this environment's are a box of shape (2,); "
        "discretise them with the action filter 'box-discretization', or use an agent for continuous actions"
    )


def test_a_support_needs_two_ends() -> None:
    with pytest.raises(BadSetting, match="high: the support needs low < high, both finite, got low = 3 and high = 1"):
        Rainbow(low=3.0, high=1.0)


def test_the_inner_agent_is_no_setting() -> None:
    assert [spec.name for spec in spec_of(Rainbow).params] == ["low", "high", "double", "discount", "n_step"]
