"""C51's loss with lambdas for networks: literal answers, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from coach_value.c51 import C51
from coachcore.api import BadSetting, Batch, Box, Discrete, Mismatch, Pair, Spaces, spec_of

AGENT = C51(low=0.0, high=2.0)  # with three atoms: 0, 1 and 2


def logits(*rows: tuple[float, ...]) -> np.ndarray:
    """Log-probabilities of one example ``[1, A, K]``; 0 becomes a logit far down."""
    return np.log(np.maximum(np.array([rows], np.float32), 1e-30))


NOW = logits((0.25, 0.5, 0.25), (0.0, 0.0, 1.0))
NEXT = logits((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # online, next obs: means 2 and 0
SLOW = logits((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # target, next obs: means 0 and 1


def nets() -> dict[str, Pair]:
    return {"main": Pair(lambda obs: {"q": obs["q"]}, lambda obs: {"q": SLOW})}


def batch(reward: float, discount: float) -> Batch:
    f = np.float32
    return Batch({"q": NOW}, np.array([0]), np.array([reward], f), np.array([discount], f), {"q": NEXT})


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def test_the_target_network_chooses_and_tells() -> None:
    # its best action 1 returns 1 for sure: 0.5 + 0.5 * 1 = 1, told with probability 1/2
    out = AGENT.errors(nets(), batch(0.5, 0.5))
    assert plain(out.loss) == pytest.approx([math.log(2)])
    assert plain(out.priority) == pytest.approx([math.log(2)])
    assert plain(out.metrics["q"]) == pytest.approx([1.0])


def test_double_lets_the_online_network_choose() -> None:
    # online prefers action 0, of which the target says 0: 0.5 + 0 lies between 0 and 1
    out = C51(low=0.0, high=2.0, double=True).errors(nets(), batch(0.5, 0.5))
    assert plain(out.loss) == pytest.approx([0.5 * math.log(4) + 0.5 * math.log(2)])
    assert plain(out.priority) == pytest.approx([0.5 * math.log(4) + 0.5 * math.log(2) - math.log(2)])


def test_past_a_terminal_step_the_reward_is_all() -> None:
    assert plain(AGENT.errors(nets(), batch(2.0, 0.0)).loss) == pytest.approx([math.log(4)])


def test_a_reward_beyond_the_support_counts_as_its_end() -> None:
    assert plain(AGENT.errors(nets(), batch(70.0, 0.0)).loss) == pytest.approx([math.log(4)])


def test_nothing_is_surprising_where_the_truth_is_told() -> None:
    here = {"main": Pair(lambda obs: {"q": NOW}, lambda obs: {"q": NOW[:, [0, 0]]})}
    out = AGENT.errors(here, batch(0.0, 1.0))
    assert plain(out.loss) == pytest.approx([1.5 * math.log(2)])
    assert plain(out.priority) == pytest.approx([0.0], abs=1e-6)


def test_it_proposes_expected_returns() -> None:
    given = np.concatenate([NOW, SLOW])
    kept = given.copy()
    np.testing.assert_allclose(AGENT.propose({"q": given}).preferences, [[1.0, 2.0], [0.0, 1.0]], atol=1e-6)
    assert np.array_equal(given, kept)


def test_it_proposes_what_its_loss_calls_the_mean() -> None:
    given = np.random.default_rng(0).standard_normal((4, 3, 51)).astype(np.float32) * 5
    agent = C51(low=-3.0, high=7.0)
    told = {"main": Pair(lambda obs: {"q": given}, lambda obs: {"q": given})}
    for action in range(3):
        asked = Batch({}, np.full(4, action), np.zeros(4, np.float32), np.zeros(4, np.float32), {})
        mean = np.asarray(agent.errors(told, asked).metrics["q"])
        np.testing.assert_allclose(agent.propose({"q": given}).preferences[:, action], mean, rtol=1e-5, atol=1e-5)


def test_logits_far_apart_do_not_overflow() -> None:
    far = np.array([[[1e4, -1e4, 0.0]]], np.float32)
    assert plain(AGENT.propose({"q": far}).preferences) == [[0.0]]


def test_the_support_has_as_many_points_as_the_head_has_outputs() -> None:
    assert plain(AGENT.support(5)) == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_one_network_with_a_target_for_discrete_actions() -> None:
    observation = {"observation": Box((4,))}
    spec = C51().networks(Spaces(observation=observation, action=Discrete(2)))["main"]
    assert (dict(spec.slots), spec.target, spec.acts) == ({"q": "return-distribution"}, True, True)
    assert spec_of(C51).facts["slots"] == dict(spec.slots)
    with pytest.raises(Mismatch, match=r"c51 .* box of shape \(2,\); discretise"):
        C51().networks(Spaces(observation=observation, action=Box((2,))))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"low": 10.0}, "low < high, both finite, got low = 10 and high = 10"),
        ({"low": 1.0, "high": -1.0}, "low < high"),
        ({"low": -math.inf}, "both finite"),
        ({"high": math.inf}, "both finite"),
        ({"high": math.nan}, "both finite"),
        ({"discount": 0.0}, "discount"),
        ({"n_step": 0}, "n_step"),
    ],
)
def test_bad_settings_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        C51(**given)
