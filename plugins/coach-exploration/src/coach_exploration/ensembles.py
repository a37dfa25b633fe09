"""Several opinions on what actions are worth: where they come from, and how they vote."""

from __future__ import annotations

import numpy as np

from coachcore.api import Array, Mismatch, Proposal


def opinions(who: str, proposal: Proposal) -> Array:
    """The action values of each head, ``[N, H, A]``; raises `Mismatch` where there is one opinion only."""
    if proposal.ensemble is None:
        raise Mismatch(
            f"{who} looks at the values of several heads, and this agent's network gives none - "
            "use agent 'bootstrapped-dqn', or 'e-greedy'",
            where=who,
        )
    return proposal.ensemble


def voted(values: Array) -> Array:
    """The action that most heads think best, ``[N, H, A] -> [N]``; of equals the one of the greater mean value."""
    favourites = values.argmax(axis=2)[:, :, None]  # [N, H, 1]
    votes = (favourites == np.arange(values.shape[2])).sum(axis=1)  # [N, A]
    winning = votes == votes.max(axis=1, keepdims=True)
    found: Array = np.where(winning, values.mean(axis=1), -np.inf).argmax(axis=1)
    return found
