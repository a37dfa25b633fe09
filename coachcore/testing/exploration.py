"""What every exploration policy must keep true."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np

from coachcore.errors import Mismatch
from coachcore.spaces import Discrete, Space
from coachcore.testing.laws import refuses, require, same, same_array, saved, sealed, settings_are_frozen
from coachcore.types import Array, Moment, Proposal

COUNTS = (1, 3, 8)
"""How many environments the laws try at once."""
STEPS = 40


def settings_never_change(policy: Any, space: Space) -> None:
    """It is an exploration policy, and its settings are frozen."""
    settings_are_frozen(policy, "exploration")


def actions_lie_in_the_space(policy: Any, space: Space) -> None:
    """Type, shape and bounds of actions are the space's, in training and in evaluation."""
    for count in COUNTS:
        for evaluating in (False, True):
            for actions in _played(policy, space, count, evaluating=evaluating):
                kind = np.dtype("int64") if isinstance(space, Discrete) else np.dtype("float32")
                require(actions.dtype == kind, f"actions for {space} are {kind}, got {actions.dtype}")
                shape = (count, *space.shape)
                require(
                    actions.shape == shape,
                    f"one action for each environment is asked for, {shape}, got {actions.shape}",
                )
                require(space.contains(actions), f"actions lie in {space}, got {actions}")


def equal_streams_give_equal_actions(policy: Any, space: Space) -> None:
    """State, stream and proposals decide everything."""
    for count in COUNTS:
        once, again = _played(policy, space, count), _played(policy, space, count)
        require(all(map(same_array, once, again)), "the same state, stream and proposals give the same actions")


def chance_comes_from_its_own_stream(policy: Any, space: Space) -> None:
    """NumPy's global generator stays where it is."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002 - this is what must not move
    _played(policy, space, 3)
    require(same(before, np.random.get_state(legacy=False)), "nothing is drawn from global randomness")  # noqa: NPY002


def actions_handed_out_stay_as_they_are(policy: Any, space: Space) -> None:
    """The next call does not write over them."""
    for count in COUNTS:
        rng, state, handed, copies = np.random.default_rng(3), policy.init(space, count), [], []
        for step in range(STEPS):
            moment = Moment(rng, step, evaluating=False)
            state, actions = policy(state, lambda n=count, s=step: _proposal(space, n, s), space, count, moment)
            handed.append(actions)
            copies.append(actions.copy())
        require(all(map(same_array, handed, copies)), "an array of actions handed out is never written to again")


def the_agent_is_asked_at_most_once(policy: Any, space: Space) -> None:
    """A forward pass is dear."""
    for count in COUNTS:
        rng, state = np.random.default_rng(1), policy.init(space, count)
        for step in range(STEPS):
            asked = _Asked(_proposal(space, count, step))
            state, _ = policy(state, asked, space, count, Moment(rng, step, evaluating=False))
            require(asked.times <= 1, f"propose is called at most once a step, got {asked.times}")


def nothing_handed_in_is_changed(policy: Any, space: Space) -> None:
    """Neither the state nor the proposal is written to."""
    rng, state = np.random.default_rng(1), policy.init(space, 3)
    for step in range(STEPS):
        proposal, before = _proposal(space, 3, step), saved(state)
        for part in proposal:
            if part is not None:
                part.flags.writeable = False
        try:
            policy(
                sealed(state),
                lambda p=proposal: p,
                space,
                3,
                Moment(np.random.default_rng(step), step, evaluating=False),
            )
        except ValueError as error:
            raise AssertionError(f"neither state nor proposal is written to: {error}") from error
        after, _ = policy(state, lambda p=proposal: p, space, 3, Moment(rng, step, evaluating=False))
        require(same(before, saved(state)), "the state handed in is not changed: a new one is handed back")
        state = after


def a_saved_state_goes_on_bit_for_bit(policy: Any, space: Space) -> None:
    """A state read back from a checkpoint gives the same actions."""
    for count in COUNTS:
        once, again = _played(policy, space, count), _played(policy, space, count, reading_back=True)
        require(all(map(same_array, once, again)), "a state that was saved and read back goes on bit for bit")


def evaluation_is_greedy(policy: Any, space: Space) -> None:
    """In evaluation the best is done, unless a setting called ``evaluation_...`` is not 0."""
    if any(getattr(policy, f.name) for f in attrs.fields(type(policy)) if f.name.startswith("evaluation_")):
        return  # its settings ask for something else
    for count in COUNTS:
        for step, actions in enumerate(_played(policy, space, count, evaluating=True)):
            wish = _proposal(space, count, step).preferences
            if isinstance(space, Discrete):
                best = bool(np.all(wish[np.arange(count), actions] == wish.max(axis=1)))
            else:
                best = np.allclose(
                    actions.reshape(wish.shape), np.clip(wish, space.low.ravel(), space.high.ravel()), atol=1e-6
                )
            require(best, "in evaluation the most preferred action is taken")


def its_level_is_a_finite_number(policy: Any, space: Space) -> None:
    """What people watch can be drawn."""
    state = policy.init(space, 2)
    for step in (0, 1, 1_000, 10**9):
        level = policy.level(state, step)
        require(isinstance(level, int | float), f"level is a number, got {type(level).__name__}")
        require(math.isfinite(level) and level >= 0, f"level is finite and not negative, got {level} at step {step}")


def a_space_it_cannot_serve_is_a_mismatch(policy: Any, space: Space) -> None:
    """`init` refuses what is no action space it knows."""
    refuses(lambda: policy.init(None, 1), Mismatch, "an action space that the policy cannot serve is a Mismatch")


LAWS = (
    settings_never_change,
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
)


def check_exploration(policy: Any, space: Space) -> None:
    """Every law above in action space `space`; raises `AssertionError` with the broken rule."""
    for law in LAWS:
        law(policy, space)


class _Asked:
    """A `propose` that counts its calls."""

    def __init__(self, proposal: Proposal) -> None:
        self.proposal = proposal
        self.times = 0

    def __call__(self) -> Proposal:
        self.times += 1
        return self.proposal


def _proposal(space: Space, count: int, step: int) -> Proposal:
    """Made-up wishes of one step: probabilities (also fit as values) or points in and around a box."""
    rng = np.random.default_rng([step, count])
    if isinstance(space, Discrete):
        return Proposal(rng.dirichlet(np.ones(space.n), count).astype(np.float32))
    wish: Array = (2.0 * space.sample(rng, count)).reshape(count, -1)
    return Proposal(wish, np.full_like(wish, 0.1))


def _played(
    policy: Any, space: Space, count: int, *, evaluating: bool = False, reading_back: bool = False
) -> list[Array]:
    """The actions of some steps from a fresh state and stream; copied, as they are handed out."""
    rng, state, actions = np.random.default_rng(7), policy.init(space, count), []
    for step in range(STEPS):
        moment = Moment(rng, step, evaluating=evaluating)
        after, chosen = policy(state, lambda s=step: _proposal(space, count, s), space, count, moment)
        state = state if evaluating else saved(after) if reading_back else after
        actions.append(chosen.copy())
    return actions


class ExplorationConformance:
    """The laws as tests: subclass it as ``TestMine``, give `make` and the action `space` it is tried in."""

    space: Space = Discrete(3)

    def make(self) -> Any:
        """The policy to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.space)

    def test_actions_lie_in_the_space(self) -> None:
        actions_lie_in_the_space(self.make(), self.space)

    def test_equal_streams_give_equal_actions(self) -> None:
        equal_streams_give_equal_actions(self.make(), self.space)

    def test_chance_comes_from_its_own_stream(self) -> None:
        chance_comes_from_its_own_stream(self.make(), self.space)

    def test_actions_handed_out_stay_as_they_are(self) -> None:
        actions_handed_out_stay_as_they_are(self.make(), self.space)

    def test_the_agent_is_asked_at_most_once(self) -> None:
        the_agent_is_asked_at_most_once(self.make(), self.space)

    def test_nothing_handed_in_is_changed(self) -> None:
        nothing_handed_in_is_changed(self.make(), self.space)

    def test_a_saved_state_goes_on_bit_for_bit(self) -> None:
        a_saved_state_goes_on_bit_for_bit(self.make(), self.space)

    def test_evaluation_is_greedy(self) -> None:
        evaluation_is_greedy(self.make(), self.space)

    def test_its_level_is_a_finite_number(self) -> None:
        its_level_is_a_finite_number(self.make(), self.space)

    def test_a_space_it_cannot_serve_is_a_mismatch(self) -> None:
        a_space_it_cannot_serve_is_a_mismatch(self.make(), self.space)
