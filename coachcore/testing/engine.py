"""What every engine must keep true: the learners it makes, trained a little and compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.acting import ActingNetwork
from coachcore.contracts.agent import NetworkPlan
from coachcore.contracts.engine import Problem
from coachcore.errors import BadCheckpoint
from coachcore.layout import Layout
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.engine_steps import PLAIN, RATE, SIZE, STEP_LAWS, StepConformance, close, drawn, taught
from coachcore.testing.laws import refuses, require, same, same_array, saved, settings_are_frozen
from coachcore.testing.toy_learning import ToyQ
from coachcore.types import Array, Sample


def toy_problem() -> Problem:
    """Three measurements, two actions and the toy agent: what an engine without a backend can solve."""
    spaces = Spaces(observation={"observation": Box((3,), -1.0, 1.0)}, action=Discrete(2))
    agent = ToyQ()
    plan = NetworkPlan(
        spec=agent.networks(spaces)["main"], embedders={"observation": None}, middleware=None, heads={"q": None}
    )
    return Problem(agent=agent, networks={"main": plan}, spaces=spaces, layout=Layout.of(spaces), settings=PLAIN)


def settings_never_change(engine: Any, problem: Problem) -> None:
    """It is an engine, and its settings are frozen."""
    settings_are_frozen(engine, "engine")


def a_train_call_has_the_shapes_it_says(engine: Any, problem: Problem) -> None:
    """Priorities ``[K, B]``, metrics ``[M]`` with the loss first, weights ``[P]``, handed out for good."""
    learner = engine.make(problem)
    names = learner.metric_names
    require(names[:1] == ("loss",), f"metric_names begin with loss, got {names}")
    require(len(set(names)) == len(names), f"metric_names are all different, got {names}")
    handed: list[tuple[Array, Array]] = []
    for calls in (1, 3):
        sample = drawn(problem, calls)
        kept = saved(list(sample))
        trained = taught(learner, problem, sample, RATE)
        require(same(kept, list(sample)), "a train call never writes to its sample")
        size = problem.settings.batch_size
        for name, shape in (
            ("priority", (calls, size)),
            ("metrics", (len(names),)),
            ("weights", (trained.weights.size,)),
        ):
            values = getattr(trained, name)
            require(values.shape == shape, f"{name} have shape {shape}, got {values.shape}")
            require(values.dtype == np.float32, f"{name} are float32, got {values.dtype}")
            require(bool(np.isfinite(values).all()), f"{name} are finite, got {values}")
            handed.append((values, values.copy()))
        require(
            same_array(trained.weights, learner.acting()[1]), "a train call hands back the acting network's weights"
        )
    require(all(same_array(*pair) for pair in handed), "what a train call handed out is not written to later")


def updates_in_one_call_are_updates_one_by_one(engine: Any, problem: Problem) -> None:
    """K updates fused give what K calls give (momentum and target copies included), to rounding."""
    moving = attrs.evolve(problem, settings=attrs.evolve(PLAIN, beta1=0.9))
    fused, single, sample = engine.make(moving), engine.make(moving), drawn(moving, 5)
    together = taught(fused, problem, sample, RATE)
    alone = [taught(single, problem, _call(sample, place), RATE) for place in range(5)]
    for what, one, other in (
        ("weights", together.weights, alone[-1].weights),
        ("priorities", together.priority, np.concatenate([trained.priority for trained in alone])),
        ("metrics", together.metrics, np.mean([trained.metrics for trained in alone], axis=0)),
    ):
        require(close(one, other), f"K updates in one call give the {what} of K calls")


def importance_weights_scale_each_example(engine: Any, problem: Problem) -> None:
    """Half the weight is half the step, weight 1 is no weight, and an example of weight 0 teaches nothing."""
    if problem.agent.data(problem.spaces).fresh or len(problem.agent.updates()) > 1:
        return  # rows that are used once are never weighted; a second step starts where the first has led
    learner, sample = engine.make(attrs.evolve(problem, weighted=True, settings=PLAIN)), drawn(problem, 1)
    plain = engine.make(attrs.evolve(problem, weighted=False, settings=PLAIN))
    first, unweighted = plain.acting()[1].copy(), taught(plain, problem, sample, RATE)
    start, ones = saved(learner.state()), np.ones(sample.rows.shape, np.float32)

    def step(given: Sample, weight: Array) -> Array:
        learner.restore(saved(start))
        return np.asarray(taught(learner, problem, given._replace(weight=weight), RATE).weights - first) / RATE

    whole = step(sample, ones)
    require(close(whole, (unweighted.weights - first) / RATE), "importance weights of 1 change nothing")
    require(
        close(step(sample, np.float32(0.5) * ones), 0.5 * whole), "an importance weight of one half halves the step"
    )
    mask = ones.copy()
    mask[:, 0] = 0.0
    elsewhere = sample.packed.copy()
    elsewhere[:, 0] = elsewhere[:, 1]
    require(
        close(step(sample, mask), step(sample._replace(packed=elsewhere), mask)),
        "an example of importance weight 0 teaches nothing",
    )


def a_saved_learner_goes_on_bit_for_bit(engine: Any, problem: Problem) -> None:
    """Weights, optimizer, targets and counts: restored over another learner, nothing differs."""
    one, other = engine.make(problem), engine.make(attrs.evolve(problem, seed=problem.seed + 1))
    taught(one, problem, drawn(problem, 3), RATE)
    taught(other, problem, drawn(problem, 2, seed=9), RATE)  # another count of updates too
    state = one.state()
    kept = saved(state)
    other.restore(saved(state))
    for seed in (1, 2):
        pair = [list(taught(learner, problem, drawn(problem, 3, seed), RATE)) for learner in (one, other)]
        require(same(*pair), "a learner that was saved and read back goes on bit for bit")
    require(
        same(saved(one.state()), saved(other.state())), "a learner that was saved and read back goes on bit for bit"
    )
    require(same(kept, saved(state)), "a state that was handed out is not written to later")


def equal_problems_give_equal_learners(engine: Any, problem: Problem) -> None:
    """The seed alone draws the weights; nothing is drawn from global randomness."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 - this is what must not move
    one, again = engine.make(problem), engine.make(problem)
    other = engine.make(attrs.evolve(problem, seed=problem.seed + 1))
    require(same_array(one.acting()[1], again.acting()[1]), "the same seed gives the same weights")
    require(not same_array(one.acting()[1], other.acting()[1]), "another seed gives other weights")
    sample = drawn(problem, 1)
    require(
        same(*(list(taught(x, problem, sample, RATE)) for x in (one, again))),
        "equal samples give equal learners, bit for bit",
    )
    require(same(before, np.random.get_state(legacy=False)), "nothing is drawn from global randomness")  # noqa: NPY002


def the_learning_rate_is_the_size_of_a_step(engine: Any, problem: Problem) -> None:
    """Rate 0 changes no weight, any other does."""
    learner, sample = engine.make(problem), drawn(problem, 1)
    first = learner.acting()[1].copy()
    require(same_array(taught(learner, problem, sample, 0.0).weights, first), "a learning rate of 0 changes no weight")
    require(
        not same_array(taught(learner, problem, sample, RATE).weights, first),
        "a learning rate above 0 moves the weights",
    )


def the_acting_program_is_the_network(engine: Any, problem: Problem) -> None:
    """In NumPy and compiled, before and after training, outputs are equal to 1e-5, each slot's ``[N, ...]``."""
    learner, rng = engine.make(problem), np.random.default_rng(2)
    slots = next(set(plan.spec.slots) for plan in problem.networks.values() if plan.spec.acts)
    for _ in range(2):
        program, weights = learner.acting()
        for count in (1, SIZE):
            obs = {name: space.sample(rng, count) for name, space in problem.spaces.observation.items()}
            outputs = learner.forward(obs)
            require(set(outputs) == slots, f"forward gives every slot, {sorted(slots)}, got {sorted(outputs)}")
            require(all(len(values) == count for values in outputs.values()), "forward gives a row an environment")
            acted = _acted(program, weights, obs) if program else outputs
            require(
                all(close(acted[slot], outputs[slot]) for slot in slots),
                "the acting program gives what forward gives (to 1e-5)",
            )
        taught(learner, problem, drawn(problem, 1), RATE)


def another_networks_state_is_refused(engine: Any, problem: Problem) -> None:
    """A state that does not fit is a `BadCheckpoint`; the networks can be described in words."""
    name, space = next(iter(problem.spaces.observation.items()))
    if not isinstance(space, Box) or len(space.shape) != 1:
        return  # only of a vector is it known that a longer one is taken too
    wider = Spaces(
        observation={**problem.spaces.observation, name: Box((space.shape[0] + 1,))}, action=problem.spaces.action
    )
    data = problem.agent.data(wider)
    other = engine.make(
        attrs.evolve(problem, spaces=wider, layout=Layout.of(wider, data.keep + data.drawn, fresh=data.fresh))
    )
    learner = engine.make(problem)
    refuses(
        lambda: learner.restore(saved(other.state())), BadCheckpoint, "the state of other networks is a BadCheckpoint"
    )
    require(bool(learner.summary().strip()), "summary describes the networks")


LAWS = (
    settings_never_change,
    a_train_call_has_the_shapes_it_says,
    updates_in_one_call_are_updates_one_by_one,
    a_saved_learner_goes_on_bit_for_bit,
    importance_weights_scale_each_example,
    equal_problems_give_equal_learners,
    the_learning_rate_is_the_size_of_a_step,
    the_acting_program_is_the_network,
    another_networks_state_is_refused,
    *STEP_LAWS,
)


def check_engine(engine: Any, problem: Problem | None = None) -> None:
    """Every law above on `problem` (the toy one, if none is given); raises `AssertionError` with the broken rule."""
    given = toy_problem() if problem is None else problem
    for law in LAWS:
        law(engine, given)


def _call(sample: Sample, place: int) -> Sample:
    """Minibatch number `place` as a sample of its own."""
    here = slice(place, place + 1)
    weight = None if sample.weight is None else sample.weight[here]
    return Sample(sample.rows[here], sample.packed[here], weight, {name: v[here] for name, v in sample.apart.items()})


def _acted(program: Mapping[str, Any], weights: Array, obs: Mapping[str, Array]) -> Mapping[str, Array]:
    acting = ActingNetwork(program)
    acting.load(weights)
    return acting(obs)


class EngineConformance(StepConformance):
    """The laws as tests: subclass it as ``TestMine``, give `make` and perhaps a `problem`."""

    def problem(self) -> Problem:
        """What it is tried on."""
        return toy_problem()

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.problem())

    def test_a_train_call_has_the_shapes_it_says(self) -> None:
        a_train_call_has_the_shapes_it_says(self.make(), self.problem())

    def test_updates_in_one_call_are_updates_one_by_one(self) -> None:
        updates_in_one_call_are_updates_one_by_one(self.make(), self.problem())

    def test_importance_weights_scale_each_example(self) -> None:
        importance_weights_scale_each_example(self.make(), self.problem())

    def test_a_saved_learner_goes_on_bit_for_bit(self) -> None:
        a_saved_learner_goes_on_bit_for_bit(self.make(), self.problem())

    def test_equal_problems_give_equal_learners(self) -> None:
        equal_problems_give_equal_learners(self.make(), self.problem())

    def test_the_learning_rate_is_the_size_of_a_step(self) -> None:
        the_learning_rate_is_the_size_of_a_step(self.make(), self.problem())

    def test_the_acting_program_is_the_network(self) -> None:
        the_acting_program_is_the_network(self.make(), self.problem())

    def test_another_networks_state_is_refused(self) -> None:
        another_networks_state_is_refused(self.make(), self.problem())
