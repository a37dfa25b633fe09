"""What every agent must keep true: its networks, its losses and what it proposes.

Networks are linear functions in NumPy. A loss written in `keras.ops` takes
their outputs as well, so nothing here knows a backend.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coachcore.component import spec_of
from coachcore.contracts.agent import DataSpec, Update
from coachcore.spaces import Discrete
from coachcore.testing.laws import require, same, settings_are_frozen
from coachcore.testing.trial import TRIALS, Trial, copied, example_batch, example_nets, rows_of, serves
from coachcore.types import Array, Batch, LossOut

EXECUTORS = ("small", "twin", "conv")
SIZE = 6
"""B, the examples of a batch."""


def settings_never_change(agent: Any, tried: Trial) -> None:
    """It is an agent, its settings are frozen, and it has the two that the accumulator reads."""
    settings_are_frozen(agent, "agent")
    for name in ("discount", "n_step"):
        require(hasattr(agent, name), f"an agent has a setting '{name}', which the accumulator reads")


def its_networks_fill_the_slots_it_declares(agent: Any, tried: Trial) -> None:
    """`networks` and ``slots`` in @component say the same, and one network acts."""
    facts, networks = spec_of(agent).facts, agent.networks(tried.spaces)
    found = {slot: provides for spec in networks.values() for slot, provides in spec.slots.items()}
    require(found == facts.get("slots"), f"slots in @component are {facts.get('slots')}, networks() names {found}")
    acting = [name for name, spec in networks.items() if spec.acts]
    require(len(acting) == 1, f"exactly one network chooses actions, got {acting}")
    require(facts.get("executor") in EXECUTORS, f"executor in @component is one of {', '.join(EXECUTORS)}")
    heads = facts.get("defaults", {}).get("heads", {})
    require(set(heads) <= set(found), f"the default heads fill slots of the agent, got {sorted(heads)}")
    require(isinstance(agent.data, DataSpec), f"data is a DataSpec, got {type(agent.data).__name__}")


def its_updates_move_its_networks(agent: Any, tried: Trial) -> None:
    """Each update moves a network of its own, the first one every time."""
    networks, updates = agent.networks(tried.spaces), agent.updates()
    moved = [update.moves for update in updates]
    require(bool(moved) and set(moved) <= set(networks), f"updates move networks of the agent, got {moved}")
    require(len(set(moved)) == len(moved), f"each update moves a network of its own, got {moved}")
    require(updates[0].every == 1, f"the first update is made every time, got every = {updates[0].every}")
    require(all(update.every >= 1 for update in updates), "updates are made every 1 or more times")


def a_space_it_cannot_serve_is_a_mismatch(agent: Any, tried: Trial) -> None:
    """Each usual action space is served or refused with `Mismatch`."""
    for other in TRIALS:
        try:
            serves(agent, other)
        except Exception as error:  # whatever else a plugin raises breaks the rule
            raise AssertionError(
                f"{other.spaces.action} is served or refused with Mismatch, got {type(error).__name__}: {error}"
            ) from error


def a_loss_is_one_number_an_example(agent: Any, tried: Trial) -> None:
    """Loss and priority are ``[B]`` and finite, priorities not negative, metrics ``[B]`` or one number."""
    for update in agent.updates():
        for size in (1, SIZE):
            out = _out(agent, tried, update, example_batch(agent, tried, size))
            for name in ("loss", "priority"):
                require(
                    out[name].shape == (size,), f"{name} is one number an example, [B], got shape {out[name].shape}"
                )
            require(bool((out["priority"] >= 0).all()), f"priorities are not negative, got {out['priority']}")
            for name, values in out.items():
                require(values.shape in ((), (size,)), f"{name} is [B] or one number, got shape {values.shape}")
                require(bool(np.isfinite(values).all()), f"{name} is finite, got {values}")


def a_loss_is_a_pure_function(agent: Any, tried: Trial) -> None:
    """Networks and batch decide it, bit for bit, and it writes to neither."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 - this is what must not move
    for update in agent.updates():
        batch = example_batch(agent, tried, SIZE)
        kept = copied(batch)
        try:
            once, again = (_out(agent, tried, update, batch) for _ in range(2))
        except ValueError as error:
            raise AssertionError(f"a loss never writes to what it is given: {error}") from error
        require(same(list(kept), list(batch)), "a loss never writes to what it is given")
        require(same(once, again), "a loss is a pure function: the same batch gives the same numbers")
    require(same(before, np.random.get_state(legacy=False)), "nothing is drawn from global randomness")  # noqa: NPY002


def rows_may_come_in_any_order(agent: Any, tried: Trial) -> None:
    """The same examples in another order have the same numbers in that order."""
    order, batch = np.random.default_rng(5).permutation(SIZE), example_batch(agent, tried, SIZE)
    for update in agent.updates():
        straight, turned = _out(agent, tried, update, batch), _out(agent, tried, update, rows_of(batch, order))
        for name, values in straight.items():
            wanted = values[order] if values.ndim else values
            require(_close(turned[name], wanted), f"{name} of an example does not depend on the order of the rows")


def an_example_alone_is_as_in_a_batch(agent: Any, tried: Trial) -> None:
    """Averaging is the learner's, so no example knows of another."""
    batch = example_batch(agent, tried, SIZE)
    for update in agent.updates():
        together = _out(agent, tried, update, batch)
        for place in range(SIZE):
            alone = _out(agent, tried, update, rows_of(batch, np.array([place])))
            for name in ("loss", "priority"):
                require(
                    _close(alone[name], together[name][place : place + 1]),
                    f"{name} of an example alone is what it is in a batch",
                )


def nothing_follows_a_terminal_step(agent: Any, tried: Trial) -> None:
    """Where `discount` is 0, `next_obs` does not matter (to rounding: the mass of a distribution is nearly 1)."""
    batch = example_batch(agent, tried, SIZE)
    over = batch._replace(discount=np.zeros_like(batch.discount))
    elsewhere = {name: values[::-1].copy() for name, values in over.next_obs.items()}
    for update in agent.updates():
        here, there = (_out(agent, tried, update, b) for b in (over, over._replace(next_obs=elsewhere)))
        for name in ("loss", "priority"):
            require(_close(here[name], there[name]), f"{name} past a terminal step (discount 0) ignores next_obs")


def a_target_is_asked_where_it_is_declared(agent: Any, tried: Trial) -> None:
    """``target`` in a `NetworkSpec` and what the losses ask for agree."""
    asked: set[str] = set()
    for update in agent.updates():
        update.loss(example_nets(agent, tried, asked), example_batch(agent, tried, SIZE))
    declared = {name for name, spec in agent.networks(tried.spaces).items() if spec.target}
    require(asked == declared, f"targets are declared for {sorted(declared)}, losses ask for {sorted(asked)}")


def a_proposal_has_a_row_an_environment(agent: Any, tried: Trial) -> None:
    """Preferences are finite NumPy ``[N, A]``, each row from its own outputs, which are not written to."""
    action = tried.spaces.action
    width = action.n if isinstance(action, Discrete) else int(np.prod(action.shape))
    for count in (1, SIZE):
        outputs = _acting_outputs(agent, tried, count)
        try:
            proposal = agent.propose(outputs)
        except ValueError as error:
            raise AssertionError(f"propose never writes to what it is given: {error}") from error
        for name, values in zip(("preferences", "deviation"), proposal, strict=True):
            if name == "deviation" and values is None:
                continue
            require(isinstance(values, np.ndarray), f"{name} are a NumPy array, got {type(values).__name__}")
            require(values.shape == (count, width), f"{name} are [N, A] = {(count, width)}, got {values.shape}")
            require(bool(np.isfinite(values).all()), f"{name} are finite, got {values}")
        for place in range(count):
            row = agent.propose({slot: values[place : place + 1] for slot, values in outputs.items()})
            require(_close(row.preferences[0], proposal.preferences[place]), "environments do not mix in a proposal")


LAWS = (
    settings_never_change,
    its_networks_fill_the_slots_it_declares,
    its_updates_move_its_networks,
    a_space_it_cannot_serve_is_a_mismatch,
    a_loss_is_a_pure_function,
    a_loss_is_one_number_an_example,
    rows_may_come_in_any_order,
    an_example_alone_is_as_in_a_batch,
    nothing_follows_a_terminal_step,
    a_target_is_asked_where_it_is_declared,
    a_proposal_has_a_row_an_environment,
)


def check_agent(agent: Any, tried: Trial | None = None) -> None:
    """Every law above, on `tried` or else on each usual action space that the agent serves.

    Raises `AssertionError` with the rule that is broken.
    """
    served = [tried] if tried is not None else [each for each in TRIALS if serves(agent, each)]
    require(bool(served), "the agent serves none of the usual action spaces: give check_agent a trial")
    for each in served:
        for law in LAWS:
            law(agent, each)


def _acting_outputs(agent: Any, tried: Trial, count: int) -> Mapping[str, Array]:
    name = next(name for name, spec in agent.networks(tried.spaces).items() if spec.acts)
    return example_nets(agent, tried)[name].online(example_batch(agent, tried, count).obs)


def _out(agent: Any, tried: Trial, update: Update, batch: Batch) -> dict[str, Array]:
    """Loss, priority and metrics, in NumPy, by name."""
    out: LossOut = update.loss(example_nets(agent, tried), batch)
    metrics = {f"metric '{name}'": np.asarray(values) for name, values in out.metrics.items()}
    return {"loss": np.asarray(out.loss), "priority": np.asarray(out.priority), **metrics}


def _close(one: Array, other: Array) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-4, atol=1e-5))


class AgentConformance:
    """The laws as tests: subclass it as ``TestMine``, give `make` and what it is `tried` on."""

    tried: Trial = TRIALS[0]

    def make(self) -> Any:
        """The agent to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.tried)

    def test_its_networks_fill_the_slots_it_declares(self) -> None:
        its_networks_fill_the_slots_it_declares(self.make(), self.tried)

    def test_its_updates_move_its_networks(self) -> None:
        its_updates_move_its_networks(self.make(), self.tried)

    def test_a_space_it_cannot_serve_is_a_mismatch(self) -> None:
        a_space_it_cannot_serve_is_a_mismatch(self.make(), self.tried)

    def test_a_loss_is_one_number_an_example(self) -> None:
        a_loss_is_one_number_an_example(self.make(), self.tried)

    def test_a_loss_is_a_pure_function(self) -> None:
        a_loss_is_a_pure_function(self.make(), self.tried)

    def test_rows_may_come_in_any_order(self) -> None:
        rows_may_come_in_any_order(self.make(), self.tried)

    def test_an_example_alone_is_as_in_a_batch(self) -> None:
        an_example_alone_is_as_in_a_batch(self.make(), self.tried)

    def test_nothing_follows_a_terminal_step(self) -> None:
        nothing_follows_a_terminal_step(self.make(), self.tried)

    def test_a_target_is_asked_where_it_is_declared(self) -> None:
        a_target_is_asked_where_it_is_declared(self.make(), self.tried)

    def test_a_proposal_has_a_row_an_environment(self) -> None:
        a_proposal_has_a_row_an_environment(self.make(), self.tried)
