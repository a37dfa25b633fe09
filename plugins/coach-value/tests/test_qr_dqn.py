"""QR-DQN's loss with lambdas for networks: literal answers, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_value.qr_dqn import QRDQN
from coachcore.api import BadSetting, Batch, Box, Discrete, Mismatch, Pair, Spaces, spec_of

NOW = np.array([[[1.0, 3.0], [0.0, 0.0]]], np.float32)
NEXT = np.array([[[5.0, 5.0], [0.0, 0.0]]], np.float32)  # online, next obs: prefers action 0
SLOW = np.array([[[0.0, 2.0], [4.0, 4.0]]], np.float32)  # target, next obs: prefers action 1


def nets() -> dict[str, Pair]:
    return {"main": Pair(lambda obs: {"q": obs["q"]}, lambda obs: {"q": SLOW})}


def batch(reward: float, discount: float) -> Batch:
    f = np.float32
    return Batch({"q": NOW}, np.array([0]), np.array([reward], f), np.array([discount], f), {"q": NEXT})


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def test_the_target_network_chooses_and_tells() -> None:
    # both targets are 0 + 0.5 * 4 = 2: errors 1 (of rank 1/4) and -1 (of rank 3/4), each half a square of 1/2
    out = QRDQN().errors(nets(), batch(0.0, 0.5))
    assert plain(out.loss) == [0.25 * 0.5 + 0.25 * 0.5]
    assert plain(out.priority) == [0.0]
    assert plain(out.metrics["q"]) == [2.0]


def test_double_lets_the_online_network_choose() -> None:
    # targets 1 + 0 = 1 and 1 + 2 = 3; quantile 1 has errors 0 and 2, quantile 3 has -2 and 0, huber(2) = 1.5
    out = QRDQN(double=True).errors(nets(), batch(1.0, 1.0))
    assert plain(out.loss) == [0.25 * (0.0 + 1.5) / 2 + 0.25 * (1.5 + 0.0) / 2]


def test_past_a_terminal_step_the_reward_is_all() -> None:
    # targets 5 and 5: errors 4 and 2, huber 3.5 and 1.5, both from below
    out = QRDQN().errors(nets(), batch(5.0, 0.0))
    assert plain(out.loss) == [0.25 * 3.5 + 0.75 * 1.5]
    assert plain(out.priority) == [3.0]


def test_the_loss_is_divided_by_its_width() -> None:
    # width 4: half squares 8 and 2, divided by 4
    assert plain(QRDQN(huber_width=4.0).errors(nets(), batch(5.0, 0.0)).loss) == [(0.25 * 8 + 0.75 * 2) / 4]


def test_it_proposes_means() -> None:
    assert plain(QRDQN().propose({"q": np.concatenate([NOW, SLOW])}).preferences) == [[2.0, 0.0], [1.0, 4.0]]


def test_one_network_with_a_target_for_discrete_actions() -> None:
    observation = {"observation": Box((4,))}
    spec = QRDQN().networks(Spaces(observation=observation, action=Discrete(2)))["main"]
    assert (dict(spec.slots), spec.target, spec.acts) == ({"q": "quantiles"}, True, True)
    assert spec_of(QRDQN).facts["slots"] == dict(spec.slots)
    with pytest.raises(Mismatch, match=r"qr-dqn .* box of shape \(2,\); discretise"):
        QRDQN().networks(Spaces(observation=observation, action=Box((2,))))


@pytest.mark.parametrize("given", [{"huber_width": 0.0}, {"discount": 1.1}, {"n_step": 0}])
def test_bad_settings_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=next(iter(given))):
        QRDQN(**given)
