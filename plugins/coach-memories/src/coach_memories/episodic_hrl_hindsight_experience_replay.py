"""Replay as if lower levels had been told to reach what they did reach."""

from __future__ import annotations

import attrs

from coach_memories.capacity import capacity_setting
from coach_memories.episodes import Episodes
from coach_memories.episodic_experience_replay import KNOWN, EpisodicStore
from coach_memories.filling import load_setting
from coach_memories.goals import distance_setting, reward_setting, threshold_setting
from coach_memories.hindsight import Hindsight, choice_setting, hindsight_setting
from coach_memories.joining import Joining
from coach_memories.ring import Ring, only_single
from coach_memories.room import disk_setting
from coachcore.api import FloatOrVector, Layout, component, param


@component(
    "memory",
    "episodic-hrl-hindsight-experience-replay",
    aliases=("EpisodicHRLHindsightExperienceReplay", "EpisodicHRLHindsightExperienceReplayParameters"),
    orders=["any"],
    fresh=False,
    weighted=False,
    episodes=True,
    acts_by_goals=True,
    observations=["desired_goal", "achieved_goal"],
)
@attrs.frozen(kw_only=True)
class EpisodicHRLHindsightExperienceReplay:
    """Steps of an upper level, whose actions are goals for the level below; many are stored once more, in hindsight.

    When an episode ends it is stored once more with the goal that the lower level did achieve as each action, as
    if it had been told so; and of both, copies with substituted goals, as in
    ``episodic-hindsight-experience-replay``. What is achieved must have the units of actions: for
    an agent whose actions are scaled to [-1, 1], scale the achieved goal likewise.

    The old memory changed the actions of the episode it had stored; here they are changed in copies.

    Levy et al. 2018, arXiv:1805.08180, section 4.1 (hindsight action and goal transitions).
    """

    capacity: int | str = capacity_setting()
    hindsight: int = hindsight_setting()
    goals: str = choice_setting()
    goal: str = param(default="desired_goal", doc="observation that is replaced")
    achieved: str = param(default="achieved_goal", doc="observation that says what was reached, in the goal's units")
    reward: str = reward_setting()
    distance: str = distance_setting()
    threshold: FloatOrVector = threshold_setting()
    reached_reward: float = param(default=0.0, doc="reward of a step that reaches its goal (reaching-goal)")
    missed_reward: float = param(default=-1.0, doc="reward of a step that does not (reaching-goal)")
    max_reward: float = param(default=1.0, doc="most that nearness pays (inverse-distance)")
    ends: bool = param(default=True, doc="whether reaching a goal ends the task")
    disk: str = disk_setting()
    load: str = load_setting()

    def make(
        self, layout: Layout, count: int, sequence: int = 1, n_step: int = 1, discount: float = 0.99
    ) -> EpisodicStore:
        only_single(sequence, "episodic-hrl-hindsight-experience-replay")
        episodes = Episodes(Ring.of(self, layout, count, KNOWN), count, copies=True)
        joining = Joining(episodes, n_step, discount)
        return EpisodicStore(self, episodes, joining, hindsight=Hindsight(self, episodes, joining, acted=True))
