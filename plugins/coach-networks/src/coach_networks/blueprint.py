"""What every engine works out from a problem before it compiles anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coach_networks.assembly import build
from coach_networks.seeds import seed_for
from coachcore.api import Array, BadCheckpoint, Mismatch, Obs, Problem, Sample, State, Streams


@attrs.frozen
class Blueprint:
    """Networks by name, which one acts, the knobs that the agent turns, and the stream of noise."""

    problem: Problem
    networks: Mapping[str, Any]
    acting: str
    knobs: tuple[str, ...]  # in alphabetical order
    streams: Streams

    @classmethod
    def of(cls, problem: Problem) -> Blueprint:
        """Build the networks; raises `Mismatch` where parts do not fit."""
        precision = problem.settings.precision
        networks = {
            name: build(plan, problem.spaces, seed_for(problem.seed, name), precision)
            for name, plan in problem.networks.items()
        }
        agent: Any = problem.agent
        knobs = tuple(sorted(agent.knobs(agent.begin(), 0))) if hasattr(agent, "begin") else ()
        made = cls(problem, networks, _one_that_acts(problem), knobs, Streams(problem.seed))
        made.streams["noise"]  # begun here: a state says where it stands even before anything was drawn
        return made

    @property
    def noise(self) -> np.random.Generator:
        """Where noise for losses and layers is drawn from."""
        return self.streams["noise"]

    @property
    def slow(self) -> tuple[str, ...]:
        """The networks that have a target."""
        return tuple(name for name, plan in self.problem.networks.items() if plan.spec.target)

    @property
    def apart(self) -> bool:
        """Whether weights must be told apart: for batch norm's statistics, or a gradient clipped array by array."""
        by_array = self.problem.settings.gradient_clip and self.problem.settings.gradient_clip_by == "norm"
        return bool(by_array) or any(network.statistics for network in self.networks.values())

    def vector(self, names: Any = None) -> Array:
        """The first weights of networks `names` (all where None), one behind the other, float32."""
        chosen = self.networks if names is None else names
        weights = [weight.ravel() for name in chosen for weight in self.networks[name].initial()]
        return np.concatenate(weights) if weights else np.zeros(0, np.float32)

    def seen(self, obs: Obs) -> dict[str, Array]:
        """What the acting network takes of observations ``[N, ...]``, bytes as bytes, all else as float32."""
        spaces, names = self.problem.spaces.observation, self.networks[self.acting].inputs
        return {
            name: np.ascontiguousarray(obs[name], "uint8" if spaces[name].dtype == "uint8" else "float32")
            for name in names
        }

    def check(self, sample: Sample) -> None:
        """Refuse a sample of other rows; raises `Mismatch`."""
        width = self.problem.layout.width
        if sample.packed.ndim != 3 or sample.packed.shape[2] != width:
            raise Mismatch(f"a sample's rows should be [K, B, {width}], got {sample.packed.shape}")
        if sample.weight is not None and not self.problem.weighted:
            raise Mismatch("a sample brings importance weights, but the problem was made with weighted = False")

    def restored(self, state: State, sizes: Mapping[str, int]) -> dict[str, Array]:
        """The vectors of a saved learner, float32, and noise as it stood; raises `BadCheckpoint`."""
        for name, size in sizes.items():
            given = np.asarray(state.get(name, ()))
            if given.shape != (size,):
                raise BadCheckpoint(
                    f"the learner's {name} should be {size} numbers, the checkpoint holds {given.shape}"
                )
        if not isinstance(state.get("updates"), int):
            raise BadCheckpoint(f"the learner's updates should be a whole number, got {state.get('updates')!r}")
        saved = Streams(self.problem.seed)
        try:
            saved.restore(state["noise"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadCheckpoint(
                f"the learner's noise should say where a stream stands, got {state.get('noise')!r}"
            ) from None
        self.noise.bit_generator.state = saved["noise"].bit_generator.state
        return {name: np.asarray(state[name], np.float32) for name in sizes}

    def summary(self) -> str:
        """The networks, a line a layer, for people."""
        return "\n".join(f"{name}\n{network.summary()}" for name, network in self.networks.items())


def _one_that_acts(problem: Problem) -> str:
    names = [name for name, plan in problem.networks.items() if plan.spec.acts]
    if len(names) != 1:
        raise Mismatch(f"exactly one network chooses actions, but {names or 'none'} do; set acts in its NetworkSpec")
    return names[0]
