"""What losses are made of: pure functions in `keras.ops`, shapes and equations beside them."""

from coach_networks.arithmetic.distributions import cross_entropy, entropy, project, quantile_huber
from coach_networks.arithmetic.errors import half_square, huber
from coach_networks.arithmetic.policies import (
    clipped_surrogate,
    expected,
    gaussian,
    kl,
    log_prob,
    normalized,
    policy_entropy,
)
from coach_networks.arithmetic.returns import cut_off, gae, n_step_returns, retrace, vtrace
from coach_networks.arithmetic.squashed import log_prob_before_tanh, squashed_log_prob, squashed_sample
from coach_networks.arithmetic.values import bellman, best, least, pick, smoothed

__all__ = [
    "bellman",
    "best",
    "clipped_surrogate",
    "cross_entropy",
    "cut_off",
    "entropy",
    "expected",
    "gae",
    "gaussian",
    "half_square",
    "huber",
    "kl",
    "least",
    "log_prob",
    "log_prob_before_tanh",
    "n_step_returns",
    "normalized",
    "pick",
    "policy_entropy",
    "project",
    "quantile_huber",
    "retrace",
    "smoothed",
    "squashed_log_prob",
    "squashed_sample",
    "vtrace",
]
