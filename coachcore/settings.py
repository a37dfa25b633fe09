"""The settings that belong to the run itself rather than to a part; read like a part's."""

from __future__ import annotations

from typing import Any

import attrs

from coachcore.clock import Duration
from coachcore.component import param

COUNTED = ("steps", "episodes", "updates")
"""Units that a run counts by itself; a duration's choices are the units it may have."""


@attrs.frozen(kw_only=True)
class LearnerSettings:
    """`[agent.learner]`: how batches become weights, the same for every agent."""

    batch_size: int = param(default=32, ge=1, doc="transitions in one minibatch")
    learning_rate: Any = param(default=2.5e-4, type="schedule", gt=0, doc="step size of the optimizer")
    optimizer: str = param(
        default="adam", choices=("adam", "rmsprop", "sgd"), doc="rule that turns gradients into steps"
    )
    beta1: float = param(default=0.9, ge=0, lt=1, doc="decay of Adam's first moment; momentum of rmsprop and sgd")
    beta2: float = param(default=0.999, ge=0, lt=1, doc="decay of the second moment (adam, rmsprop)")
    epsilon: float = param(default=1e-7, gt=0, doc="added to the root of the second moment")
    gradient_clip: float = param(default=0.0, ge=0, doc="largest global norm of a gradient; 0 leaves it alone")
    train_every: Duration = param(
        default="1 steps", type="duration", choices=("steps", "episodes"), ge=1, doc="how often updates are made"
    )
    updates: int = param(default=1, ge=1, doc="updates made each time")
    updates_per_call: int = param(
        default=0,
        ge=0,
        doc="updates fused into one compiled call; 0: all of `updates`. With priorities, these refresh once a call",
    )
    target_every: Duration = param(
        default="100 updates", type="duration", choices=("updates",), ge=1, doc="how often the target network is copied"
    )
    target_rate: float = param(
        default=1.0, gt=0, le=1, doc="share of the online weights mixed into the target at each copy"
    )
    precision: str = param(default="float32", choices=("float32",), doc="arithmetic of the networks")


@attrs.frozen(kw_only=True)
class EvaluateSettings:
    """`[schedule.evaluate]`: greedy episodes in an environment of their own."""

    every: Duration = param(default="10_000 steps", type="duration", choices=COUNTED, ge=1, doc="how often to evaluate")
    episodes: int = param(default=10, ge=1, doc="episodes of one evaluation")


@attrs.frozen(kw_only=True)
class ScheduleSettings:
    """`[schedule]`: how long each phase lasts. Steps are environment steps, heat-up included in `train`."""

    heatup: Duration = param(
        default="1_000 steps", type="duration", choices=("steps", "episodes"), doc="random play before learning starts"
    )
    train: Duration = param(
        default="50_000 steps", type="duration", choices=COUNTED, ge=1, doc="length of the whole run, heat-up included"
    )
    evaluate: EvaluateSettings = param(factory=EvaluateSettings, type="evaluate", doc="evaluation during training")
    target: float | None = param(default=None, doc="stop once an evaluation's mean return reaches this")
    report_every: Duration = param(
        default="1_000 steps", type="duration", choices=COUNTED, ge=1, doc="how often learning metrics are reported"
    )


@attrs.frozen(kw_only=True)
class CheckpointSettings:
    """`[checkpoint]`: when the whole state is saved, and what is kept."""

    every: Duration = param(
        default="10_000 steps", type="duration", choices=(*COUNTED, "seconds"), ge=1, doc="how often to save"
    )
    keep_last: int = param(default=2, ge=1, doc="newest checkpoints kept")
    keep_best: bool = param(default=True, doc="also keep the policy with the best evaluation")


@attrs.frozen(kw_only=True)
class ValidationSettings:
    """`[validation]`: what the preset is proven to reach; the learning tests read it."""

    reward: float = param(doc="mean return over 20 fresh greedy episodes of the best checkpoint")
    within: Duration = param(type="duration", choices=("steps",), doc="environment steps it may take")


SECTIONS: dict[str, type] = {
    "learner": LearnerSettings,
    "evaluate": EvaluateSettings,
    "schedule": ScheduleSettings,
    "checkpoint": CheckpointSettings,
    "validation": ValidationSettings,
}
