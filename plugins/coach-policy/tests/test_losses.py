"""The losses of on-policy agents with lambdas for networks: literal answers, slow twins and which way they lead."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coach_policy.a2c import A2C
from coach_policy.clipped_ppo import ClippedPPO
from coach_policy.ppo import PPO
from coachcore.api import BadSetting, Batch, Pair

F = np.float32
LOG_2 = math.log(2.0)


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def column(*values: float) -> np.ndarray:
    return np.array(values, F)


def told(agent: Any, policy: Any, value: Any, action: Any, /, **extras: Any) -> Any:
    """The loss where the network says `policy` and `value`, with the knobs as they are at first."""
    nets = {"main": Pair(lambda _: {"policy": np.asarray(policy, F), "value": np.asarray(value, F)}, lambda _: {})}
    given = {"value": np.zeros(len(value), F), "return": np.zeros(len(value), F), **extras}
    knobs = agent.knobs(agent.begin(), 0)
    return agent.errors(nets, Batch({}, np.asarray(action), extras=given, knobs=knobs))


EVEN = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


def test_a_ratio_out_of_bounds_pays_no_more_but_costs() -> None:
    # r = 2 in the first two rows, 1 in the third; min(2 * 3, 1.2 * 3), min(2 * -3, 1.2 * -3), 1 * 5
    agent = ClippedPPO(normalize_advantages=False)
    old = np.log(column(0.25, 0.25, 0.5))
    out = told(agent, EVEN, [0.0] * 3, [0, 1, 0], advantage=column(3.0, -3.0, 5.0), log_prob=old)
    np.testing.assert_allclose(out.loss["policy"], [-3.6, 6.0, -5.0], rtol=1e-5)
    np.testing.assert_allclose(out.metrics["kl"], [1 - LOG_2, 1 - LOG_2, 0.0], atol=1e-6)
    assert plain(out.metrics["clip_fraction"]) == [1.0, 1.0, 0.0]


def test_the_value_is_drawn_to_the_return_and_its_error_is_the_priority() -> None:
    given = {"advantage": column(0.0, 0.0), "return": column(1.0, 5.0), "log_prob": column(0.0, 0.0)}
    out = told(ClippedPPO(), EVEN[:2], [3.0, 4.0], [0, 0], **given)
    assert plain(out.loss["value"]) == [2.0, 0.5]
    assert plain(out.priority) == [2.0, 1.0]
    assert plain(out.metrics["value"]) == [3.0, 4.0]
    clipped = told(ClippedPPO(value_clip=0.5), EVEN[:2], [3.0, 4.0], [0, 0], **given, value=column(2.0, 2.0))
    assert plain(clipped.loss["value"]) == [2.0, 3.125]  # 4 counts as 2.5


def test_entropy_is_worth_its_weight() -> None:
    agent = ClippedPPO(entropy_weight=0.5)
    out = told(agent, [[0.0, 0.0]], [0.0], [0], advantage=column(0.0), log_prob=np.log(column(0.5)))
    np.testing.assert_allclose(out.loss["policy"], [-0.5 * LOG_2], rtol=1e-6)
    np.testing.assert_allclose(out.metrics["entropy"], [LOG_2], rtol=1e-6)


def test_advantages_are_standardised_over_the_minibatch() -> None:
    out = told(
        ClippedPPO(), EVEN[:2], [0.0] * 2, [0, 1], advantage=column(10.0, 14.0), log_prob=np.log(column(0.5, 0.5))
    )
    np.testing.assert_allclose(out.loss["policy"], [1.0, -1.0], rtol=1e-4)


def test_a_box_has_densities_for_probabilities() -> None:
    # the action lies one deviation off the mean; it was thought e times less dense
    dense = -0.5 - 0.5 * math.log(2 * math.pi)
    given = {"advantage": column(-1.0), "log_prob": column(dense - 1.0)}
    out = told(ClippedPPO(normalize_advantages=False), [[[0.0], [0.0]]], [0.0], [[1.0]], **given)
    np.testing.assert_allclose(out.loss["policy"], [math.e], rtol=1e-5)
    np.testing.assert_allclose(out.metrics["entropy"], [0.5 * math.log(2 * math.pi * math.e)], rtol=1e-6)


def test_schedules_turn_the_knobs() -> None:
    agent = ClippedPPO(clip=lambda step: 0.2 - step / 1000, entropy_weight=0.1)
    assert agent.knobs(agent.begin(), 0) == {"clip": 0.2, "entropy_weight": 0.1}
    assert agent.knobs(None, 100) == {"clip": pytest.approx(0.1), "entropy_weight": 0.1}
    assert agent.adapt(None, {"kl": 3.0}) is None


def test_leaving_the_old_policy_has_a_price() -> None:
    # old (1/2, 1/2), now (1/4, 3/4); action 1: r = 3/2, A = 2
    agent = PPO(normalize_advantages=False, initial_kl_coefficient=10.0)
    out = told(
        agent, np.log([[0.25, 0.75]]), [0.0], [1], advantage=column(2.0), policy=np.log(np.array([[0.5, 0.5]], F))
    )
    divergence = 0.5 * LOG_2 + 0.5 * math.log(2.0 / 3.0)
    np.testing.assert_allclose(out.metrics["kl"], [divergence], rtol=1e-5)
    np.testing.assert_allclose(out.loss["policy"], [10 * divergence - 3.0], rtol=1e-5)
    assert float(np.asarray(out.metrics["kl_coefficient"])) == 10.0


@pytest.mark.parametrize(
    ("kl", "after"),
    [
        (0.016, 2.0),
        (0.0149, 1.0),
        (0.01, 1.0),
        (0.0067, 1.0),
        (0.0066, 0.5),
        (0.0, 0.5),
        (math.inf, 2.0),
        (math.nan, 1.0),
    ],
)
def test_the_price_doubles_and_halves_with_the_divergence(kl: float, after: float) -> None:
    agent = PPO(target_kl=0.01)
    assert agent.adapt(agent.begin(), {"kl": kl, "loss": 7.0}) == after
    assert agent.knobs(after, 5) == {"kl_coefficient": after, "entropy_weight": 0.0}


def test_the_price_can_always_find_back() -> None:
    agent = PPO()
    low = high = agent.begin()
    for _ in range(2000):
        low, high = agent.adapt(low, {"kl": 0.0}), agent.adapt(high, {"kl": 1.0})
    assert (low, high) == (1e-4, 1e4)
    assert agent.adapt(low, {"kl": 1.0}) == 2e-4


def test_actor_critic_weighs_the_logarithm_by_the_advantage() -> None:
    agent = A2C(entropy_weight=0.5)
    given = {"advantage": column(3.0, -1.0), "return": column(2.0, 0.0)}
    out = told(agent, EVEN[:2], [1.0, 0.0], [0, 1], **given)
    np.testing.assert_allclose(out.loss["policy"], [3 * LOG_2 - 0.5 * LOG_2, -LOG_2 - 0.5 * LOG_2], rtol=1e-5)
    assert plain(out.loss["value"]) == [0.5, 0.0]
    even = told(A2C(normalize_advantages=True), EVEN[:2], [1.0, 0.0], [0, 1], **given)
    np.testing.assert_allclose(even.loss["policy"], [LOG_2, -LOG_2], rtol=1e-4)


def test_the_clipped_loss_is_that_of_a_loop_over_rows() -> None:
    rng = np.random.default_rng(3)
    policy, old = rng.standard_normal((2, 40, 3)).astype(F)
    action, advantage = rng.integers(0, 3, 40), rng.standard_normal(40).astype(F)
    before = [math.log(math.exp(row[a]) / sum(math.exp(x) for x in row)) for row, a in zip(old, action, strict=True)]
    given = {"advantage": advantage, "log_prob": np.array(before, F)}
    agent = ClippedPPO(clip=0.3, entropy_weight=0.01)
    out = told(agent, policy, np.zeros(40), action, **given)
    mean, deviation = advantage.mean(), advantage.std()
    for place in range(40):
        chances = [math.exp(x) / sum(math.exp(y) for y in policy[place]) for x in policy[place]]
        ratio = chances[action[place]] / math.exp(before[place])
        good = (advantage[place] - mean) / deviation
        gain = min(ratio * good, min(max(ratio, 0.7), 1.3) * good) - 0.01 * sum(p * math.log(p) for p in chances)
        assert float(np.asarray(out.loss["policy"])[place]) == pytest.approx(-gain, rel=1e-3, abs=1e-4)


def slope(loss: Callable[[np.ndarray], float], at: np.ndarray, nudge: float = 0.02) -> np.ndarray:
    """The slope of `loss` at `at`, number by number, by central differences."""
    out = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        there = np.zeros_like(at)
        there[place] = nudge
        out[place] = (loss(at + there) - loss(at - there)) / (2 * nudge)
    return out


@pytest.mark.parametrize("agent", [A2C(), ClippedPPO(), PPO()], ids=["a2c", "clipped-ppo", "ppo"])
def test_going_down_the_loss_makes_the_better_of_two_actions_likelier(agent: Any) -> None:
    policy, action, advantage = np.zeros(2, F), np.array([0, 1]), column(-1.0, 1.0)
    given = {"advantage": advantage, "log_prob": np.log(column(0.5, 0.5)), "policy": np.zeros((2, 2), F)}

    def loss(logits: np.ndarray) -> float:
        out = told(agent, np.stack([logits, logits]), [0.0, 0.0], action, **given)
        return float(np.mean(np.asarray(out.loss["policy"])))

    assert slope(loss, policy)[0] > 0.1
    assert slope(loss, policy)[1] < -0.1


@pytest.mark.parametrize("agent", [A2C(), ClippedPPO(), PPO()], ids=["a2c", "clipped-ppo", "ppo"])
def test_going_down_the_loss_moves_a_gaussian_towards_the_better_action(agent: Any) -> None:
    action, advantage = np.array([[0.5], [-0.5]], F), column(1.0, -1.0)
    dense = -0.125 - 0.5 * math.log(2 * math.pi)
    given = {"advantage": advantage, "log_prob": column(dense, dense), "policy": np.zeros((2, 2, 1), F)}

    def loss(policy: np.ndarray) -> float:
        out = told(agent, np.stack([policy, policy]), [0.0, 0.0], action, **given)
        return float(np.mean(np.asarray(out.loss["policy"])))

    assert slope(loss, np.zeros((2, 1), F))[0, 0] < -0.1


def test_past_the_clip_nothing_pulls_further() -> None:
    given = {"advantage": column(1.0), "log_prob": np.log(column(0.25))}
    agent = ClippedPPO(normalize_advantages=False)

    def loss(logits: np.ndarray) -> float:
        return float(np.asarray(told(agent, logits[None], [0.0], [0], **given).loss["policy"])[0])

    assert slope(loss, np.zeros(2, F)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("agent", [A2C(), ClippedPPO(), PPO()], ids=["a2c", "clipped-ppo", "ppo"])
def test_what_is_kept_is_what_the_loss_asks_for(agent: Any) -> None:
    outputs = {"policy": np.log(np.array([[0.25, 0.75]], F)), "value": column(4.0)}
    kept = agent.kept(outputs, agent.propose(outputs), np.array([1]))
    wanted = {"value": [4.0], "log_prob": [math.log(0.75)], "policy": [[math.log(0.25), math.log(0.75)]]}
    assert {"value"} <= set(kept) <= set(wanted)
    for name, values in kept.items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-6)


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [
        (ClippedPPO, {"clip": -0.1}, "clip: -0.1 is out of range - must be >= 0"),
        (ClippedPPO, {"gae_lambda": 1.5}, "gae_lambda: 1.5 is out of range - must be >= 0 and <= 1"),
        (PPO, {"target_kl": 0.0}, "target_kl: 0.0 is out of range - must be > 0"),
        (PPO, {"initial_kl_coefficient": 0.0}, "initial_kl_coefficient: 0.0 is out of range"),
        (A2C, {"entropy_weight": -1.0}, "entropy_weight: -1.0 is out of range - must be >= 0"),
        (A2C, {"discount": 0.0}, "discount: 0.0 is out of range"),
    ],
)
def test_bad_settings_are_refused(part: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        part(**given)
    assert str(caught.value).startswith(words)
