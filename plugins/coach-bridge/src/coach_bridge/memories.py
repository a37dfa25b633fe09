"""The memory, and the goals of those that learn in hindsight."""

from __future__ import annotations

from typing import Any

from coach_bridge.learner import playing, updates
from coach_bridge.schedules import Scale, schedule
from coach_bridge.things import Thing, Word, take_all
from coach_bridge.work import Work, shown

_MEMORIES = {
    "ExperienceReplay": "experience-replay",
    "PrioritizedExperienceReplay": "prioritized-experience-replay",
    "BalancedExperienceReplay": "balanced-experience-replay",
    "EpisodicExperienceReplay": "episodic-experience-replay",
    "EpisodicHindsightExperienceReplay": "episodic-hindsight-experience-replay",
    "EpisodicHRLHindsightExperienceReplay": "episodic-hrl-hindsight-experience-replay",
}
_DISTANCES = {"Euclidean": "euclidean", "Cosine": "cosine", "Manhattan": "manhattan"}
_CHOICES = {"Future": "future", "Final": "final", "Episode": "episode", "Random": "random"}


def memory(work: Work) -> dict[str, Any]:
    """The table [memory]."""
    thing = work.agent.inner("memory")
    name = thing.name.removesuffix("Parameters")
    if work.old.fresh:
        if name not in ("", "SingleEpisodeBuffer", "EpisodicExperienceReplay", "ExperienceReplay"):
            work.lost(thing.line, f"memory {name}: this agent learns from its newest steps alone - rollout is used")
        return {"use": "rollout"}
    if name and name not in _MEMORIES:
        work.lost(thing.line, f"memory {name}: there is no such memory yet - experience-replay is used")
        take_all(thing)
        return {"use": "experience-replay"}
    if name.startswith("Episodic"):
        work.note(thing.line, "steps are drawn from episodes before these are over, too")
    usual = "PrioritizedExperienceReplay" if work.old.prioritized else "ExperienceReplay"
    return _replay(work, thing, _MEMORIES[name or usual])


def _replay(work: Work, thing: Thing, use: str) -> dict[str, Any]:
    out: dict[str, Any] = {"use": use, "capacity": _capacity(work, thing)}
    if use == "prioritized-experience-replay":
        stretch = Scale(steps=playing(work).amount / updates(work))  # beta moved on with each minibatch
        out["alpha"] = float(work.number(thing, "alpha", 0.6))
        out["beta"] = schedule(work, thing.take("beta", default=0.4), thing.where("beta"), stretch)
        out["epsilon"] = float(work.number(thing, "epsilon", 1e-6))
    elif use == "balanced-experience-replay":
        out["classes"] = int(work.number(thing, "num_classes", 2))
        out["class_observation"] = str(thing.take("state_key_with_the_class_index", default="class"))
        out["replacement"] = thing.take("allow_duplicates_in_batch_sampling", default=False) is True
    elif "hindsight" in use:
        out |= _hindsight(work, thing)
    elif thing.take("allow_duplicates_in_batch_sampling", default=True) is False:
        out["replacement"] = False
    for each, what in (("n_step", -1), ("train_to_eval_ratio", 1)):
        work.unless(thing, each, what, "it has no counterpart yet - leave it out")
    old = "memory.load reads a run's folder, a .csv, .parquet or .hdf5 file - a pickled memory cannot be read safely"
    work.unless(thing, "load_memory_from_file_path", None, old)
    if thing.given("shared_memory"):
        thing.take("shared_memory")
        work.note(thing.where("shared_memory"), "shared_memory was about workers; there is nothing to set")
    return {key: value for key, value in out.items() if value is not None}


def _capacity(work: Work, thing: Thing) -> int:
    size = thing.take("max_size", default=(Word("MemoryGranularity.Transitions"), 1_000_000))
    sound = isinstance(size, tuple) and len(size) == 2 and isinstance(size[0], Word) and isinstance(size[1], int)
    if not sound or size[0].last != "Transitions" or size[1] < 1:
        work.lost(thing.where("max_size"), f"max_size = {shown(size)}: memories count transitions - 1000000 are kept")
        return 1_000_000
    return int(size[1])


def _hindsight(work: Work, thing: Thing) -> dict[str, Any]:
    """How many copies, with which goals, and what these pay."""
    out: dict[str, Any] = {}
    if thing.given("hindsight_transitions_per_regular_transition"):
        out["hindsight"] = int(work.number(thing, "hindsight_transitions_per_regular_transition", 4))
    how = _word(work, thing, "hindsight_goal_selection_method", _CHOICES)
    space = thing.inner("goals_space")
    out |= {} if how is None else {"goals": how}
    if not space.name:
        return out
    achieved = space.take("goal_name", 0, "achieved_goal")
    if achieved == "state":  # of bit-flip, which shows it as achieved_goal, too
        achieved = "achieved_goal"
    out["achieved"] = str(achieved)
    reward = space.inner("reward_type", 1)
    if reward.name == "InverseDistanceFromGoal":
        out |= {"reward": "inverse-distance", "max_reward": float(work.number(reward, "max_reward", 1, 1))}
    else:
        out["reached_reward"] = float(work.number(reward, "goal_reaching_reward", 0, 1))
        out["missed_reward"] = float(work.number(reward, "default_reward", -1, 2))
    out["threshold"] = float(work.number(reward, "distance_from_goal_threshold", 0, 0))
    metric = _word(work, space, "distance_metric", _DISTANCES, 2)
    return out | ({} if metric is None else {"distance": metric})


def _word(work: Work, thing: Thing, name: str, known: dict[str, str], place: int | None = None) -> str | None:
    """What one of the `known` words is called here; None where none was given, or one that cannot be read."""
    value = thing.take(name, place)
    if value is None:
        return None
    word = known.get(value.last) if isinstance(value, Word) else None
    if word is None:
        work.lost(thing.where(name, place), f"{name} = {shown(value)}: write one of {', '.join(known.values())}")
    return word
