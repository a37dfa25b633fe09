"""The agent itself."""

from __future__ import annotations

from typing import Any

from coach_bridge.defaults import ALGORITHM
from coach_bridge.schedules import Scale, schedule
from coach_bridge.things import Thing, Word
from coach_bridge.work import Work, shown

_ELSEWHERE = (
    "store_transitions_only_when_episodes_are_terminated",
    "act_for_full_episodes",
    "distributed_coach_synchronization_type",
    "share_statistics_between_workers",
    "supports_parameter_noise",
    "update_pre_network_filters_state_on_train",
    "update_pre_network_filters_state_on_inference",
    "num_episodes_in_experience_replay",
    "normalization_stats",
    "value_targets_mix_fraction",
)
_USUAL = {
    "use_accumulated_reward_as_measurement": (False, "there are no measurements - add an observation"),
    "heatup_using_network_decisions": (False, "heat-up plays at random - leave it out"),
    "override_episode_rewards_with_the_last_transition_reward": (False, "write a reward filter that does so"),
    "load_memory_from_file_path": (None, "set memory.load; a pickled memory cannot be read safely, a .csv file can"),
    "in_action_space": (None, "there are no levels of agents yet"),
    "action_penalty": (0, "there is no penalty on actions - leave it out"),
    "use_target_network_for_evaluation": (False, "evaluation uses the online network"),
    "use_non_zero_discount_for_terminal_states": (
        False,
        "an end of an episode counts as one unless it is a time limit, which is told apart now",
    ),
    "use_deterministic_for_evaluation": (True, "evaluation uses the mean"),
    "num_q_networks": (2, "set agent.networks.critic.heads.q.critics"),
}


def agent(work: Work) -> dict[str, Any]:
    """The agent's own settings."""
    old, algorithm = work.old, work.agent.inner("algorithm")
    out: dict[str, Any] = {"use": old.use, **old.fixed}
    out["discount"] = float(work.number(algorithm, "discount", ALGORITHM["discount"]))
    for name, new in old.settings.items():
        if name == "beta_entropy":
            found = schedule(work, algorithm.take(name, default=old.algorithm[name]), algorithm.where(name), Scale())
            out[new] = 0.0 if found is None else found
        else:
            out[new] = work.number(algorithm, name, old.algorithm[name])
    _loss(work, out)
    if old.use == "bootstrapped-dqn":
        out["sharing"] = float(
            work.number(work.agent.inner("exploration"), "bootstrapped_data_sharing_probability", 1.0)
        )
    _ranges(work, algorithm, out)
    _clip(work, algorithm, out)
    _advantages(work, algorithm, out)
    _remaining(work, algorithm)
    return out


def _loss(work: Work, out: dict[str, Any]) -> None:
    if out["use"] in ("dqn", "bootstrapped-dqn"):
        main = work.agent.inner("network_wrappers").inner("main")
        out["loss"] = "huber" if main.take("replace_mse_with_huber_loss", default=True) else "mse"


def _ranges(work: Work, algorithm: Thing, out: dict[str, Any]) -> None:
    """What was told in units of the action, and the ends of critics' targets."""
    if out["use"] == "td3":
        work.note(
            work.agent.line, "TD3 trained at the end of an episode, an update for each step; here after each step"
        )
        half = None if work.world is None else work.world.half
        for old, new in (("policy_noise", "target_noise"), ("noise_clipping", "target_noise_limit")):
            value = work.number(algorithm, old, work.old.algorithm[old])
            out[new] = Scale(value=1 / (half or 1.0)).of(value)
        if half is None:
            work.lost(work.agent.line, "noise on target actions: divide it by half the range of the actions")
    ends = algorithm.take("clip_critic_targets")
    if ends is not None and out["use"] == "ddpg" and isinstance(ends, list | tuple):
        out["target_range"] = [*ends]
    elif ends is not None:
        work.lost(algorithm.where("clip_critic_targets"), "clip_critic_targets: only ddpg has target_range")


def _clip(work: Work, algorithm: Thing, out: dict[str, Any]) -> None:
    """The clip range times the schedule that it decayed by."""
    width = work.number(algorithm, "clip_likelihood_ratio_using_epsilon", 0.2 if out["use"] == "clipped-ppo" else None)
    decay = algorithm.take("clipping_decay_schedule", default=1.0)
    if out["use"] == "clipped-ppo" and width is not None:
        found = schedule(work, decay, algorithm.where("clipping_decay_schedule"), Scale(value=width))
        out["clip"] = _above_zero(width if found is None else found)
    elif width is not None:
        work.lost(algorithm.where("clip_likelihood_ratio_using_epsilon"), "only clipped-ppo clips the ratio - use it")


def _above_zero(found: Any) -> Any:
    """A clip range ends just above 0, for at 0 no change would pay."""
    if isinstance(found, dict) and found.get("end") == 0:
        return found | {"end": 1e-6}
    return found


def _advantages(work: Work, algorithm: Thing, out: dict[str, Any]) -> None:
    if not work.old.fresh:
        return
    a2c = out["use"] == "a2c"
    rescaler = algorithm.take("policy_gradient_rescaler", default=Word("A_VALUE" if a2c else "GAE"))
    name = rescaler.last if isinstance(rescaler, Word) else shown(rescaler)
    if name == "A_VALUE":
        out["gae_lambda"] = 1.0
    elif name != "GAE":
        work.lost(algorithm.where("policy_gradient_rescaler"), f"rescaler {name}: advantages are A_VALUE or GAE")
    together = algorithm.take("estimate_state_value_using_gae", default=not a2c)
    if not together and out["gae_lambda"] != 1:
        line = algorithm.where("estimate_state_value_using_gae") or work.agent.line
        work.lost(line, "values learn from advantage + old value, not from the whole return - gae_lambda = 1 is both")
    work.unless(algorithm, "high_kl_penalty_coefficient", 1000, "the penalty has one coefficient, which adapts")


def _remaining(work: Work, algorithm: Thing) -> None:
    """What lies elsewhere now, and what needs no counterpart while it has its usual value."""
    for name in _ELSEWHERE:
        if algorithm.given(name):
            algorithm.take(name)
            work.note(algorithm.where(name), f"{name} has no counterpart; what it was for is the run's business now")
    for name, (usual, what) in _USUAL.items():
        work.unless(algorithm, name, usual, what)
    penalty = "choose the agent ppo for a penalty, clipped-ppo for a clipped ratio"
    work.unless(algorithm, "use_kl_regularization", work.old.use == "ppo", penalty)
    if work.old.use != "rainbow":
        work.unless(algorithm, "n_step", -1, "set agent.n_step, the rewards added up before bootstrapping")
    for name in ("is_a_highest_level_agent", "is_a_lowest_level_agent", "name", "full_name_id"):
        work.agent.take(name)
