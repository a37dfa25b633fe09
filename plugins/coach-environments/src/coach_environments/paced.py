"""The environment part `paced`: another environment with frames skipped, time limits and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from coachcore.api import BadSetting, component, param

if TYPE_CHECKING:
    from coach_environments.pace import PacedSimulators


def _no_more_than_are_seen(part: Any, _field: Any, frames: int) -> None:
    if frames > part.frame_skip:
        raise BadSetting(
            f"{frames} frames, but an action lasts {part.frame_skip} - at most so many", where="maximum_over"
        )


@component("environment", "paced")
@attrs.frozen(kw_only=True)
class Paced:
    """Another environment, whose frames are not the agent's steps.

    Each action lasts `frame_skip` frames and the rewards of these add up; what is seen
    after them is the greatest value, number by number, of the last `maximum_over` frames
    (a game that draws half its figures in each is then seen whole). In every frame the
    action before is repeated instead with the probability `repeat_action_probability`.
    An episode begins with 0 to `no_ops` actions that do nothing and then those of
    `opening`; where these end it, it begins anew. All chance is drawn from the
    episode's seed, so an episode stays a function of its seed and actions.

    With `episode_life`, losing a life terminates the episode. The next one begins a new
    game; the old system went on with the same one, which could not be resumed exactly.
    In evaluation an episode is a whole game. Running into `time_limit` truncates and
    never terminates.

    ``gymnasium`` and ``gym`` games count lives where they are of the Arcade Learning
    Environment; make these with ``options = { frameskip = 1, repeat_action_probability = 0 }``, so that
    nothing is skipped or repeated twice.

    Mnih et al., 2015, doi:10.1038/nature14236, methods; Machado et al., 2018,
    arXiv:1709.06009, section 5, which advises against episode_life.
    """

    environment: Any = param(type="environment", doc="the environment that is paced")
    frame_skip: int = param(default=1, ge=1, doc="frames that each action lasts")
    maximum_over: int = param(
        default=1, ge=1, check=_no_more_than_are_seen, doc="last frames of each action whose maximum is seen"
    )
    repeat_action_probability: float = param(
        default=0.0, ge=0, le=1, doc="share of frames in which the action before is repeated"
    )
    no_ops: int = param(default=0, ge=0, doc="most actions that do nothing at the beginning of an episode")
    opening: tuple[int, ...] = param(
        default=(), ge=0, doc="actions after these, such as [1] where a game waits for the fire button"
    )
    episode_life: bool = param(default=False, doc="whether losing a life terminates the episode, while training")
    time_limit: int | None = param(
        default=None, ge=1, doc="actions after which an episode is truncated; left out: as the environment has it"
    )

    def make(self, count: int, *, render: bool = False) -> PacedSimulators:
        """`count` simulators, each in an environment of its own; raises `Mismatch` where a setting does not fit it."""
        from coach_environments.pace import PacedSimulators

        return PacedSimulators(self, count, render=render)

    @property
    def evaluation(self) -> Paced:
        """The part that a policy is tried out on."""
        inner = getattr(self.environment, "evaluation", self.environment)
        return attrs.evolve(self, environment=inner, episode_life=False)
