"""The settings that belong to the run itself rather than to a part; read like a part's."""

from __future__ import annotations

from collections.abc import Mapping
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
    learning_rate: Any = param(default=2.5e-4, type="schedule", ge=0, doc="step size of the optimizer")
    optimizer: str = param(
        default="adam", choices=("adam", "rmsprop", "sgd", "lbfgs"), doc="rule that turns gradients into steps"
    )
    beta1: float = param(default=0.9, ge=0, lt=1, doc="decay of Adam's first moment; momentum of rmsprop and sgd")
    beta2: float = param(default=0.999, ge=0, lt=1, doc="decay of the second moment (adam, rmsprop)")
    epsilon: float = param(default=1e-7, gt=0, doc="added to the root of the second moment")
    gradient_clip: float = param(default=0.0, ge=0, doc="largest gradient, as gradient_clip_by says; 0 leaves it alone")
    gradient_clip_by: str = param(
        default="global-norm",
        choices=("global-norm", "norm", "value"),
        doc="what gradient_clip limits: the norm over a whole network, of each weight array, or each number",
    )
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
    epochs: int = param(
        default=1, ge=1, doc="on-policy agents: times that each row of a rollout is used; takes the place of `updates`"
    )
    sequence: int = param(
        default=16, ge=1, doc="recurrent networks: steps of one training sequence; batch_size is a multiple of it"
    )
    precision: str = param(
        default="float32",
        choices=("float32", "bfloat16"),
        doc="arithmetic of the networks; weights, optimizer and losses are float32 always",
    )


@attrs.frozen(kw_only=True)
class NetworkSettings:
    """`[agent.network]` beside embedders, middleware and heads: how the parts are put together and trained."""

    merge: str = param(
        default="concatenate", choices=("concatenate", "sum"), doc="how several embedded inputs are joined"
    )
    torso: str = param(
        default="shared",
        choices=("shared", "separate"),
        doc="whether heads share embedders and middleware, or have their own each",
    )
    loss_weights: Mapping[str, float] = param(
        factory=dict, doc="head slot -> factor of its loss (1 where not named), such as { value = 0.5 }"
    )
    gradient_scales: Mapping[str, float] = param(
        factory=dict, doc="head slot -> factor of the gradient that flows from this head into the torso"
    )
    learning_rate_factor: float = param(
        default=1.0, gt=0, doc="this network's learning rate, as a multiple of agent.learner.learning_rate"
    )
    l2: float = param(default=0.0, ge=0, doc="l2/2 times the sum of squared kernels is added to the loss")


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
    "network": NetworkSettings,
    "evaluate": EvaluateSettings,
    "schedule": ScheduleSettings,
    "checkpoint": CheckpointSettings,
    "validation": ValidationSettings,
}
