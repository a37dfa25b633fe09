"""The other side of a case: Stable-Baselines3, sb3-contrib or SBX, in an environment of their own."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from peers.cases import FRAMES, PENDULUM, PICTURE_ACTIONS, Case
from peers.watch import Mark, Stopwatch, bytes_held, result

MODULES = {
    "sb3": ("stable_baselines3", "sb3_contrib", "torch", "numpy", "gymnasium"),
    "sbx": ("sbx", "stable_baselines3", "jax", "flax", "numpy", "gymnasium"),
}


def run(case: Case, seed: int, side: str) -> dict[str, Any]:
    """Train as `case` says with the library `side`; the clock starts at the first turn after `case.warm`."""
    import torch

    torch.set_num_threads(case.cores)
    torch.set_num_interop_threads(case.cores)
    if case.environment == FRAMES:
        return _pictures(case, seed, side)
    model, watch = _model(case, seed, side), Stopwatch()
    _silence(model)
    model.train = watch.around(model.train)
    epochs = case.every // case.batch if case.algorithm == "ppo" else 1  # PPO counts epochs: minibatches of one

    def mark() -> Mark:
        return Mark(perf_counter(), model.num_timesteps, model._n_updates * epochs, watch.seconds)

    clock = _clock(case.warm, mark)
    model.learn(case.steps, callback=clock)
    return result(case.measure, clock.begun, mark(), MODULES[side])


def _clock(warm: int, mark: Any) -> Any:
    """A callback that takes a mark when a turn begins after `warm` steps."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Clock(BaseCallback):
        begun: Mark | None = None

        def _on_rollout_start(self) -> None:
            if self.begun is None and self.num_timesteps >= warm:
                self.begun = mark()

        def _on_step(self) -> bool:
            return True

    return Clock()


def _silence(model: Any) -> None:
    """No log: its default makes a folder a run."""
    from stable_baselines3.common.logger import Logger

    model.set_logger(Logger(None, []))


def _model(case: Case, seed: int, side: str) -> Any:
    from stable_baselines3.common.env_util import make_vec_env

    count = int(case.more.get("environments", 1))
    environment = make_vec_env(case.environment, count, seed=seed)
    given = {"batch_size": case.batch, "gamma": case.discount, "seed": seed, "device": "cpu"}
    if case.algorithm == "ppo":
        return _ppo(case, side, environment, given)
    given |= {
        "learning_rate": case.rate,
        "buffer_size": 100_000,
        "learning_starts": case.heatup,
        "train_freq": case.every,
        "gradient_steps": case.updates,
        "policy_kwargs": {"net_arch": list(case.hidden)},
    }
    return (_control if case.environment == PENDULUM else _q_learning)(case, side, environment, given)


def _library(side: str) -> Any:
    if side == "sbx":
        import sbx

        return sbx
    import stable_baselines3

    return stable_baselines3


def _ppo(case: Case, side: str, environment: Any, given: dict[str, Any]) -> Any:
    def falling(start: float) -> Any:
        return lambda left: left * start

    more = {} if side == "sb3" else {"policy_kwargs": {"net_arch": list(case.hidden)}}  # 64-64 tanh twice, as SB3 has
    return _library(side).PPO(
        "MlpPolicy",
        environment,
        n_steps=case.every // int(case.more["environments"]),
        n_epochs=int(case.more["epochs"]),
        gae_lambda=case.more["gae_lambda"],
        learning_rate=falling(case.rate),
        clip_range=falling(case.more["clip"]),
        ent_coef=0.0,
        **given,
        **more,
    )


def _q_learning(case: Case, side: str, environment: Any, given: dict[str, Any]) -> Any:
    given |= {"exploration_fraction": 0.3, "exploration_final_eps": 0.04, "target_update_interval": 100}
    if case.algorithm == "qr-dqn":
        from sb3_contrib import QRDQN

        given["policy_kwargs"]["n_quantiles"] = case.atoms
        return QRDQN("MlpPolicy", environment, **given)
    return _library(side).DQN("MlpPolicy", environment, **given)


def _control(case: Case, side: str, environment: Any, given: dict[str, Any]) -> Any:
    if case.algorithm == "sac":
        return _library(side).SAC("MlpPolicy", environment, **given)
    import numpy as np
    from stable_baselines3.common.noise import NormalActionNoise

    noise = NormalActionNoise(np.zeros(1), np.full(1, 0.1))
    return _library(side).TD3("MlpPolicy", environment, policy_delay=2, action_noise=noise, **given)


def _pictures(case: Case, seed: int, side: str) -> dict[str, Any]:
    """Train calls on a buffer of random pictures, channels first as torch wants them."""
    import gymnasium
    import numpy as np

    class Channels(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(0, 255, (4, 84, 84), np.uint8)
        action_space = gymnasium.spaces.Discrete(PICTURE_ACTIONS)

    model = _library(side).DQN(
        "CnnPolicy", Channels(), learning_rate=case.rate, batch_size=case.batch, buffer_size=case.heatup, seed=seed,
        gamma=case.discount, device="cpu",
    )  # fmt: skip
    _silence(model)
    rng, buffer = np.random.default_rng(seed), model.replay_buffer
    for pictures in (buffer.observations, buffer.next_observations):
        pictures[:] = rng.integers(0, 256, pictures.shape, np.uint8)
    buffer.actions[:] = rng.integers(0, PICTURE_ACTIONS, buffer.actions.shape)
    buffer.rewards[:] = rng.standard_normal(buffer.rewards.shape)
    buffer.full = True
    model.train(gradient_steps=case.warm - case.heatup, batch_size=case.batch)
    watch, calls = Stopwatch(), case.steps - case.warm
    train, begun = watch.around(model.train), Mark(perf_counter(), 0, 0, 0.0)
    for _ in range(calls):
        train(gradient_steps=1, batch_size=case.batch)
    ended = Mark(perf_counter(), calls, calls, watch.seconds)
    return result(case.measure, begun, ended, MODULES[side]) | {"bytes": bytes_held(buffer) / case.heatup}
