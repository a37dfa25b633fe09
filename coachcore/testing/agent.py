"""What every agent must keep true: its networks, its losses and what it proposes.

Networks are linear functions in NumPy. A loss written in `keras.ops` takes
their outputs as well, so nothing here knows a backend.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coachcore.contracts.agent import Update
from coachcore.testing.agent_acting import (
    ActingConformance,
    a_proposal_has_a_row_an_environment,
    its_knobs_keep_their_names,
    what_is_kept_fills_its_columns,
)
from coachcore.testing.agent_facts import (
    FactsConformance,
    a_space_it_cannot_serve_is_a_mismatch,
    its_data_is_what_it_declares,
    its_networks_fill_the_slots_it_declares,
    its_updates_move_its_networks,
    settings_never_change,
    what_it_says_of_itself_is_sound,
)
from coachcore.testing.laws import require, same
from coachcore.testing.trial import SIZE, TRIALS, Trial, close, copied, example_batch, example_nets, rows_of, serves
from coachcore.types import Array, Batch, LossOut

__all__ = ["LAWS", "SIZE", "AgentConformance", "check_agent"]


def a_loss_is_one_number_an_example(agent: Any, tried: Trial) -> None:
    """Loss and priority are ``[B]`` and finite, priorities not negative, metrics ``[B]`` or one number."""
    for update in agent.updates():
        for size in (1, SIZE):
            out = _out(agent, tried, update, example_batch(agent, tried, size))
            slots = agent.networks(tried.spaces)[update.moves].slots
            for name in _numbers(out):
                require(
                    out[name].shape == (size,), f"{name} is one number an example, [B], got shape {out[name].shape}"
                )
                slot = name.partition(" of head ")[2]
                require(not slot or slot in slots, f"a loss by head names slots of '{update.moves}', got '{slot}'")
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
            require(close(turned[name], wanted), f"{name} of an example does not depend on the order of the rows")


def an_example_alone_is_as_in_a_batch(agent: Any, tried: Trial) -> None:
    """Averaging is the learner's, so no example knows of another.

    Fresh rows may be standardised over their batch; so they are asked for less: a
    batch laid twice in a row has the same numbers twice.
    """
    batch, fresh = example_batch(agent, tried, SIZE), agent.data(tried.spaces).fresh
    cut = [np.tile(np.arange(SIZE), 2)] if fresh else [np.array([place]) for place in range(SIZE)]
    rule = "in a batch laid twice is what it was" if fresh else "of an example alone is what it is in a batch"
    for update in agent.updates():
        together = _out(agent, tried, update, batch)
        for places in cut:
            alone = _out(agent, tried, update, rows_of(batch, places))
            for name in _numbers(together):
                require(close(alone[name], together[name][places]), f"{name} {rule}")


def nothing_follows_a_terminal_step(agent: Any, tried: Trial) -> None:
    """Where `discount` is 0, `next_obs` does not matter (to rounding: the mass of a distribution is nearly 1)."""
    batch = example_batch(agent, tried, SIZE)
    if batch.discount is None:
        return  # of fresh rows, nothing that follows is shown
    over = batch._replace(discount=np.zeros_like(batch.discount))
    elsewhere = {name: values[::-1].copy() for name, values in over.next_obs.items()}
    for update in agent.updates():
        here, there = (_out(agent, tried, update, b) for b in (over, over._replace(next_obs=elsewhere)))
        for name in _numbers(here):
            require(close(here[name], there[name]), f"{name} past a terminal step (discount 0) ignores next_obs")


def what_follows_is_looked_at(agent: Any, tried: Trial) -> None:
    """A loss that reads `discount` reads `next_obs`: what is discounted is what follows."""
    batch = example_batch(agent, tried, SIZE)
    if batch.discount is None:
        return  # of fresh rows, nothing that follows is shown
    less = batch._replace(discount=np.float32(0.5) * batch.discount)
    elsewhere = batch._replace(next_obs={name: values[::-1].copy() for name, values in batch.next_obs.items()})
    losses = [
        [_out(agent, tried, update, given)["loss"] for update in agent.updates()] for given in (batch, less, elsewhere)
    ]
    require(
        same(losses[0], losses[1]) or not same(losses[0], losses[2]),
        "a loss that reads discount reads next_obs: what is discounted is what follows",
    )


def a_target_is_asked_where_it_is_declared(agent: Any, tried: Trial) -> None:
    """``target`` in a `NetworkSpec` and what the losses ask for agree."""
    asked: set[str] = set()
    for update in agent.updates():
        update.loss(example_nets(agent, tried, asked), example_batch(agent, tried, SIZE))
    declared = {name for name, spec in agent.networks(tried.spaces).items() if spec.target}
    require(asked == declared, f"targets are declared for {sorted(declared)}, losses ask for {sorted(asked)}")


def noise_that_is_drawn_is_used(agent: Any, tried: Trial) -> None:
    """Other numbers in a column of `DataSpec.noise` or `DataSpec.drawn` give another loss somewhere."""
    batch, drawn = example_batch(agent, tried, SIZE), [column.name for column in agent.data(tried.spaces).drawn]
    for name in (*batch.noise, *drawn):
        other = batch._replace(
            noise={key: values - (key == name) for key, values in batch.noise.items()},
            extras={key: (values + 0.5) % 1.0 if key == name else values for key, values in batch.extras.items()},
        )
        moved = [
            not same(_out(agent, tried, update, batch)["loss"], _out(agent, tried, update, other)["loss"])
            for update in agent.updates()
        ]
        require(any(moved), f"noise '{name}' is drawn, but no loss looks at it")


LAWS = (
    settings_never_change,
    its_networks_fill_the_slots_it_declares,
    what_it_says_of_itself_is_sound,
    its_data_is_what_it_declares,
    its_updates_move_its_networks,
    a_space_it_cannot_serve_is_a_mismatch,
    a_loss_is_a_pure_function,
    a_loss_is_one_number_an_example,
    rows_may_come_in_any_order,
    an_example_alone_is_as_in_a_batch,
    nothing_follows_a_terminal_step,
    what_follows_is_looked_at,
    a_target_is_asked_where_it_is_declared,
    a_proposal_has_a_row_an_environment,
    what_is_kept_fills_its_columns,
    noise_that_is_drawn_is_used,
    its_knobs_keep_their_names,
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


def _numbers(out: Mapping[str, Array]) -> list[str]:
    """What is one number an example: the priority, the loss, and the loss of each head where it is told by head."""
    return [name for name in out if name.startswith("loss") or name == "priority"]


def _out(agent: Any, tried: Trial, update: Update, batch: Batch) -> dict[str, Array]:
    """Loss, priority and metrics, in NumPy, by name; a loss by head, and all of it."""
    out: LossOut = update.loss(example_nets(agent, tried), batch)
    metrics = {f"metric '{name}'": np.asarray(values) for name, values in out.metrics.items()}
    losses = (
        {"loss": np.asarray(out.loss)}
        if not isinstance(out.loss, Mapping)
        else {f"loss of head {slot}": np.asarray(values) for slot, values in out.loss.items()}
    )
    losses.setdefault("loss", np.sum([*losses.values()], axis=0))
    return {**losses, "priority": np.asarray(out.priority), **metrics}


class AgentConformance(FactsConformance, ActingConformance):
    """The laws as tests: subclass it as ``TestMine``, give `make` and what it is `tried` on."""

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

    def test_what_follows_is_looked_at(self) -> None:
        what_follows_is_looked_at(self.make(), self.tried)

    def test_a_target_is_asked_where_it_is_declared(self) -> None:
        a_target_is_asked_where_it_is_declared(self.make(), self.tried)

    def test_noise_that_is_drawn_is_used(self) -> None:
        noise_that_is_drawn_is_used(self.make(), self.tried)
