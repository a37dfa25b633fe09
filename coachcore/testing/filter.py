"""What every filter must keep true."""

from __future__ import annotations

from typing import Any

import numpy as np

from coachcore.component import spec_of
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete, Space
from coachcore.testing.laws import require, same, same_array, saved, sealed, settings_are_frozen
from coachcore.types import Array, Rows

COUNT = 4
"""Environments that the laws pretend to have."""
FAR = 1e6
"""How far out values of a space without bounds may lie in the laws."""
CALM = 9
"""Rounds of plain draws: enough for what is learned of them to settle before something far out is seen."""
ROUNDS = (
    ((0, 1, 2, 3), True),
    *(((0, 1, 2, 3), False),) * (CALM - 1),
    ((2,), True),
    ((1,), False),
    ((1, 3), False),
    ((0, 1, 2, 3), False),
)
"""Which environments are shown, and whether an episode begins."""


def acts_on(part: Any) -> tuple[str, ...]:
    """What the part says it filters: observation, reward or action (one or several)."""
    said = spec_of(part).facts.get("acts_on", ())
    return (said,) if isinstance(said, str) else tuple(said)


def settings_never_change(part: Any, space: Space) -> None:
    """It is a filter, and its settings are frozen."""
    settings_are_frozen(part, "filter")


def it_says_what_it_acts_on(part: Any, space: Space) -> None:
    """``acts_on`` in @component is observation, reward or action, or several of them."""
    known = ("observation", "reward", "action")
    found = acts_on(part)
    require(
        bool(found) and set(found) <= set(known),
        f"acts_on in @component is one or more of {', '.join(known)}, got {found}",
    )


def what_comes_out_lies_in_the_promised_space(part: Any, space: Space) -> None:
    """Shape, type and bounds are those of `space(before)`; an action filter's are those of `before`."""
    for role in _roles(part, space):
        promised = space if role == "action" else part.space(space)
        state = part.init(space, COUNT)
        for rows, values in _values(part, space, role):
            state, out = part(state, values, rows)
            require(
                out.shape == (len(values), *promised.shape),
                f"shape {promised.shape} is promised, {out.shape[1:]} came out",
            )
            if role != "reward":
                require(out.dtype == promised.dtype, f"{promised.dtype} is promised, {out.dtype} came out")
            require(
                promised.contains(out), f"what comes out lies in the promised space, got {out.min()} to {out.max()}"
            )


def nothing_handed_in_is_changed(part: Any, space: Space) -> None:
    """Neither the values nor the state are written to."""
    for role in _roles(part, space):
        state = part.init(space, COUNT)
        for rows, values in _values(part, space, role):
            before, kept = saved(state), values.copy()
            values.flags.writeable = False
            try:
                after, _ = part(sealed(state), values, rows)
            except ValueError as error:
                raise AssertionError(
                    f"a filter never writes to the values or the state it is handed: {error}"
                ) from error
            part(state, values, rows)
            require(same_array(kept, values), "a filter never writes to the values it is handed")
            require(same(before, saved(state)), "a filter never writes to the state it is handed")
            state = after


def what_came_out_stays_as_it_is(part: Any, space: Space) -> None:
    """No buffer is used twice."""
    for role in _roles(part, space):
        state, handed_out = part.init(space, COUNT), []
        for rows, values in _values(part, space, role):
            state, out = part(state, values, rows)
            handed_out.append((out, out.copy()))
        require(all(same_array(out, copy) for out, copy in handed_out), "what came out is not written to later")


def the_state_alone_decides(part: Any, space: Space) -> None:
    """A state read back from a checkpoint goes on bit for bit."""
    for role in _roles(part, space):
        state, read_back = part.init(space, COUNT), saved(part.init(space, COUNT))
        for rows, values in _values(part, space, role):
            state, out = part(state, values, rows)
            read_back, again = part(read_back, values, rows)
            require(same_array(out, again), "a state that was saved and read back goes on bit for bit")
            require(same(saved(state), saved(read_back)), "equal states and values give equal states")
            read_back = saved(read_back)


def a_batch_is_its_rows(part: Any, space: Space) -> None:
    """Without a state, environments do not mix."""
    if part.init(space, COUNT) is not None:
        return  # with a state, rows of one batch may share what it learned from them
    for role in _roles(part, space):
        for rows, values in _values(part, space, role):
            _, batch = part(None, values, rows)
            one_by_one = [
                part(None, values[i : i + 1], Rows(rows.envs[i : i + 1], rows.first))[1] for i in range(len(values))
            ]
            require(
                same_array(batch, np.concatenate(one_by_one)),
                "a stateless filter gives for a batch what it gives row by row",
            )


def in_evaluation_environments_do_not_mix(part: Any, space: Space) -> None:
    """What was learned stands still while a policy is tried out, so neighbours make no difference."""
    if spec_of(part).facts.get("episodic"):
        return  # it remembers within an episode, there too
    for role in _roles(part, space):
        state = part.init(space, COUNT)
        for rows, values in _values(part, space, role):
            state, _ = part(state, values, rows)
        for rows, values in _values(part, space, role):
            _, batch = part(state, values, rows._replace(evaluating=True))
            alone = [
                part(state, values[i : i + 1], Rows(rows.envs[i : i + 1], rows.first, evaluating=True))[1]
                for i in range(len(values))
            ]
            require(
                same_array(batch, np.concatenate(alone)),
                "in evaluation a filter gives for a batch what it gives row by row",
            )


def an_episode_begins_from_nothing(part: Any, space: Space) -> None:
    """What is marked ``episodic`` shows nothing of the episode before."""
    for role in _roles(part, space) if spec_of(part).facts.get("episodic") else ():
        state = part.init(space, COUNT)
        for rows, values in _values(part, space, role):
            state, _ = part(state, values, rows)
        opening, values = _values(part, space, role)[0]
        require(
            same_array(part(state, values, opening)[1], part(part.init(space, COUNT), values, opening)[1]),
            "an episode begins from nothing, whatever was seen in the one before",
        )


def environments_are_kept_apart(part: Any, space: Space) -> None:
    """What is marked ``episodic`` remembers for each environment what that one has shown."""
    for role in _roles(part, space) if spec_of(part).facts.get("episodic") else ():
        shown = _values(part, space, role)
        for env in range(COUNT):
            together, alone = part.init(space, COUNT), part.init(space, COUNT)
            for rows, values in shown:
                together, out = part(together, values, rows)
                if env in rows.envs:
                    here = rows.envs == env
                    alone, own = part(alone, values[here], Rows(rows.envs[here], rows.first))
                    require(same_array(out[here], own), "what one environment shows says nothing of another's past")


def a_space_it_cannot_take_is_a_mismatch(part: Any, space: Space) -> None:
    """A space of the other kind is taken, or refused with `Mismatch`."""
    other: Space = Discrete(3) if isinstance(space, Box) else Box((2,), -1.0, 1.0)
    try:
        part.space(other)
    except Mismatch:
        return
    except Exception as error:  # whatever else a plugin raises breaks the rule
        raise AssertionError(f"{other} is taken or refused with Mismatch, got {type(error).__name__}") from error


LAWS = (
    settings_never_change,
    it_says_what_it_acts_on,
    what_comes_out_lies_in_the_promised_space,
    nothing_handed_in_is_changed,
    what_came_out_stays_as_it_is,
    the_state_alone_decides,
    a_batch_is_its_rows,
    in_evaluation_environments_do_not_mix,
    an_episode_begins_from_nothing,
    environments_are_kept_apart,
    a_space_it_cannot_take_is_a_mismatch,
)


def check_filter(part: Any, space: Space) -> None:
    """Every law above for values of `space` (the environment's); raises `AssertionError` with the broken rule."""
    for law in LAWS:
        law(part, space)


def _roles(part: Any, space: Space) -> tuple[str, ...]:
    """What can be tried on `space`: rewards are single numbers, so only shape ``()`` will do for them."""
    roles = tuple(role for role in acts_on(part) if role != "reward" or space.shape == ())
    require(bool(roles), f"a reward filter is tried on a space of shape (), not {space.shape}")
    return roles


def _values(part: Any, space: Space, role: str) -> list[tuple[Rows, Array]]:
    """Two episodes: draws from the space, at last its corners, and far out where it has none."""
    source = part.space(space) if role == "action" else space
    rng = np.random.default_rng(0)
    given = []
    for place, (envs, first) in enumerate(ROUNDS):
        values = source.sample(rng, len(envs))
        if isinstance(source, Box) and place > CALM and source.shape == values.shape[1:]:
            values[0] = np.where(np.isfinite(source.low), source.low, -FAR)
            values[-1] = np.where(np.isfinite(source.high), source.high, FAR)
        given.append((Rows(np.array(envs), first), values.astype(np.float64) if role == "reward" else values))
    return given


class FilterConformance:
    """The laws as tests: subclass it as ``TestMine``, give `make` and the `space` it is tried on."""

    space: Space = Box((3,), -1.0, 1.0)

    def make(self) -> Any:
        """The filter to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.space)

    def test_it_says_what_it_acts_on(self) -> None:
        it_says_what_it_acts_on(self.make(), self.space)

    def test_what_comes_out_lies_in_the_promised_space(self) -> None:
        what_comes_out_lies_in_the_promised_space(self.make(), self.space)

    def test_nothing_handed_in_is_changed(self) -> None:
        nothing_handed_in_is_changed(self.make(), self.space)

    def test_what_came_out_stays_as_it_is(self) -> None:
        what_came_out_stays_as_it_is(self.make(), self.space)

    def test_the_state_alone_decides(self) -> None:
        the_state_alone_decides(self.make(), self.space)

    def test_a_batch_is_its_rows(self) -> None:
        a_batch_is_its_rows(self.make(), self.space)

    def test_in_evaluation_environments_do_not_mix(self) -> None:
        in_evaluation_environments_do_not_mix(self.make(), self.space)

    def test_an_episode_begins_from_nothing(self) -> None:
        an_episode_begins_from_nothing(self.make(), self.space)

    def test_environments_are_kept_apart(self) -> None:
        environments_are_kept_apart(self.make(), self.space)

    def test_a_space_it_cannot_take_is_a_mismatch(self) -> None:
        a_space_it_cannot_take_is_a_mismatch(self.make(), self.space)
