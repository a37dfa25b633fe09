"""Replay as if what was reached had been the goal."""

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
    "episodic-hindsight-experience-replay",
    aliases=("EpisodicHindsightExperienceReplay", "EpisodicHindsightExperienceReplayParameters"),
    orders=["any"],
    fresh=False,
    weighted=False,
    episodes=True,
    observations=["desired_goal", "achieved_goal"],
)
@attrs.frozen(kw_only=True)
class EpisodicHindsightExperienceReplay:
    """Steps of goal-driven episodes; when one ends, copies of its steps are stored with goals that it did reach.

    Each step is copied `hindsight` times. The goal of a copy is what was achieved after the same or a
    later step (``future``), after the last one (``final``), after any step of the episode
    (``episode``) or in any transition of the memory (``random``). The copy's reward and the end of its task are
    made anew from what the step achieved, so is the joint reward of n steps, which ends where the
    goal is reached; an end that had nothing to do with the goal stays one. Copies count towards
    the capacity, share their pictures with the steps, and belong to no episode: the steps themselves stay as they were.

    The old memory appended copies to the episode, so that returns ran over them, and
    took goals from before the step; neither is done here.

    Andrychowicz et al. 2017, arXiv:1707.01495, algorithm 1 and section 4.5.
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
        only_single(sequence, "episodic-hindsight-experience-replay")
        episodes = Episodes(Ring.of(self, layout, count, KNOWN), count, copies=True)
        joining = Joining(episodes, n_step, discount)
        return EpisodicStore(self, episodes, joining, hindsight=Hindsight(self, episodes, joining))
