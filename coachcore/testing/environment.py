"""What every environment must keep true, as checks that a plugin's own tests can run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from coachcore.contracts.environment import Environment, VectorEnvironment
from coachcore.errors import CoachError
from coachcore.spaces import Box, Discrete, Spaces
from coachcore.testing.laws import require, settings_are_frozen
from coachcore.types import Array, Obs, Step

STEPS = 60


@contextmanager
def _running(part: Environment, count: int) -> Iterator[VectorEnvironment]:
    environment = part.make(count)
    try:
        yield environment
    finally:
        environment.close()


def _actions(spaces: Spaces, count: int, steps: int = STEPS) -> list[Array]:
    """The same fair draws each time: `steps` actions ``[count, ...]``."""
    rng = np.random.Generator(np.random.PCG64(11))
    return [spaces.action.sample(rng, count) for _ in range(steps)]


def _copied(obs: Obs) -> dict[str, Array]:
    return {name: values.copy() for name, values in obs.items()}


def _same(left: Obs, right: Obs) -> bool:
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def _episode(environment: VectorEnvironment, env: int, seed: int) -> list[tuple[dict[str, Array], float, bool, bool]]:
    """What environment `env` shows from `reset` to its end (or for `STEPS` steps); the others go their own ways."""
    obs = environment.reset(range(environment.count), [seed + abs(env - place) for place in range(environment.count)])
    others = np.random.Generator(np.random.PCG64(13))
    shown = [({name: values[env].copy() for name, values in obs.items()}, 0.0, False, False)]
    for actions in _actions(environment.spaces, 1):
        done = environment.spaces.action.sample(others, environment.count)
        done[env] = actions[0]
        step = environment.step(done)
        seen = {name: values[env].copy() for name, values in step.obs.items()}
        over, cut = bool(step.terminated[env]), bool(step.truncated[env])
        shown.append((seen, float(step.reward[env]), over, cut))
        if over or cut:
            break
        _reopened(environment, step)
    return shown


def _reopened(environment: VectorEnvironment, step: Step) -> None:
    ended = np.flatnonzero(step.terminated | step.truncated).tolist()
    if ended:
        environment.reset(ended, ended)


def check_settings(part: Environment) -> None:
    """The part is marked as an environment and its settings cannot be changed."""
    settings_are_frozen(part, "environment")


def check_count(part: Environment) -> None:
    """`make(n)` gives n simulators, and asking again gives others like them."""
    for count in (1, 3):
        with _running(part, count) as first, _running(part, count) as second:
            require(first.count == count, f"make({count}) gave {first.count} simulators")
            require(first.spaces == second.spaces, "two environments of one part promise different spaces")


def check_spaces(part: Environment) -> None:
    """What is observed has the names, shapes, types and bounds promised; flags and rewards are ``[N]``."""
    with _running(part, 2) as environment:
        _promised(environment.spaces, environment.reset([0, 1], [5, 6]), 2)
        for actions in _actions(environment.spaces, 2):
            step = environment.step(actions)
            _promised(environment.spaces, step.obs, 2)
            require(step.reward.shape == (2,), f"rewards have shape {step.reward.shape}, not (2,)")
            require(step.reward.dtype == np.float64, f"rewards are {step.reward.dtype}, not float64")
            for flags in (step.terminated, step.truncated):
                require(flags.shape == (2,), f"flags have shape {flags.shape}, not (2,)")
                require(flags.dtype == np.bool_, f"flags are {flags.dtype}, not bool")
            _reopened(environment, step)


def _promised(spaces: Spaces, obs: Obs, count: int) -> None:
    require(set(obs) == set(spaces.observation), f"observed {sorted(obs)}, promised {sorted(spaces.observation)}")
    for name, space in spaces.observation.items():
        values = obs[name]
        require(
            values.shape == (count, *space.shape),
            f"'{name}' has shape {values.shape}, promised {(count, *space.shape)}",
        )
        require(values.dtype == np.dtype(space.dtype), f"'{name}' is {values.dtype}, promised {space.dtype}")
        require(space.contains(values), f"'{name}' leaves the bounds promised: {values}")


def check_actions(part: Environment) -> None:
    """Every action of a discrete space, and both ends of a bounded one, are taken."""
    with _running(part, 1) as environment:
        space = environment.spaces.action
        if isinstance(space, Discrete):
            actions = [np.array([action]) for action in range(space.n)]
        elif isinstance(space, Box):
            low, high = np.maximum(space.low, -1e3), np.minimum(space.high, 1e3)
            actions = [low[None].astype(np.float32), high[None].astype(np.float32)]
        else:
            actions = list(space.sample(np.random.default_rng(0), 8)[:, None])
        for action in actions:
            environment.reset([0], [3])
            before = action.copy()
            environment.step(action)
            require(np.array_equal(action, before), "step wrote to the actions it was given")


def check_seeds(part: Environment) -> None:
    """Same seed and same actions, same episode: again, in another place, among more simulators."""
    with _running(part, 1) as alone, _running(part, 3) as among:
        first = _episode(alone, 0, 7)
        others = {"again": _episode(alone, 0, 7), "in place 2 of 3": _episode(among, 2, 7)}
        others["in place 0 of 3"] = _episode(among, 0, 7)
    for how, other in others.items():
        require(len(first) == len(other), f"the episode of seed 7 played {how} has another length")
        for index, (left, right) in enumerate(zip(first, other, strict=True)):
            require(_same(left[0], right[0]), f"the episode of seed 7 played {how} differs at step {index}")
            require(
                left[1:] == right[1:], f"the episode of seed 7 played {how} is paid or ends otherwise at step {index}"
            )


def check_arrays(part: Environment) -> None:
    """Arrays handed out are never written to later."""
    with _running(part, 2) as environment:
        handed: list[tuple[dict[str, Array], dict[str, Array]]] = []

        def keep(values: Obs) -> None:
            handed.append((dict(values), _copied(values)))

        keep(environment.reset([0, 1], [1, 2]))
        for actions in _actions(environment.spaces, 2):
            step = environment.step(actions)
            keep(step.obs)
            keep({"reward": step.reward, "terminated": step.terminated, "truncated": step.truncated})
            ended = np.flatnonzero(step.terminated | step.truncated).tolist()
            if ended:
                keep(environment.reset(ended, ended))
        for index, (now, then) in enumerate(handed):
            require(_same(now, then), f"an array handed out (number {index}) was written to later")


def check_subset(part: Environment) -> None:
    """Resetting some environments leaves the others where they were; order is that of the call."""
    with _running(part, 3) as one, _running(part, 3) as other:
        for environment in (one, other):
            environment.reset([0, 1, 2], [1, 2, 3])
        start = one.reset([2, 0], [8, 9])
        other.reset([0], [9])
        again = other.reset([2], [8])
        for name, values in start.items():
            require(len(values) == 2, f"resetting 2 of 3 environments showed {len(values)} observations")
            require(np.array_equal(values[0], again[name][0]), "observations do not come in the order of the call")
        left, right = (environment.step(_actions(one.spaces, 3)[0]) for environment in (one, other))
        require(_same(left.obs, right.obs), "resetting environments together differs from resetting them one by one")
    with _running(part, 2) as one, _running(part, 2) as other:
        one.reset([0, 1], [1, 2])
        other.reset([0, 1], [5, 2])
        one.reset([0], [5])
        left, right = (environment.step(_actions(one.spaces, 2)[0]) for environment in (one, other))
        require(_same(left.obs, right.obs), "resetting environment 0 moved environment 1")
    _check_undisturbed(part)


def _check_undisturbed(part: Environment) -> None:
    """An environment on its way goes on while another one is reset."""
    with _running(part, 2) as one, _running(part, 2) as other:
        first, second = _actions(one.spaces, 2, 2)
        for environment in (one, other):
            environment.reset([0, 1], [1, 2])
            step = environment.step(first)
        if bool(np.any(step.terminated | step.truncated)):
            return
        one.reset([0], [5])
        left, right = one.step(second), other.step(second)
        same = all(np.array_equal(left.obs[name][1], right.obs[name][1]) for name in left.obs)
        require(same and left.reward[1] == right.reward[1], "resetting environment 0 moved environment 1")


def check_no_reset(part: Environment) -> None:
    """`step` never resets: what is shown where an episode ends is not where it began.

    Three episodes are played to their end, or for 1,000 steps; at least one
    that ended must have ended elsewhere.
    """
    with _running(part, 1) as environment:
        ended = [pair for seed in (1, 2, 3) if (pair := _ends(environment, seed)) is not None]
        if ended:
            require(
                not all(_same(*pair) for pair in ended), "the last observation of an episode is the first one again"
            )


def _ends(environment: VectorEnvironment, seed: int) -> tuple[dict[str, Array], dict[str, Array]] | None:
    start = _copied(environment.reset([0], [seed]))
    for actions in _actions(environment.spaces, 1, 1_000):
        step = environment.step(actions)
        if step.terminated[0] or step.truncated[0]:
            return start, _copied(step.obs)
    return None


def check_pictures(part: Environment) -> None:
    """`render` gives a picture ``[H, W, 3]`` uint8, or None where it is not made for that."""
    try:
        environment = part.make(1, render=True)
    except CoachError:
        return  # what it takes to paint is not installed
    environment.reset([0], [1])
    picture = environment.render()
    environment.close()
    if picture is not None:
        fits = picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
        require(fits, f"render gives uint8 [H, W, 3], got {picture.dtype} {picture.shape}")


def check_close(part: Environment) -> None:
    """Closing twice is no error, nor is closing before the first reset."""
    environment = part.make(2)
    environment.close()
    environment.close()
    opened = part.make(1)
    opened.reset([0], [1])
    opened.close()
    opened.close()


CHECKS: tuple[Callable[[Environment], None], ...] = (
    check_settings,
    check_count,
    check_spaces,
    check_actions,
    check_seeds,
    check_arrays,
    check_subset,
    check_no_reset,
    check_pictures,
    check_close,
)


def check_environment(part: Environment) -> None:
    """All of the above; an `AssertionError` says which promise is broken."""
    for check in CHECKS:
        check(part)


class EnvironmentConformance:
    """The same as a pytest class: subclass it and give a fixture `part`, or parametrise one."""

    def test_settings(self, part: Environment) -> None:
        check_settings(part)

    def test_count(self, part: Environment) -> None:
        check_count(part)

    def test_spaces(self, part: Environment) -> None:
        check_spaces(part)

    def test_actions(self, part: Environment) -> None:
        check_actions(part)

    def test_seeds(self, part: Environment) -> None:
        check_seeds(part)

    def test_arrays(self, part: Environment) -> None:
        check_arrays(part)

    def test_subset(self, part: Environment) -> None:
        check_subset(part)

    def test_no_reset(self, part: Environment) -> None:
        check_no_reset(part)

    def test_pictures(self, part: Environment) -> None:
        check_pictures(part)

    def test_close(self, part: Environment) -> None:
        check_close(part)
