"""SAC and discrete SAC with lambdas for networks: literal answers, a slow twin, and which way each part is led."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from coach_control.discrete_sac import DiscreteSAC
from coach_control.sac import SAC
from coachcore.api import BadSetting, Batch, Box, Column, DataSpec, Discrete, Pair, Spaces, spec_of

F = np.float32
LOG_2, HALF_LOG_TAU = math.log(2.0), 0.5 * math.log(2 * math.pi)
OBSERVATION = {"s": Box((1,))}


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def rows(*values: float) -> np.ndarray:
    return np.array(values, F)[:, None]


def always(**outputs: Any) -> Pair:
    """A network that says the same whatever it is shown."""
    given = {slot: np.asarray(values, F) for slot, values in outputs.items()}
    return Pair(lambda _: given, lambda _: given)


def heat(log_temperature: float) -> Pair:
    return Pair(lambda _: {"log_temperature": np.asarray(log_temperature, F)}, lambda _: {})


def batch(noise: float = 0.0) -> Batch:
    return Batch(
        {"s": rows(1.0)},
        rows(0.5),
        np.array([1.0], F),
        np.array([0.5], F),
        {"s": rows(2.0)},
        noise={"action": rows(noise), "next_action": rows(noise)},
    )


def test_critics_are_drawn_to_the_soft_value_of_what_follows() -> None:
    # mean 0, deviation 1, no noise: a' = 0 at log density -0.919, t = 2; y = 1 + 0.5 (3 + 2 * 0.919)
    nets = {
        "actor": always(policy=[[[0.0], [0.0]]]),
        "critic": Pair(lambda _: {"q": np.array([[1.0, 2.0]], F)}, lambda _: {"q": np.array([[3.0, 4.0]], F)}),
        "temperature": heat(LOG_2),
    }
    wanted = 1 + 0.5 * (3 + 2 * HALF_LOG_TAU)
    out = SAC().errors(nets, batch())
    np.testing.assert_allclose(out.loss, [0.5 * (wanted - 1) ** 2 + 0.5 * (wanted - 2) ** 2], rtol=1e-5)
    np.testing.assert_allclose(out.priority, [wanted - 1.5], rtol=1e-5)
    np.testing.assert_allclose(out.metrics["q"], [1.5], rtol=1e-6)


def test_critics_are_shown_the_action_that_was_drawn() -> None:
    # mean 1, deviation 1/2, noise 2: tanh(2)
    seen: list[Any] = []

    def critic(x: Any) -> Any:
        seen.append(np.asarray(x["action"]))
        return {"q": np.zeros((1, 2), F)}

    nets = {
        "actor": always(policy=[[[1.0], [math.log(0.5)]]]),
        "critic": Pair(critic, critic),
        "temperature": heat(0.0),
    }
    SAC().errors(nets, batch(noise=2.0))
    np.testing.assert_allclose(seen, [[[math.tanh(2.0)]], [[0.5]]], rtol=1e-6)


def test_the_actor_pays_for_certainty_and_is_paid_for_value() -> None:
    nets = {"actor": always(policy=[[[0.0], [0.0]]]), "critic": always(q=[[3.0, 4.0]]), "temperature": heat(LOG_2)}
    out = SAC().climb(nets, batch())
    np.testing.assert_allclose(out.loss, [-2 * HALF_LOG_TAU - 3.0], rtol=1e-5)
    np.testing.assert_allclose(out.metrics["entropy"], [HALF_LOG_TAU], rtol=1e-5)


@pytest.mark.parametrize(
    ("agent", "wanted"), [(SAC(), -1.0), (SAC(target_entropy=3.0), 3.0), (SAC(target_entropy=0.0), 0.0)]
)
def test_the_temperature_follows_the_entropy(agent: SAC, wanted: float) -> None:
    # entropy 0.919: t falls where less is wanted, and rises where more is
    def loss(log_temperature: float) -> float:
        nets = {"actor": always(policy=[[[0.0], [0.0]]]), "temperature": heat(log_temperature)}
        return float(np.asarray(agent.cool(nets, batch()).loss)[0])

    assert loss(0.5) == pytest.approx(-0.5 * (wanted - HALF_LOG_TAU), rel=1e-5)
    assert (loss(0.1) < loss(0.2)) == (wanted < HALF_LOG_TAU)
    nets = {"actor": always(policy=[[[0.0], [0.0]]]), "temperature": heat(LOG_2)}
    assert plain(agent.cool(nets, batch()).metrics["temperature"]) == pytest.approx(2.0)


def test_going_down_the_actors_loss_moves_it_to_the_better_action() -> None:
    def loss(mean: float, log_deviation: float, log_temperature: float) -> float:
        def critic(x: Any) -> Any:
            return {"q": np.repeat(-np.square(np.asarray(x["action"]) - 0.6), 2, axis=1)}

        nets = {
            "actor": always(policy=[[[mean], [log_deviation]]]),
            "critic": Pair(critic, critic),
            "temperature": heat(log_temperature),
        }
        return float(np.asarray(SAC().climb(nets, batch(noise=0.1)).loss)[0])

    assert loss(0.3, -2.0, -9.0) < loss(0.2, -2.0, -9.0)
    assert loss(0.0, -1.9, 3.0) < loss(0.0, -2.0, 3.0)  # where entropy is dear, deviations grow


def test_the_order_of_updates_and_a_temperature_that_stays() -> None:
    assert [(update.moves, update.every) for update in SAC().updates()] == [
        ("critic", 1),
        ("temperature", 1),
        ("actor", 1),
    ]
    assert [update.moves for update in SAC(learn_temperature=False).updates()] == ["critic", "actor"]
    assert [update.moves for update in DiscreteSAC().updates()] == ["critic", "temperature", "actor"]
    assert [update.moves for update in DiscreteSAC(learn_temperature=False).updates()] == ["critic", "actor"]


def test_three_networks() -> None:
    spaces = Spaces(observation=OBSERVATION, action=Box((2,), -1.0, 1.0))
    agent = SAC(temperature=2.0)
    networks = agent.networks(spaces)
    actor, critic, temperature = networks["actor"], networks["critic"], networks["temperature"]
    assert (dict(actor.slots), actor.target, actor.acts) == ({"policy": "squashed-gaussian-policy"}, False, True)
    assert (dict(critic.slots), critic.inputs, critic.target, critic.acts) == (
        {"q": "critics"},
        ("action",),
        True,
        False,
    )
    assert dict(temperature.free) == {"log_temperature": pytest.approx(LOG_2)}
    assert (dict(temperature.slots), temperature.acts) == ({}, False)
    assert agent.data(spaces) == DataSpec(noise=(Column("action", (2,)), Column("next_action", (2,))))
    assert spec_of(agent).facts["free"] == ["temperature"]


def test_it_proposes_a_squashed_mean_and_says_what_was_squashed() -> None:
    proposed = SAC().propose({"policy": np.array([[[1.0, 0.0], [0.0, LOG_2]]], F)})
    np.testing.assert_allclose(proposed.preferences, [[math.tanh(1.0), 0.0]], rtol=1e-6)
    assert plain(proposed.centre) == [[1.0, 0.0]]
    np.testing.assert_allclose(proposed.deviation, [[1.0, 2.0]], rtol=1e-6)


EVEN, TILTED = [[0.0, 0.0]], np.log([[0.25, 0.75]])
TILTED_ENTROPY = -0.25 * math.log(0.25) - 0.75 * math.log(0.75)


def choices() -> Batch:
    return Batch({"s": rows(1.0)}, np.array([1]), np.array([1.0], F), np.array([0.5], F), {"s": rows(2.0)})


def critics(now: Any, after: Any) -> Pair:
    """Two critics of two actions each: what the online ones say, and the slow ones."""
    told = [{"q1": np.array([said[0]], F), "q2": np.array([said[1]], F)} for said in (now, after)]
    return Pair(lambda _: told[0], lambda _: told[1])


def test_discrete_critics_are_drawn_to_an_expectation() -> None:
    # lower of (4, 8) and (6, 2): (4, 2); 0.25 * 4 + 0.75 * 2 = 2.5, and t = 2 times the entropy
    judged = critics(((0.0, 1.0), (0.0, 3.0)), ((4.0, 8.0), (6.0, 2.0)))
    nets = {"actor": always(policy=TILTED), "critic": judged, "temperature": heat(LOG_2)}
    wanted = 1 + 0.5 * (2.5 + 2 * TILTED_ENTROPY)
    out = DiscreteSAC().errors(nets, choices())
    np.testing.assert_allclose(out.loss["q1"], [0.5 * (wanted - 1) ** 2], rtol=1e-5)
    np.testing.assert_allclose(out.loss["q2"], [0.5 * (wanted - 3) ** 2], rtol=1e-5)
    np.testing.assert_allclose(out.priority, [0.5 * (abs(wanted - 1) + abs(wanted - 3))], rtol=1e-5)
    assert plain(out.metrics["q"]) == [2.0]


def test_the_discrete_actor_weighs_all_actions() -> None:
    judged = critics(((4.0, 8.0), (6.0, 2.0)), ((0.0, 0.0), (0.0, 0.0)))
    nets = {"actor": always(policy=TILTED), "critic": judged, "temperature": heat(LOG_2)}
    out = DiscreteSAC().climb(nets, choices())
    np.testing.assert_allclose(out.loss, [-2.5 - 2 * TILTED_ENTROPY], rtol=1e-5)
    np.testing.assert_allclose(out.metrics["entropy"], [TILTED_ENTROPY], rtol=1e-5)


def test_going_down_the_discrete_actors_loss_makes_the_better_action_likelier() -> None:
    judged = critics(((1.0, 0.0), (1.0, 0.0)), ((0.0, 0.0), (0.0, 0.0)))

    def loss(logit: float) -> float:
        nets = {"actor": always(policy=[[logit, 0.0]]), "critic": judged, "temperature": heat(-9.0)}
        return float(np.asarray(DiscreteSAC().climb(nets, choices()).loss)[0])

    assert loss(0.1) < loss(0.0) < loss(-0.1)


@pytest.mark.parametrize(("policy", "falls"), [(EVEN, True), (TILTED, False)])
def test_the_discrete_temperature_rises_where_the_policy_is_too_certain(policy: Any, falls: bool) -> None:
    def loss(log_temperature: float) -> float:
        nets = {"actor": always(policy=policy), "temperature": heat(log_temperature)}
        return float(np.asarray(DiscreteSAC(entropy_share=0.98).cool(nets, choices()).loss)[0])

    assert (loss(0.1) < loss(0.2)) == falls
    entropy = LOG_2 if falls else TILTED_ENTROPY
    assert loss(1.0) == pytest.approx(entropy - 0.98 * LOG_2, rel=1e-3)


def test_the_discrete_critics_are_those_of_a_loop_over_rows() -> None:
    rng = np.random.default_rng(1)
    policy, now1, now2, slow1, slow2 = rng.standard_normal((5, 30, 4)).astype(F)
    action, reward = rng.integers(0, 4, 30), rng.standard_normal(30).astype(F)
    nets = {
        "actor": always(policy=policy),
        "critic": Pair(lambda _: {"q1": now1, "q2": now2}, lambda _: {"q1": slow1, "q2": slow2}),
        "temperature": heat(math.log(0.3)),
    }
    out = DiscreteSAC().errors(nets, Batch({}, action, reward, np.full(30, 0.9, F), {}))
    for row in range(30):
        total = sum(math.exp(x) for x in policy[row])
        soft = 0.0
        for a in range(4):
            chance = math.exp(policy[row, a]) / total
            soft += chance * (min(slow1[row, a], slow2[row, a]) - 0.3 * math.log(chance))
        error = now1[row, action[row]] - (reward[row] + 0.9 * soft)
        assert float(np.asarray(out.loss["q1"])[row]) == pytest.approx(0.5 * error**2, rel=1e-3, abs=1e-5)


def test_discrete_sac_proposes_probabilities() -> None:
    proposed = DiscreteSAC().propose({"policy": np.array([[0.0, math.log(3.0)], [1e4, -1e4]], F)})
    np.testing.assert_allclose(proposed.preferences, [[0.25, 0.75], [1.0, 0.0]], rtol=1e-6)


def test_discrete_sac_has_two_critics_in_one_network() -> None:
    networks = DiscreteSAC().networks(Spaces(observation=OBSERVATION, action=Discrete(2)))
    assert dict(networks["critic"].slots) == {"q1": "action-values", "q2": "action-values"}
    assert (networks["critic"].target, networks["critic"].acts, networks["actor"].target) == (True, False, False)
    assert spec_of(DiscreteSAC).facts["defaults"]["critic"]["torso"] == "separate"


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [
        (SAC, {"temperature": 0.0}, "temperature: 0.0 is out of range - must be > 0"),
        (DiscreteSAC, {"entropy_share": 1.5}, "entropy_share: 1.5 is out of range - must be >= 0 and <= 1"),
        (SAC, {"n_step": 0}, "n_step: 0 is out of range"),
    ],
)
def test_bad_settings_are_refused(part: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        part(**given)
    assert str(caught.value).startswith(words)
