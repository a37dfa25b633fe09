"""Bootstrapped DQN's loss with lambdas for networks: literal answers, masks, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_value.bootstrapped_dqn import BootstrappedDQN, masks
from coach_value.dqn import DQN
from coachcore.api import BadSetting, Batch, Box, Discrete, Mismatch, Pair, Spaces, spec_of
from coachcore.testing.agent import check_agent
from coachcore.testing.laws import chi_square, chi_square_limit

NOW = np.array([[[1.0, 2.0], [5.0, 6.0]]], np.float32)  # [B, H, A]: online, obs
NEXT = np.array([[[9.0, 5.0], [0.0, 1.0]]], np.float32)  # online, next obs: head 0 chooses 0, head 1 chooses 1
SLOW = np.array([[[10.0, 20.0], [30.0, 40.0]]], np.float32)  # target, next obs
KNOWN = [[0.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
SPACES = Spaces(observation={"observation": Box((4,))}, action=Discrete(2))


def nets(slow: Any = SLOW) -> dict[str, Pair]:
    return {"main": Pair(lambda obs: {"q": obs["q"]}, lambda _obs: {"q": slow})}


def batch(**extras: Any) -> Batch:
    f = np.float32
    return Batch({"q": NOW}, np.array([0]), np.array([1.0], f), np.array([0.5], f), {"q": NEXT}, extras)


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def test_each_head_has_a_target_and_a_choice_of_its_own() -> None:
    # y = 1 + 0.5 * 10 = 6 and 1 + 0.5 * 40 = 21; errors 1 - 6 = -5 and 5 - 21 = -16
    out = BootstrappedDQN(loss="mse").errors(nets(), batch())
    assert plain(out.loss) == [0.5 * 25 + 0.5 * 256]
    assert plain(out.priority) == [10.5]
    assert (plain(out.metrics["q"]), plain(out.metrics["spread"])) == ([3.0], [2.0])


def test_without_double_the_target_chooses() -> None:
    # y = 1 + 0.5 * 20 = 11 and 1 + 0.5 * 40 = 21
    out = BootstrappedDQN(loss="mse", double=False).errors(nets(), batch())
    assert plain(out.loss) == [0.5 * 100 + 0.5 * 256]


def test_huber_turns_straight_at_its_width() -> None:
    assert plain(BootstrappedDQN().errors(nets(), batch()).loss) == [4.5 + 15.5]
    assert plain(BootstrappedDQN(huber_width=5.0).errors(nets(), batch()).loss) == [12.5 + 5 * (16 - 2.5)]


@pytest.mark.parametrize("double", [False, True])
def test_a_head_alone_is_a_dqn(double: bool) -> None:
    """Slow twin: a DQN for each head, their losses added up."""
    rng, size, heads, actions = np.random.default_rng(0), 7, 3, 4
    now, after, slow = rng.standard_normal((3, size, heads, actions)).astype(np.float32)
    reward, discount = rng.standard_normal((2, size)).astype(np.float32)
    action = rng.integers(0, actions, size)

    def loss(agent: Any, one: Any) -> Any:
        pair = Pair(lambda obs: {"q": obs["q"]}, lambda _obs: {"q": one(slow)})
        given = Batch({"q": one(now)}, action, reward, discount, {"q": one(after)})
        return np.asarray(agent.errors({"main": pair}, given).loss)

    together = loss(BootstrappedDQN(double=double), lambda values: values)
    apart = [loss(DQN(double=double), lambda values, h=head: values[:, h]) for head in range(heads)]
    np.testing.assert_allclose(together, np.sum(apart, axis=0), rtol=1e-5)


def test_a_head_learns_from_what_it_was_given() -> None:
    lots = np.arange(4_000, dtype=np.float32) / 4_000
    rows = [np.repeat(values, 4_000, axis=0) for values in (NOW, NEXT, SLOW)]
    ones = np.ones(4_000, np.float32)
    given = Batch({"q": rows[0]}, np.zeros(4_000, int), ones, 0.5 * ones, {"q": rows[1]}, {"lot": lots})
    out = BootstrappedDQN(loss="mse", sharing=0.5).errors(nets(rows[2]), given)
    mask = np.asarray(masks(lots, 2, 0.5))
    np.testing.assert_allclose(np.asarray(out.loss), mask @ [12.5, 128.0])
    np.testing.assert_allclose(np.asarray(out.priority), mask @ [5.0, 16.0] / np.maximum(mask.sum(axis=1), 1))
    assert set(map(tuple, mask.tolist())) == {(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_heads_decide_as_if_each_drew_by_itself(share: float) -> None:
    """How many of 10 heads learn, and all pairs of heads: each figure is off once in a million seeds."""
    rng, many, heads = np.random.default_rng(3), 40_000, 10
    mask = np.asarray(masks(rng.random(many, np.float32), heads, share))
    learning, expected = np.bincount(mask.sum(axis=1).astype(int), minlength=heads + 1), np.zeros(heads + 1)
    for k in range(heads + 1):
        ways = np.prod([(heads - i) / (i + 1) for i in range(k)])
        expected[k] = many * ways * share**k * (1 - share) ** (heads - k)
    usual = expected > 20  # chi-square holds where enough are expected
    learning, expected = (
        np.append(learning[usual], learning[~usual].sum()),
        np.append(expected[usual], expected[~usual].sum()),
    )
    if expected[-1] < 20:
        learning, expected = learning[:-1], expected[:-1]
    assert chi_square(learning, expected * learning.sum() / expected.sum()) < chi_square_limit(len(expected) - 1)
    both = many * np.array([(1 - share) ** 2, share * (1 - share), share * (1 - share), share**2])
    for one in range(heads):
        for other in range(one):
            pairs = np.bincount((2 * mask[:, one] + mask[:, other]).astype(int), minlength=4)
            assert chi_square(pairs, both) < chi_square_limit(3)


def test_a_mask_stays_what_it_is() -> None:
    """Known numbers: what is stored today is read tomorrow, on every engine."""
    lots = np.array([0.0, 0.25, 0.5, 1 - 2**-24], np.float32)
    assert plain(masks(lots, 4, 0.5)) == KNOWN
    assert plain(masks(lots, 2, 1.0)) == [[1.0, 1.0]] * 4


def test_a_number_is_drawn_where_heads_share_not_everything() -> None:
    assert BootstrappedDQN().data(SPACES).drawn == ()
    assert [column.name for column in BootstrappedDQN(sharing=0.5).data(SPACES).drawn] == ["lot"]


@pytest.mark.parametrize("settings", [{"sharing": 0.5}, {"double": False, "loss": "mse"}])
def test_it_keeps_the_laws_of_agents(settings: dict[str, Any]) -> None:
    check_agent(BootstrappedDQN(**settings))


def test_it_proposes_what_heads_say_and_their_mean() -> None:
    proposal = BootstrappedDQN().propose({"q": NOW})
    assert plain(proposal.preferences) == [[3.0, 4.0]]
    assert proposal.ensemble is NOW


def test_one_network_with_a_target_for_discrete_actions() -> None:
    spec = BootstrappedDQN().networks(SPACES)["main"]
    assert (dict(spec.slots), spec.target, spec.acts) == ({"q": "ensemble-values"}, True, True)
    assert spec_of(BootstrappedDQN).facts["slots"] == dict(spec.slots)
    with pytest.raises(Mismatch) as caught:
        BootstrappedDQN().networks(Spaces(observation=SPACES.observation, action=Box((2,))))
    assert str(caught.value) == (
        "bootstrapped-dqn chooses among discrete actions, this environment's are a box of shape (2,); "
        "discretise them with the action filter 'box-discretization', or use an agent for continuous actions"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sharing": 0.0}, "sharing: 0.0 is out of range - must be > 0 and <= 1"),
        ({"sharing": 1.1}, "sharing: 1.1 is out of range - must be > 0 and <= 1"),
        ({"discount": 1.1}, "discount: 1.1 is out of range - must be > 0 and <= 1"),
        ({"n_step": 0}, "n_step: 0 is out of range - must be >= 1"),
        ({"huber_width": 0.0}, "huber_width: 0.0 is out of range - must be > 0"),
        ({"loss": "mae"}, "loss: 'mae' is not a choice here - did you mean 'mse'? known: huber, mse"),
    ],
)
def test_bad_settings_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        BootstrappedDQN(**given)
    assert str(caught.value) == said
