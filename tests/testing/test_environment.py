"""The environment suite passes sound environments and finds each kind of fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
import pytest

from coachcore.component import component
from coachcore.spaces import Box, Spaces
from coachcore.testing import environment as suite
from coachcore.testing.toys import ToySigns, ToySimulators
from coachcore.types import Array, Obs, Step

SOUND = {
    "discrete": ToySigns(),
    "box": ToySigns(actions="box"),
    "truncated": ToySigns(length=50, limit=7),
    "one step": ToySigns(length=1),
    "endless": ToySigns(length=5_000),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_environments_pass(name: str) -> None:
    suite.check_environment(SOUND[name])


class TestAsAClass(suite.EnvironmentConformance):
    @pytest.fixture
    def part(self) -> ToySigns:
        return ToySigns()


def test_the_class_runs_every_check() -> None:
    methods = {name.removeprefix("test_") for name in vars(suite.EnvironmentConformance) if name.startswith("test_")}
    assert methods == {check.__name__.removeprefix("check_") for check in suite.CHECKS}


class Faulty:
    """A sound simulator with one thing wrong, put in by a test."""

    def __init__(self, count: int) -> None:
        self.inner = ToySimulators(ToySigns(length=6), count, render=False)
        self.spaces, self.count = self.inner.spaces, count
        self.closed = 0

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        return self.inner.reset(envs, seeds)

    def step(self, actions: Array) -> Step:
        return self.inner.step(actions)

    def render(self) -> Array | None:
        return None

    def close(self) -> None:
        self.closed += 1


@component("environment", "faulty")
@attrs.frozen(kw_only=True)
class FaultyPart:
    make_one: Callable[[int], Any] = attrs.field(metadata={"coach": {"type": "str"}})

    def make(self, count: int, *, render: bool = False) -> Any:
        return self.make_one(count)


class Miscounts(Faulty):
    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = 1


class MoodySpaces(Faulty):
    made = 0

    def __init__(self, count: int) -> None:
        super().__init__(count)
        MoodySpaces.made += 1
        seen = Box((3,), -1.0 - MoodySpaces.made, 1.0)
        self.spaces = Spaces(observation={"observation": seen}, action=self.inner.spaces.action)


class Renames(Faulty):
    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        return {"other": super().reset(envs, seeds)["observation"]}


class Doubles(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        return step._replace(obs={"observation": step.obs["observation"].astype(np.float64)})


class Flattens(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        return step._replace(obs={"observation": step.obs["observation"][:, :2]})


class Leaves(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        return step._replace(obs={"observation": step.obs["observation"] + np.float32(2.0)})


class PaysInSingle(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        return step._replace(reward=step.reward.astype(np.float32))


class FlagsInWhole(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        return step._replace(truncated=step.truncated.astype(np.int64))


class WritesActions(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        actions += 1
        return step


class Unseeded(Faulty):
    drawn = 0

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        Unseeded.drawn += 1
        return super().reset(envs, [seed + Unseeded.drawn for seed in seeds])


class SeededByPlace(Faulty):
    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        return super().reset(envs, [seed + env for seed, env in zip(seeds, envs, strict=True)])


class OneBuffer(Faulty):
    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.buffer = np.zeros((count, 3), np.float32)

    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        self.buffer[:] = step.obs["observation"]
        return step._replace(obs={"observation": self.buffer})


class ResetsAll(Faulty):
    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        everyone = super().reset(range(self.inner.count), [seeds[0]] * self.inner.count)
        super().reset(envs, seeds)
        return {"observation": everyone["observation"][list(envs)]}


class SortsPlaces(Faulty):
    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        obs = super().reset(envs, seeds)["observation"]
        return {"observation": obs[np.argsort(list(envs))]}


class Restarts(Faulty):
    def step(self, actions: Array) -> Step:
        step = super().step(actions)
        ended = np.flatnonzero(step.terminated).tolist()
        obs = step.obs["observation"].copy()
        if ended:
            obs[ended] = self.start[ended]
        return step._replace(obs={"observation": obs})

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        obs = super().reset(envs, seeds)
        if len(envs) == self.count:
            self.start = obs["observation"].copy()
        return obs


class ClosesOnce(Faulty):
    def close(self) -> None:
        super().close()
        if self.closed > 1:
            raise AssertionError("closing twice is no error")


FAULTS = [
    (Miscounts, suite.check_count, r"make\(3\) gave 1 simulators"),
    (MoodySpaces, suite.check_count, "two environments of one part promise different spaces"),
    (Renames, suite.check_spaces, r"observed \['other'\], promised \['observation'\]"),
    (Doubles, suite.check_spaces, "'observation' is float64, promised float32"),
    (Flattens, suite.check_spaces, r"'observation' has shape \(2, 2\), promised \(2, 3\)"),
    (Leaves, suite.check_spaces, "'observation' leaves the bounds promised"),
    (PaysInSingle, suite.check_spaces, "rewards are float32, not float64"),
    (FlagsInWhole, suite.check_spaces, "flags are int64, not bool"),
    (WritesActions, suite.check_actions, "step wrote to the actions it was given"),
    (Unseeded, suite.check_seeds, "the episode of seed 7 played again"),
    (SeededByPlace, suite.check_seeds, "the episode of seed 7 played in place 2 of 3 differs at step 0"),
    (OneBuffer, suite.check_arrays, "was written to later"),
    (SortsPlaces, suite.check_subset, "observations do not come in the order of the call"),
    (ResetsAll, suite.check_subset, "resetting"),
    (Restarts, suite.check_no_reset, "the last observation of an episode is the first one again"),
    (ClosesOnce, suite.check_close, "closing twice is no error"),
]


@pytest.mark.parametrize(("fault", "check", "words"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_faults_are_found(fault: Any, check: Callable[[Any], None], words: str) -> None:
    check(FaultyPart(make_one=Faulty))
    with pytest.raises(AssertionError, match=words):
        check(FaultyPart(make_one=fault))
