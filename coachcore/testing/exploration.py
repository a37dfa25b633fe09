"""What every exploration policy must keep true."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import attrs
import numpy as np

from coachcore.component import spec_of
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete, Space
from coachcore.testing.exploration_chance import CHANCE_LAWS, HEADS, ChanceConformance
from coachcore.testing.laws import refuses, require, same, same_array, saved, sealed, settings_are_frozen
from coachcore.types import Array, Moment, Proposal

COUNTS = (1, 3, 8)
"""How many environments the laws try at once."""
STEPS = 40
FORMS = ("mean", "gaussian", "squashed")
"""How an agent over a box may put its wish: a mean alone, with a deviation, and squashed by tanh (with a centre)."""
KINDS = {"discrete": Discrete(3), "box": Box((2,), -1.0, 1.0)}


def settings_never_change(policy: Any, space: Space) -> None:
    """It is an exploration policy, and its settings are frozen."""
    settings_are_frozen(policy, "exploration")


def it_serves_what_it_says(policy: Any, space: Space) -> None:
    """Where ``actions`` in @component says discrete, box or both, `init` takes these and no others."""
    said = _facts(policy).get("actions", ())
    said = (said,) if isinstance(said, str) else tuple(said)
    require(set(said) <= set(KINDS), f"actions in @component is one or both of {', '.join(KINDS)}, got {said}")
    for kind, usual in KINDS.items() if said else ():
        if kind in said:
            policy.init(usual, 1)
        else:
            refuses(lambda one=usual: policy.init(one, 1), Mismatch, f"it does not say that it serves {usual}")


def what_it_asks_for_is_missed(policy: Any, space: Space) -> None:
    """A policy with ``asks = "deviation"`` or ``"ensemble"`` in @component refuses an agent that gives none."""
    asked = _facts(policy).get("asks")
    if not asked:
        return
    require(asked in Proposal._fields, f"asks in @component is a part of a proposal, got {asked!r}")
    moment = Moment(np.random.default_rng(0), 0, evaluating=False)
    state, proposal = policy.init(space, 1), _proposal(space, 1, 0, "mean")
    refuses(lambda: policy(state, lambda: proposal, space, 1, moment), Mismatch, f"a missing {asked} is a Mismatch")


def actions_lie_in_the_space(policy: Any, space: Space) -> None:
    """Type, shape and bounds of actions are the space's, in training and in evaluation.

    A policy marked ``unclipped`` in @component may leave the bounds, but not in evaluation.
    """
    free = bool(_facts(policy).get("unclipped"))
    for count, form in _cases(policy, space):
        for evaluating in (False, True):
            for actions in _played(policy, space, count, form, evaluating=evaluating):
                kind = np.dtype("int64") if isinstance(space, Discrete) else np.dtype("float32")
                require(actions.dtype == kind, f"actions for {space} are {kind}, got {actions.dtype}")
                shape = (count, *space.shape)
                require(
                    actions.shape == shape,
                    f"one action for each environment is asked for, {shape}, got {actions.shape}",
                )
                require(bool(np.isfinite(actions).all()), f"actions are finite, got {actions}")
                inside = (free and not evaluating) or space.contains(actions)
                require(inside, f"actions lie in {space}, got {actions}")


def equal_streams_give_equal_actions(policy: Any, space: Space) -> None:
    """State, stream and proposals decide everything."""
    for count, form in _cases(policy, space):
        once, again = _played(policy, space, count, form), _played(policy, space, count, form)
        require(all(map(same_array, once, again)), "the same state, stream and proposals give the same actions")


def chance_comes_from_its_own_stream(policy: Any, space: Space) -> None:
    """NumPy's global generator stays where it is."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 - this is what must not move
    for count, form in _cases(policy, space):
        _played(policy, space, count, form)
    require(same(before, np.random.get_state(legacy=False)), "nothing is drawn from global randomness")  # noqa: NPY002


def actions_handed_out_stay_as_they_are(policy: Any, space: Space) -> None:
    """The next call does not write over them."""
    for count, form in _cases(policy, space):
        rng, state, handed, copies = np.random.default_rng(3), policy.init(space, count), [], []
        for step in range(STEPS):
            moment, proposal = _moment(rng, step, count, evaluating=bool(step % 2)), _proposal(space, count, step, form)
            after, actions = policy(state, lambda p=proposal: p, space, count, moment)
            state = state if moment.evaluating else after
            handed.append(actions)
            copies.append(actions.copy())
            _overwrite(proposal)  # as a network does, whose outputs are valid until its next call
        require(all(map(same_array, handed, copies)), "an array of actions handed out is never written to again")


def the_agent_is_asked_at_most_once(policy: Any, space: Space) -> None:
    """A forward pass is dear."""
    for count, form in _cases(policy, space):
        rng, state = np.random.default_rng(1), policy.init(space, count)
        for step in range(STEPS):
            asked = _Asked(_proposal(space, count, step, form))
            state, _ = policy(state, asked, space, count, _moment(rng, step, count))
            require(asked.times <= 1, f"propose is called at most once a step, got {asked.times}")


def nothing_handed_in_is_changed(policy: Any, space: Space) -> None:
    """Neither the state nor the proposal is written to."""
    for step, form in product(range(STEPS), _forms(policy, space)):
        state, proposal = policy.init(space, 3), _proposal(space, 3, step, form)
        moment = _moment(np.random.default_rng(step), step, 3)
        state, _ = policy(state, lambda p=proposal: p, space, 3, moment)
        before = saved(state)
        for part in proposal:
            if part is not None:
                part.flags.writeable = False
        try:
            policy(sealed(state), lambda p=proposal: p, space, 3, moment)
        except ValueError as error:
            raise AssertionError(f"neither state nor proposal is written to: {error}") from error
        policy(state, lambda p=proposal: p, space, 3, moment)
        require(same(before, saved(state)), "the state handed in is not changed: a new one is handed back")


def a_saved_state_goes_on_bit_for_bit(policy: Any, space: Space) -> None:
    """A state read back from a checkpoint gives the same actions; it does not hold what a network writes over."""
    for count, form in _cases(policy, space):
        once = _played(policy, space, count, form)
        again = _played(policy, space, count, form, reading_back=True)
        require(all(map(same_array, once, again)), "a state that was saved and read back goes on bit for bit")


def evaluation_is_greedy(policy: Any, space: Space) -> None:
    """In evaluation the best is done, unless a setting called ``evaluation_...`` is not 0.

    Where several heads value the actions, what most of them prefer is a best too.
    """
    if any(getattr(policy, f.name) for f in attrs.fields(type(policy)) if f.name.startswith("evaluation_")):
        return  # its settings ask for something else
    for count, form in _cases(policy, space):
        for step, actions in enumerate(_played(policy, space, count, form, evaluating=True)):
            wish, _, _, ensemble = _proposal(space, count, step, form)
            if isinstance(space, Discrete):
                best = bool(np.all((wish[np.arange(count), actions] == wish.max(axis=1)) | _voted(ensemble, actions)))
            else:
                nearest = space.clip(wish.reshape(actions.shape))
                best = np.allclose(actions, nearest, atol=1e-6)
            require(best, "in evaluation the most preferred action is taken")


def its_level_is_a_finite_number(policy: Any, space: Space) -> None:
    """What people watch can be drawn, before the first choice and after it."""
    rng, state = np.random.default_rng(2), policy.init(space, 2)
    for step in (0, 1, 1_000, 10**9):
        level = policy.level(state, step)
        require(isinstance(level, int | float), f"level is a number, got {type(level).__name__}")
        require(math.isfinite(level) and level >= 0, f"level is finite and not negative, got {level} at step {step}")
        proposal = _proposal(space, 2, step, _forms(policy, space)[-1])
        state, _ = policy(state, lambda p=proposal: p, space, 2, _moment(rng, step, 2))


def a_space_it_cannot_serve_is_a_mismatch(policy: Any, space: Space) -> None:
    """`init` refuses what is no action space it knows."""
    refuses(lambda: policy.init(None, 1), Mismatch, "an action space that the policy cannot serve is a Mismatch")


LAWS = (
    settings_never_change,
    it_serves_what_it_says,
    what_it_asks_for_is_missed,
    actions_lie_in_the_space,
    equal_streams_give_equal_actions,
    chance_comes_from_its_own_stream,
    actions_handed_out_stay_as_they_are,
    the_agent_is_asked_at_most_once,
    nothing_handed_in_is_changed,
    a_saved_state_goes_on_bit_for_bit,
    evaluation_is_greedy,
    its_level_is_a_finite_number,
    a_space_it_cannot_serve_is_a_mismatch,
    *CHANCE_LAWS,
)


def check_exploration(policy: Any, space: Space) -> None:
    """Every law above in action space `space`; raises `AssertionError` with the broken rule."""
    for law in LAWS:
        law(policy, space)


class _Asked:
    """A `propose` that counts its calls."""

    def __init__(self, proposal: Proposal) -> None:
        self.proposal, self.times = proposal, 0

    def __call__(self) -> Proposal:
        self.times += 1
        return self.proposal


def _facts(policy: Any) -> Any:
    return spec_of(policy).facts


def _forms(policy: Any, space: Space) -> tuple[str, ...]:
    """The forms of a wish that the policy must understand in `space`."""
    if isinstance(space, Discrete):
        return ("ensemble",) if _facts(policy).get("asks") == "ensemble" else ("mean",)
    return FORMS[1:] if _facts(policy).get("asks") else FORMS


def _cases(policy: Any, space: Space) -> Iterator[tuple[int, str]]:
    """How many environments, and what form of wish."""
    return product(COUNTS, _forms(policy, space))


def _proposal(space: Space, count: int, step: int, form: str) -> Proposal:
    """Made-up wishes of one step: probabilities (also fit as values) or points in and around a box."""
    rng = np.random.default_rng([step, count])
    if isinstance(space, Discrete) and form == "ensemble":
        values = rng.standard_normal((count, HEADS, space.n)).astype(np.float32)
        return Proposal(values.mean(axis=1), ensemble=values)
    if isinstance(space, Discrete):
        return Proposal(rng.dirichlet(np.ones(space.n), count).astype(np.float32))
    wish: Array = (2.0 * space.sample(rng, count)).reshape(count, -1)
    deviation = None if form == "mean" else rng.uniform(0.01, 0.5, wish.shape).astype(np.float32)
    return Proposal(np.tanh(wish), deviation, wish) if form == "squashed" else Proposal(wish, deviation)


def _moment(rng: np.random.Generator, step: int, count: int, *, evaluating: bool = False) -> Moment:
    """A moment at which now and then episodes begin, at step 0 all."""
    first = None if step % 10 else np.arange(count) % (1 + step // 10) == 0
    return Moment(rng, step, evaluating, first)


def _voted(ensemble: Array | None, actions: Array) -> Array:
    """Whether as many heads prefer an action as any other, ``[N]`` bool."""
    if ensemble is None:
        return np.zeros(len(actions), bool)
    votes = (ensemble.argmax(axis=2)[..., None] == np.arange(ensemble.shape[2])).sum(axis=1)  # [N, A]
    most: Array = votes[np.arange(len(actions)), actions] == votes.max(axis=1)
    return most


def _overwrite(proposal: Proposal) -> None:
    for part in proposal:
        if part is not None:
            part.fill(0.75)


def _played(
    policy: Any, space: Space, count: int, form: str, *, evaluating: bool = False, reading_back: bool = False
) -> list[Array]:
    """The actions of some steps from a fresh state and stream; copied, as they are handed out."""
    rng, state, actions = np.random.default_rng(7), policy.init(space, count), []
    for step in range(STEPS):
        moment, proposal = _moment(rng, step, count, evaluating=evaluating), _proposal(space, count, step, form)
        after, chosen = policy(state, lambda p=proposal: p, space, count, moment)
        state = state if evaluating else saved(after) if reading_back else after
        actions.append(chosen.copy())
        _overwrite(proposal)
    return actions


def _test(law: Callable[[Any, Space], None]) -> Callable[[ExplorationConformance], None]:
    """The law as a method of the class below."""

    def test(self: ExplorationConformance) -> None:
        law(self.make(), self.space)

    test.__doc__ = law.__doc__
    return test


class ExplorationConformance(ChanceConformance):
    """The laws as tests: subclass it as ``TestMine``, give `make` and the action `space` it is tried in."""

    test_settings_never_change = _test(settings_never_change)
    test_it_serves_what_it_says = _test(it_serves_what_it_says)
    test_what_it_asks_for_is_missed = _test(what_it_asks_for_is_missed)
    test_actions_lie_in_the_space = _test(actions_lie_in_the_space)
    test_equal_streams_give_equal_actions = _test(equal_streams_give_equal_actions)
    test_chance_comes_from_its_own_stream = _test(chance_comes_from_its_own_stream)
    test_actions_handed_out_stay_as_they_are = _test(actions_handed_out_stay_as_they_are)
    test_the_agent_is_asked_at_most_once = _test(the_agent_is_asked_at_most_once)
    test_nothing_handed_in_is_changed = _test(nothing_handed_in_is_changed)
    test_a_saved_state_goes_on_bit_for_bit = _test(a_saved_state_goes_on_bit_for_bit)
    test_evaluation_is_greedy = _test(evaluation_is_greedy)
    test_its_level_is_a_finite_number = _test(its_level_is_a_finite_number)
    test_a_space_it_cannot_serve_is_a_mismatch = _test(a_space_it_cannot_serve_is_a_mismatch)
