"""What every engine must keep true of its steps: what the learner's settings ask for is what it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.clock import Duration
from coachcore.contracts.engine import Problem
from coachcore.settings import LearnerSettings
from coachcore.testing.laws import require, same, same_array, saved
from coachcore.types import Array, Sample, Trained

RATE = 0.01
SIZE = 4
"""B, the examples of a minibatch."""
PLAIN = LearnerSettings(
    batch_size=SIZE, optimizer="sgd", beta1=0.0, learning_rate=RATE, target_every=Duration.parse("2 updates")
)
"""Learner settings under which a step is the learning rate times the gradient, so that weights can be compared."""
CLIP = 0.01


def drawn(problem: Problem, calls: int, seed: int = 0) -> Sample:
    """K made-up minibatches for the problem, read-only; weighted by 1 where it asks for weights."""
    rng, layout, spaces = np.random.default_rng(seed), problem.layout, problem.spaces
    size = problem.settings.batch_size
    shape = (calls, size)
    packed = rng.standard_normal((*shape, layout.width)).astype(np.float32)
    for name, place in layout.packed.items():
        if name == "discount":
            packed[..., place] = rng.choice([0.0, 0.9], (*shape, 1))
        elif name == "action":
            packed[..., place] = spaces.action.sample(rng, calls * size).reshape(*shape, -1)
    apart = {c.name: rng.integers(0, 255, (*shape, *c.shape)).astype(c.dtype) for c in layout.apart}
    weight = np.ones(shape, np.float32) if problem.weighted else None
    sample = Sample(np.zeros(shape, np.int64), packed, weight, apart)
    for values in (sample.packed, *sample.apart.values()):
        values.flags.writeable = False
    return sample


def taught(learner: Any, problem: Problem, sample: Sample, rate: float) -> Trained:
    """A train call, with the knobs of an agent that turns some as they are at first."""
    agent: Any = problem.agent
    if not hasattr(agent, "begin"):
        return learner.train(sample, rate)  # type: ignore[no-any-return]
    return learner.train(sample, rate, agent.knobs(agent.begin(), 0))  # type: ignore[no-any-return]


def close(one: Array, other: Array) -> bool:
    """Whether two arrays of one shape are equal but for rounding."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-4, atol=1e-5))


def changed(problem: Problem, **settings: Any) -> Problem:
    """The problem with learner settings that are `PLAIN` but for these."""
    return attrs.evolve(problem, settings=attrs.evolve(PLAIN, **settings))


def a_target_follows_its_network(engine: Any, problem: Problem) -> None:
    """How often and how far targets are copied makes a difference where an agent has any."""
    if not any(plan.spec.target for plan in problem.networks.values()):
        return

    def after(**settings: Any) -> Any:
        given = changed(problem, **settings)
        learner = engine.make(given)
        taught(learner, given, drawn(given, 3), RATE)
        return saved(learner.state())

    whole, half, never = (
        after(target_every=Duration.parse(f"{every} updates"), target_rate=rate)
        for every, rate in ((1, 1.0), (1, 0.5), (1_000, 1.0))
    )
    require(not same(whole, never), "a target is copied as often as target_every says")
    require(not same(whole, half), "target_rate is the share that is copied into a target")


def a_clipped_gradient_is_a_short_step(engine: Any, problem: Problem) -> None:
    """With `gradient_clip` (of the whole network's norm) a plain step at rate 1 is at most that long."""
    given = changed(problem, gradient_clip=CLIP)
    factor = next(plan.settings.learning_rate_factor for plan in given.networks.values() if plan.spec.acts)
    learner = engine.make(given)
    first = learner.acting()[1].copy()
    step = float(np.linalg.norm(taught(learner, given, drawn(given, 1), 1.0).weights - first))
    longest = CLIP * factor
    require(step <= 1.02 * longest, f"a gradient clipped to {longest:g} makes a step of at most that, got {step:g}")


def a_step_is_the_mean_of_its_examples(engine: Any, problem: Problem) -> None:
    """A minibatch laid twice in a row is the same step: losses are averaged, whatever the size of the batch."""
    if problem.agent.data(problem.spaces).noise or _is_noisy(engine.make(problem), problem):
        return  # other numbers are drawn for more rows
    plain, large = changed(problem), changed(problem, batch_size=2 * SIZE)
    sample = drawn(plain, 1)
    twice = Sample(*(_twice(values) for values in sample))
    steps = []
    for given, rows in ((plain, sample), (large, twice)):
        learner = engine.make(given)
        first = learner.acting()[1].copy()
        steps.append((taught(learner, given, rows, RATE).weights - first) / RATE)
    require(close(*steps), "a step is the mean of its examples: a minibatch laid twice is the same step")


def _twice(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {name: _twice(column) for name, column in values.items()}
    return None if values is None else np.concatenate([values, values], axis=1)


def _is_noisy(learner: Any, problem: Problem) -> bool:
    """Whether layers draw when they are given a stream."""
    rng = np.random.default_rng(0)
    obs = {name: space.sample(rng, 1) for name, space in problem.spaces.observation.items()}
    drawing, still = (learner.forward(obs, *given) for given in ((rng,), ()))
    return any(not same_array(np.asarray(drawing[slot]), np.asarray(still[slot])) for slot in still)


def a_row_whose_loss_is_no_number_is_marked(engine: Any, problem: Problem) -> None:
    """Its priority is NaN, and where an update is one step, that of its neighbours is their own."""
    place = problem.layout.packed.get("reward")
    if place is None:
        return  # of fresh rows nobody reads priorities
    given = changed(problem)
    sample = drawn(given, 1)
    packed = sample.packed.copy()
    packed[0, 0, place] = np.nan
    priority = taught(engine.make(given), given, sample._replace(packed=packed), RATE).priority
    require(bool(np.isnan(priority[0, 0])), f"the priority of a row whose loss is no number is NaN, got {priority}")
    alone = len(problem.agent.updates()) > 1 or bool(np.isfinite(priority[0, 1:]).all())
    require(alone, f"only the row whose loss is no number is marked, got {priority}")


STEP_LAWS = (
    a_target_follows_its_network,
    a_clipped_gradient_is_a_short_step,
    a_step_is_the_mean_of_its_examples,
    a_row_whose_loss_is_no_number_is_marked,
)


class StepConformance:
    """These laws as tests, a part of `EngineConformance`."""

    def make(self) -> Any:
        """The engine to test."""
        raise NotImplementedError

    def problem(self) -> Problem:
        """What it is tried on."""
        raise NotImplementedError

    def test_a_target_follows_its_network(self) -> None:
        a_target_follows_its_network(self.make(), self.problem())

    def test_a_clipped_gradient_is_a_short_step(self) -> None:
        a_clipped_gradient_is_a_short_step(self.make(), self.problem())

    def test_a_step_is_the_mean_of_its_examples(self) -> None:
        a_step_is_the_mean_of_its_examples(self.make(), self.problem())

    def test_a_row_whose_loss_is_no_number_is_marked(self) -> None:
        a_row_whose_loss_is_no_number_is_marked(self.make(), self.problem())
