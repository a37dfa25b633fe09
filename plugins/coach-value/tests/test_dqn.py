"""DQN's loss with lambdas for networks: literal answers, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_value.dqn import DQN
from coachcore.api import BadSetting, Batch, Box, Discrete, Mismatch, Pair, Spaces, spec_of

NOW = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)  # online, obs
NEXT = np.array([[9.0, 5.0], [0.0, 1.0]], np.float32)  # online, next obs: chooses 0 and 1
SLOW = np.array([[10.0, 20.0], [30.0, 40.0]], np.float32)  # target, next obs


def nets() -> dict[str, Pair]:
    return {"main": Pair(lambda obs: {"q": obs["q"]}, lambda obs: {"q": SLOW})}


def batch(discount: tuple[float, float] = (0.5, 0.0)) -> Batch:
    f = np.float32
    return Batch({"q": NOW}, np.array([0, 1]), np.array([1.0, 2.0], f), np.array(discount, f), {"q": NEXT})


def plain(values: Any) -> list[float]:
    return np.asarray(values).tolist()


def test_the_target_takes_the_slow_networks_best() -> None:
    # y = 1 + 0.5 * 20 = 11 and 2 + 0 * 40 = 2; errors 1 - 11 = -10 and 4 - 2 = 2
    out = DQN(loss="mse").errors(nets(), batch())
    assert plain(out.priority) == [10.0, 2.0]
    assert plain(out.loss) == [50.0, 2.0]
    assert plain(out.metrics["q"]) == [1.0, 4.0]


def test_double_takes_the_slow_value_of_the_online_choice() -> None:
    # y = 1 + 0.5 * 10 = 6 and 2 + 0.5 * 40 = 22
    out = DQN(loss="mse", double=True).errors(nets(), batch((0.5, 0.5)))
    assert plain(out.priority) == [5.0, 18.0]


def test_huber_turns_straight_at_its_width() -> None:
    assert plain(DQN().errors(nets(), batch()).loss) == [9.5, 1.5]
    assert plain(DQN(huber_width=4.0).errors(nets(), batch()).loss) == [32.0, 2.0]


def test_rows_in_another_order_give_the_same_rows() -> None:
    out, given = DQN().errors(nets(), batch()), batch()
    turned = Batch({"q": NOW[::-1]}, given.action[::-1], given.reward[::-1], given.discount[::-1], {"q": NEXT[::-1]})
    there = {"main": Pair(lambda obs: {"q": obs["q"]}, lambda obs: {"q": SLOW[::-1]})}
    assert plain(DQN().errors(there, turned).loss) == plain(out.loss)[::-1]


def test_one_network_with_a_target_for_discrete_actions() -> None:
    spaces = Spaces(observation={"observation": Box((4,))}, action=Discrete(2))
    spec = DQN().networks(spaces)["main"]
    assert (dict(spec.slots), spec.target, spec.acts) == ({"q": "action-values"}, True, True)
    assert [update.moves for update in DQN().updates()] == ["main"]
    assert spec_of(DQN).facts["slots"] == {"q": "action-values"}
    assert spec_of(DQN).facts["executor"] == "small"


def test_continuous_actions_are_refused_with_a_way_out() -> None:
    spaces = Spaces(observation={"observation": Box((4,))}, action=Box((2,)))
    with pytest.raises(Mismatch, match=r"box of shape \(2,\); discretise"):
        DQN().networks(spaces)


def test_it_proposes_its_values() -> None:
    assert DQN().propose({"q": NOW}).preferences is NOW


@pytest.mark.parametrize(
    "given", [{"discount": 0.0}, {"discount": 1.1}, {"n_step": 0}, {"loss": "mae"}, {"huber_width": 0.0}]
)
def test_bad_settings_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        DQN(**given)
