"""The agents of the old system that have a successor, and what their parameters were when a preset said nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coach_bridge.things import Given, Span, Thing

NETWORK: Mapping[str, Any] = {
    "learning_rate": 2.5e-4,
    "batch_size": 32,
    "optimizer_type": "Adam",
    "adam_optimizer_beta1": 0.9,
    "adam_optimizer_beta2": 0.99,
    "optimizer_epsilon": 1e-4,
    "rms_prop_optimizer_decay": 0.9,
    "clip_gradients": None,
    "gradients_clipping_method": "ClipByGlobalNorm",
    "l2_regularization": 0,
    "replace_mse_with_huber_loss": False,
    "use_separate_networks_per_head": False,
    "activation": "relu",
    "embedders": {"observation": "Medium"},
    "middleware": "Medium",
}
ALGORITHM: Mapping[str, Any] = {
    "discount": 0.99,
    "num_consecutive_playing_steps": Span(1, "steps"),
    "num_consecutive_training_steps": 1,
    "num_steps_between_copying_online_weights_to_target": Span(0, "training"),
    "rate_for_copying_weights_to_target": 1.0,
}


def made(name: str, *arguments: Any, **fields: Any) -> Thing:
    """An object as a preset would have made it."""
    placed = {f"#{place}": Given(value, 0) for place, value in enumerate(arguments)}
    return Thing(name, 0, placed | {key: Given(value, 0) for key, value in fields.items()})


def greedy(start: float, end: float, steps: int, evaluation: float) -> Thing:
    """E-greedy with a straight line, as each agent had its own."""
    line = made("LinearSchedule", start, end, steps)
    return made("EGreedyParameters", epsilon_schedule=line, evaluation_epsilon=evaluation)


@attrs.frozen(kw_only=True)
class OldAgent:
    """An agent: its successor, its defaults, and old network -> new network (empty: the only one)."""

    use: str
    fixed: Mapping[str, Any] = attrs.field(factory=dict)
    algorithm: Mapping[str, Any] = attrs.field(factory=dict)
    networks: Mapping[str, Mapping[str, Any]] = attrs.field(factory=lambda: {"main": {}})
    names: Mapping[str, str] = attrs.field(factory=lambda: {"main": ""})
    exploration: Thing = attrs.field(factory=lambda: made("CategoricalParameters"))
    prioritized: bool = False
    settings: Mapping[str, str] = attrs.field(factory=dict)  # old name -> new name, values alike
    head: str = ""
    torso: bool = False

    @property
    def fresh(self) -> bool:
        """Whether it learns from its newest steps alone."""
        return self.use in ("a2c", "ppo", "clipped-ppo")

    @property
    def control(self) -> bool:
        """Whether it has an actor and critics, for real-valued actions."""
        return self.use in ("ddpg", "td3", "sac")


_PLAY = {
    "num_consecutive_playing_steps": Span(4, "steps"),
    "num_steps_between_copying_online_weights_to_target": Span(10_000, "steps"),
}
_DOUBLE = {**_PLAY, "num_steps_between_copying_online_weights_to_target": Span(30_000, "steps")}
_HUBER = {"main": {"replace_mse_with_huber_loss": True}}
_CRITIC = {"observation": "Medium", "action": "Shallow"}
_ADAM = {"adam_optimizer_beta2": 0.999, "optimizer_epsilon": 1e-8}
_ACTORS = {"actor": "actor", "critic": "critic"}
_TANH = {"activation": "tanh"}
_EACH_STEP = Span(1, "steps")
_GAE = {"gae_lambda": "gae_lambda", "beta_entropy": "entropy_weight"}

AGENTS: Mapping[str, OldAgent] = {
    "DQN": OldAgent(
        use="dqn", algorithm=_PLAY, networks=_HUBER, exploration=greedy(1.0, 0.1, 1_000_000, 0.05), head="QHead"
    ),
    "DDQN": OldAgent(
        use="dqn",
        fixed={"double": True},
        algorithm=_DOUBLE,
        networks=_HUBER,
        exploration=greedy(1.0, 0.01, 1_000_000, 0.001),
        head="QHead",
    ),
    "BootstrappedDQN": OldAgent(
        use="bootstrapped-dqn",
        fixed={"double": True},
        algorithm=_PLAY,
        networks=_HUBER,
        exploration=made("BootstrappedParameters"),
        head="QHead",
    ),
    "CategoricalDQN": OldAgent(
        use="c51",
        algorithm={**_PLAY, "v_min": -10.0, "v_max": 10.0, "atoms": 51},
        exploration=greedy(1.0, 0.01, 1_000_000, 0.001),
        settings={"v_min": "low", "v_max": "high"},
        head="CategoricalQHead",
    ),
    "RainbowDQN": OldAgent(
        use="rainbow",
        algorithm={**_PLAY, "v_min": -10.0, "v_max": 10.0, "atoms": 51, "n_step": 3},
        networks={"main": {"middleware": "Empty"}},
        exploration=made("ParameterNoiseParameters"),
        prioritized=True,
        settings={"v_min": "low", "v_max": "high", "n_step": "n_step"},
        head="RainbowQHead",
    ),
    "QuantileRegressionDQN": OldAgent(
        use="qr-dqn",
        algorithm={**_PLAY, "atoms": 200, "huber_loss_interval": 1.0},
        networks={"main": {"learning_rate": 5e-5, "optimizer_epsilon": 0.01 / 32}},
        exploration=greedy(1.0, 0.01, 1_000_000, 0.001),
        settings={"huber_loss_interval": "huber_width"},
        head="QuantileRegressionQHead",
    ),
    "ActorCritic": OldAgent(
        use="a2c",
        algorithm={"gae_lambda": 0.96, "beta_entropy": 0.0, "num_steps_between_gradient_updates": 5000},
        networks={"main": {"clip_gradients": 40.0}},
        settings=_GAE,
    ),
    "PPO": OldAgent(
        use="ppo",
        algorithm={
            "gae_lambda": 0.96,
            "beta_entropy": 0.01,
            "target_kl_divergence": 0.01,
            "initial_kl_coefficient": 1.0,
            "num_consecutive_playing_steps": Span(5000, "steps"),
            "optimization_epochs": 10,
        },
        networks={"actor": {"batch_size": 128, **_TANH}, "critic": {"batch_size": 128, **_TANH}},
        names={"actor": "", "critic": ""},
        settings={**_GAE, "target_kl_divergence": "target_kl", "initial_kl_coefficient": "initial_kl_coefficient"},
        torso=True,
    ),
    "ClippedPPO": OldAgent(
        use="clipped-ppo",
        algorithm={
            "gae_lambda": 0.95,
            "beta_entropy": 0.01,
            "num_consecutive_playing_steps": Span(2048, "steps"),
            "optimization_epochs": 10,
        },
        networks={"main": {"batch_size": 64, "use_separate_networks_per_head": True, **_TANH}},
        settings=_GAE,
    ),
    "DDPG": OldAgent(
        use="ddpg",
        algorithm={
            "num_steps_between_copying_online_weights_to_target": _EACH_STEP,
            "rate_for_copying_weights_to_target": 0.001,
        },
        networks={
            "actor": {"learning_rate": 1e-4, "batch_size": 64, **_ADAM},
            "critic": {"learning_rate": 1e-3, "batch_size": 64, "embedders": _CRITIC, **_ADAM},
        },
        names=_ACTORS,
        exploration=made("OUProcessParameters"),
    ),
    "TD3": OldAgent(
        use="td3",
        algorithm={
            "num_steps_between_copying_online_weights_to_target": Span(2, "training"),
            "rate_for_copying_weights_to_target": 0.005,
            "policy_noise": 0.2,
            "noise_clipping": 0.5,
            "update_policy_every_x_episode_steps": 2,
        },
        networks={
            "actor": {"learning_rate": 1e-3, "batch_size": 100, **_ADAM},
            "critic": {"learning_rate": 1e-3, "batch_size": 100, "embedders": _CRITIC, **_ADAM},
        },
        names=_ACTORS,
        exploration=made("AdditiveNoiseParameters", noise_as_percentage_from_action_space=False),
        settings={"update_policy_every_x_episode_steps": "actor_every"},
    ),
    "SoftActorCritic": OldAgent(
        use="sac",
        fixed={"learn_temperature": False, "temperature": 1.0},
        algorithm={
            "num_steps_between_copying_online_weights_to_target": _EACH_STEP,
            "rate_for_copying_weights_to_target": 0.005,
        },
        networks={
            "policy": {"learning_rate": 3e-4, "batch_size": 256},
            "q": {
                "learning_rate": 3e-4,
                "batch_size": 256,
                "embedders": {"observation": "Empty", "action": "Empty"},
                "middleware": "Empty",
            },
            "v": {"learning_rate": 3e-4, "batch_size": 256},
        },
        names={"policy": "actor", "q": "critic"},
        exploration=made("ContinuousEntropyParameters"),
    ),
}


def old_agent(name: str) -> OldAgent | None:
    """The agent whose parameters a class holds; None where there is no successor yet."""
    return AGENTS.get(name.removesuffix("Parameters").removesuffix("Agent"))
