"""What every agent must keep true where it acts: what it proposes, keeps and remembers."""

from __future__ import annotations

from typing import Any

import numpy as np

from coachcore.spaces import Discrete
from coachcore.testing.laws import require, same, saved
from coachcore.testing.trial import SIZE, TRIALS, Trial, acting_outputs, close, example_batch, example_nets
from coachcore.types import Proposal


def a_proposal_has_a_row_an_environment(agent: Any, tried: Trial) -> None:
    """Preferences are finite NumPy ``[N, A]``, each row from its own outputs, which are not written to."""
    action = tried.spaces.action
    width = action.n if isinstance(action, Discrete) else int(np.prod(action.shape))
    for count in (1, SIZE):
        outputs = acting_outputs(agent, tried, example_batch(agent, tried, count).obs)
        try:
            proposal = agent.propose(outputs)
        except ValueError as error:
            raise AssertionError(f"propose never writes to what it is given: {error}") from error
        for name, values in proposal._asdict().items():
            if name != "preferences" and values is None:
                continue
            require(isinstance(values, np.ndarray), f"{name} are a NumPy array, got {type(values).__name__}")
            wanted = (count, *values.shape[1:2], width) if name == "ensemble" else (count, width)
            axes = "[N, H, A]" if name == "ensemble" else "[N, A]"
            require(values.shape == wanted, f"{name} are {axes} = {wanted}, got {values.shape}")
            require(bool(np.isfinite(values).all()), f"{name} are finite, got {values}")
        _squashed(proposal)
        _averaged(proposal)
        for place in range(count):
            row = agent.propose({slot: values[place : place + 1] for slot, values in outputs.items()})
            require(close(row.preferences[0], proposal.preferences[place]), "environments do not mix in a proposal")


def _squashed(proposal: Proposal) -> None:
    """A centre is what tanh makes the preferences of, and has a deviation."""
    if proposal.centre is not None:
        require(proposal.deviation is not None, "a proposal with a centre has the deviation that belongs to it")
        require(close(np.tanh(proposal.centre), proposal.preferences), "preferences are the tanh of the centre")


def _averaged(proposal: Proposal) -> None:
    """Preferences are the mean of an ensemble."""
    if proposal.ensemble is not None:
        mean = proposal.ensemble.mean(axis=1)
        require(close(mean, proposal.preferences), "preferences are the mean over the heads of the ensemble")


def what_is_kept_fills_its_columns(agent: Any, tried: Trial) -> None:
    """`kept` gives each column of `DataSpec.keep`, ``[N, ...]``, from its own outputs; `value` is the head's."""
    keep = {column.name: column for column in agent.data(tried.spaces).keep}
    require(not keep or hasattr(agent, "kept"), f"an agent that keeps columns gives them in kept(); it keeps {[*keep]}")
    if not keep:
        return
    for count in (1, SIZE):
        batch = example_batch(agent, tried, count)
        outputs, actions = acting_outputs(agent, tried, batch.obs), tried.spaces.action.sample(_rng(), count)
        kept = agent.kept(outputs, agent.propose(outputs), actions)
        require(set(kept) == set(keep), f"kept() gives the columns {sorted(keep)}, got {sorted(kept)}")
        for name, values in kept.items():
            wanted = (count, *keep[name].shape)
            require(np.shape(values) == wanted, f"kept '{name}' has shape {wanted}, got {np.shape(values)}")
            require(bool(np.isfinite(values).all()), f"kept '{name}' is finite, got {values}")
        for place in range(count):
            only = {slot: values[place : place + 1] for slot, values in outputs.items()}
            alone = agent.kept(only, agent.propose(only), actions[place : place + 1])
            same_row = all(close(np.asarray(alone[name])[0], np.asarray(kept[name])[place]) for name in keep)
            require(same_row, "environments do not mix in what is kept")
        if agent.data(tried.spaces).fresh:
            require(close(np.asarray(kept["value"]), outputs["value"]), "kept 'value' is what the head 'value' says")


def its_knobs_keep_their_names(agent: Any, tried: Trial) -> None:
    """What it remembers can be saved, knobs are finite and the same ones always, and all follows from what is given."""
    begin = getattr(agent, "begin", None)
    if begin is None:
        return
    first, metrics = agent.updates()[0], {"loss": 1.0}
    out = first.loss(example_nets(agent, tried), example_batch(agent, tried, SIZE))
    metrics |= {name: float(np.mean(np.asarray(values))) for name, values in out.metrics.items()}
    missing, state, names = dict.fromkeys(metrics, float("nan")), begin(), sorted(agent.knobs(begin(), 0))
    for step, measured in ((0, metrics), (1, missing), (10_000, metrics), (10**9, metrics)):
        knobs, kept = agent.knobs(state, step), saved(state)
        require(sorted(knobs) == names, f"knobs are always {names}, at step {step} they are {sorted(knobs)}")
        finite = all(np.isfinite(value) for value in knobs.values())
        require(finite, f"knobs are finite numbers, at step {step} they are {dict(knobs)}")
        after, again = agent.adapt(state, measured), agent.adapt(saved(kept), measured)
        require(same(saved(after), saved(again)), "adapt follows from what it is given, a saved state included")
        require(same(saved(state), kept), "adapt hands back a new state and leaves the old one as it was")
        state = after


def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


class ActingConformance:
    """These laws as tests, a part of `AgentConformance`."""

    tried: Trial = TRIALS[0]

    def make(self) -> Any:
        """The agent to test."""
        raise NotImplementedError

    def test_a_proposal_has_a_row_an_environment(self) -> None:
        a_proposal_has_a_row_an_environment(self.make(), self.tried)

    def test_what_is_kept_fills_its_columns(self) -> None:
        what_is_kept_fills_its_columns(self.make(), self.tried)

    def test_its_knobs_keep_their_names(self) -> None:
        its_knobs_keep_their_names(self.make(), self.tried)
