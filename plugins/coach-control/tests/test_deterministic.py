"""DDPG and TD3 with lambdas for networks: literal answers, and which way the actor is led."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coach_control.ddpg import DDPG
from coach_control.td3 import TD3
from coachcore.api import BadSetting, Batch, Box, Column, DataSpec, Pair, Spaces, spec_of

F = np.float32
SPACES = Spaces(observation={"s": Box((1,))}, action=Box((1,), -1.0, 1.0))


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def rows(*values: float) -> np.ndarray:
    return np.array(values, F)[:, None]


BATCH = Batch(
    {"s": rows(1.0, 2.0)},
    rows(0.5, -0.5),
    np.array([1.0, 2.0], F),
    np.array([0.5, 0.0], F),
    {"s": rows(3.0, 4.0)},
    noise={"next_action": rows(0.5, -9.0)},
)
ACTOR = Pair(lambda x: {"policy": -0.1 * x["s"]}, lambda x: {"policy": 0.1 * x["s"]})


def one_critic() -> dict[str, Pair]:
    def online(x: Any) -> Any:
        return {"q": (10.0 * x["s"] + x["action"])[:, 0]}

    def target(x: Any) -> Any:
        return {"q": (100.0 * x["s"] + 10.0 * x["action"])[:, 0]}

    return {"actor": ACTOR, "critic": Pair(online, target)}


def two_critics() -> dict[str, Pair]:
    def online(x: Any, only: int | None = None) -> Any:
        values = [10.0 * x["s"] + x["action"], 5.0 * x["s"]]
        return {"q": np.concatenate(values if only is None else [values[only]], axis=1)}

    def target(x: Any) -> Any:
        action = np.asarray(x["action"])
        return {"q": np.concatenate([100.0 * x["s"] + 10.0 * action, 100.0 * x["s"] - 10.0 * action], axis=1)}

    return {"actor": ACTOR, "critic": Pair(online, target)}


def test_a_critic_is_drawn_to_what_the_slow_copies_promise() -> None:
    # y = 1 + 0.5 (300 + 10 * 0.3) = 152.5 and 2; Q = 10.5 and 19.5
    out = DDPG().errors(one_critic(), BATCH)
    np.testing.assert_allclose(out.priority, [142.0, 17.5], rtol=1e-6)
    np.testing.assert_allclose(out.loss, [0.5 * 142.0**2, 0.5 * 17.5**2], rtol=1e-6)
    np.testing.assert_allclose(out.metrics["q"], [10.5, 19.5], rtol=1e-6)


def test_what_is_promised_stays_in_its_range() -> None:
    out = DDPG(target_range=(3.0, 20.0)).errors(one_critic(), BATCH)
    np.testing.assert_allclose(out.priority, [9.5, 16.5], rtol=1e-6)


def test_an_actor_is_led_by_the_critic() -> None:
    # Q(s, -s / 10) = 10 s - s / 10
    out = DDPG().climb(one_critic(), BATCH)
    np.testing.assert_allclose(out.loss, [-9.9, -19.8], rtol=1e-6)
    assert plain(out.priority) == [0.0, 0.0]


def test_the_lower_of_two_promises_of_a_shaken_action_is_believed() -> None:
    # a' = 0.3 + 0.2 * 0.5 = 0.4: 300 + 4 or 300 - 4; y = 1 + 148 = 149 and 2; Q = (10.5, 5) and (19.5, 10)
    out = TD3().errors(two_critics(), BATCH)
    np.testing.assert_allclose(out.priority, [(138.5 + 144.0) / 2, (17.5 + 8.0) / 2], rtol=1e-6)
    np.testing.assert_allclose(out.loss, [0.5 * (138.5**2 + 144.0**2), 0.5 * (17.5**2 + 8.0**2)], rtol=1e-6)
    np.testing.assert_allclose(out.metrics["q"], [7.75, 14.75], rtol=1e-6)


@pytest.mark.parametrize(
    ("noise", "action"),
    [(0.0, 0.4), (1.0, 0.6), (-1.0, 0.2), (9.0, 0.9), (-9.0, -0.1)],  # 0.2 an unit of noise, 0.5 at most
)
def test_how_a_target_action_is_shaken(noise: float, action: float) -> None:
    seen: list[Any] = []

    def target(x: Any) -> Any:
        seen.append(np.asarray(x["action"]))
        return {"q": np.zeros((2, 2), F)}

    nets = {**two_critics(), "critic": Pair(two_critics()["critic"].online, target)}
    TD3().errors(nets, BATCH._replace(next_obs={"s": rows(4.0, 4.0)}, noise={"next_action": rows(noise, noise)}))
    np.testing.assert_allclose(seen[0], [[action], [action]], rtol=1e-5)


def test_a_shaken_action_stays_in_the_box() -> None:
    seen: list[Any] = []

    def target(x: Any) -> Any:
        seen.append(np.asarray(x["action"]))
        return {"q": np.zeros((2, 2), F)}

    nets = {**two_critics(), "critic": Pair(two_critics()["critic"].online, target)}
    TD3().errors(nets, BATCH._replace(next_obs={"s": rows(9.0, -9.0)}, noise={"next_action": rows(3.0, -3.0)}))
    assert plain(seen[0]) == [[1.0], [-1.0]]


def test_the_late_actor_is_led_by_the_first_critic() -> None:
    np.testing.assert_allclose(TD3().climb(two_critics(), BATCH).loss, [-9.9, -19.8], rtol=1e-6)
    critic, actor = TD3(actor_every=3).updates()
    assert (critic.moves, critic.every, actor.moves, actor.every) == ("critic", 1, "actor", 3)
    assert [(update.moves, update.every) for update in DDPG().updates()] == [("critic", 1), ("actor", 1)]


@pytest.mark.parametrize("agent", [DDPG(), TD3()], ids=["ddpg", "td3"])
def test_going_down_the_actors_loss_moves_it_to_the_better_action(agent: Any) -> None:
    """The critics like 0.6 best; an actor that says 0.1 is led up, one that says 0.9 down."""

    def loss(action: float) -> float:
        def critic(x: Any, only: int | None = None) -> Any:
            value = -np.square(np.asarray(x["action"]) - 0.6)
            return {"q": value[:, 0] if isinstance(agent, DDPG) else np.repeat(value, 2 if only is None else 1, axis=1)}

        actor = Pair(lambda x: {"policy": np.full_like(x["s"], action)}, lambda x: {})
        return float(np.mean(np.asarray(agent.climb({"actor": actor, "critic": Pair(critic, critic)}, BATCH).loss)))

    assert loss(0.2) < loss(0.1)
    assert loss(0.8) < loss(0.9)


@pytest.mark.parametrize(("agent", "provides"), [(DDPG(), "state-value"), (TD3(), "critics")], ids=["ddpg", "td3"])
def test_an_actor_and_a_critic_that_is_shown_the_action(agent: Any, provides: str) -> None:
    actor, critic = agent.networks(SPACES)["actor"], agent.networks(SPACES)["critic"]
    assert (dict(actor.slots), actor.inputs, actor.target, actor.acts) == (
        {"policy": "deterministic-policy"},
        (),
        True,
        True,
    )
    assert (dict(critic.slots), critic.inputs, critic.target, critic.acts) == (
        {"q": provides},
        ("action",),
        True,
        False,
    )
    facts = spec_of(agent).facts
    assert (facts["inputs"], facts["actions"], facts["executor"]) == ({"critic": ["action"]}, "unit-box", "twin")


def test_the_noise_that_is_drawn_has_the_shape_of_actions() -> None:
    assert DDPG().data(SPACES) == DataSpec()
    two = Spaces(observation=SPACES.observation, action=Box((2,), -1.0, 1.0))
    assert TD3().data(two) == DataSpec(noise=(Column("next_action", (2,)),))


@pytest.mark.parametrize("agent", [DDPG(), TD3()], ids=["ddpg", "td3"])
def test_it_proposes_what_the_actor_says(agent: Any) -> None:
    proposed = agent.propose({"policy": rows(0.25, -1.0)})
    assert plain(proposed.preferences) == [[0.25], [-1.0]]
    assert (proposed.deviation, proposed.centre) == (None, None)


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [
        (DDPG, {"target_range": (1.0,)}, "target_range: expected [low, high] with low < high, got [1.0]"),
        (DDPG, {"target_range": (1.0, 1.0)}, "target_range: expected [low, high] with low < high, got [1.0, 1.0]"),
        (TD3, {"actor_every": 0}, "actor_every: 0 is out of range - must be >= 1"),
        (TD3, {"target_noise": -0.1}, "target_noise: -0.1 is out of range - must be >= 0"),
        (TD3, {"discount": 1.1}, "discount: 1.1 is out of range"),
    ],
)
def test_bad_settings_are_refused(part: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        part(**given)
    assert str(caught.value).startswith(words)
