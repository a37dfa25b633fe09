"""Everything that changes in a run, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.acting import ActingNetwork
from coachcore.clock import Clock
from coachcore.component import spec_of
from coachcore.contracts.agent import NetworkPlan
from coachcore.contracts.engine import Problem, StatefulLearner
from coachcore.contracts.experiment import Experiment
from coachcore.errors import BadCheckpoint, BadData, Mismatch
from coachcore.layout import Layout
from coachcore.rng import Streams
from coachcore.running.accumulate import NStep
from coachcore.running.episodes import OpenEpisodes
from coachcore.running.pipeline import Pipelines
from coachcore.running.policy import Policy
from coachcore.spaces import Spaces
from coachcore.types import Array, Moment, Obs, Proposal, Rows, State


class Machine:
    """The parts of an experiment set up to run; whatever is not in `state` may not change.

    Building it makes the environment, the networks and an empty memory, and is
    where parts that do not fit each other are refused (`Mismatch`).
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.count = experiment.environments
        self.environment = experiment.environment.make(self.count)
        self.pipelines = Pipelines.of(experiment.filters, self.environment.spaces)
        self.spaces = self.pipelines.spaces
        self.streams = Streams(experiment.seed)
        self.clock = Clock()
        layout = Layout.of(self.spaces, experiment.agent.data.keep)
        self.learner = _learner(experiment, self.spaces, layout, self.streams)
        self.memory = experiment.memory.make(layout, self.count)
        self.accumulate = NStep(getattr(experiment.agent, "n_step", 1), getattr(experiment.agent, "discount", 0.99))
        self.filters = self.pipelines.init(self.count)
        self.explorer = experiment.exploration.init(self.spaces.action, self.count)
        self.episodes = OpenEpisodes(self.count)
        self.rows = Rows(np.arange(self.count), first=False)
        self.raw: Obs = {}  # what the environment last said
        self.obs: Obs = {}  # the same, filtered: what the agent acts on
        self.window: State = None
        self.tally = np.zeros(len(self.learner.metric_names))  # sums of metrics since the last report
        self.tallied = 0
        self.best: float | None = None  # best mean return of an evaluation
        self.done = ""  # why the run is over, when it is
        self.paused = False  # set from outside (a signal, a timer): the loop yields a pause soon
        self._load_acting()

    def _load_acting(self) -> None:
        program, weights = self.learner.acting()
        self.acting: Any = ActingNetwork(program) if program else self.learner.forward
        self.refresh(weights)

    def refresh(self, weights: Array) -> None:
        """Act with these weights ``[P]`` from now on."""
        if isinstance(self.acting, ActingNetwork):
            self.acting.load(weights)

    def propose(self) -> Proposal:
        """What the agent would like to do now, in every environment."""
        return self.experiment.agent.propose(self.acting(self.obs))

    def choose(self, *, heating: bool) -> Array:
        """Actions ``[N, ...]`` in the agent's space: uniform in heat-up, then the exploration policy's."""
        space = self.spaces.action
        if heating:
            return space.sample(self.streams["heatup"], self.count)
        moment = Moment(self.streams["explore"], self.clock.training_steps, False)
        explore = self.experiment.exploration
        self.explorer, actions = explore(self.explorer, self.propose, space, self.count, moment)
        return actions

    def exploring(self) -> float:
        """How much is explored now, for people to watch."""
        return float(self.experiment.exploration.level(self.explorer, self.clock.training_steps))

    def open(self, envs: Array) -> None:
        """Open an episode in each of `envs`, seeded from the stream ``episodes``."""
        seeds = self.streams["episodes"].integers(0, 2**31 - 1, len(envs))
        self.episodes.begin(envs, seeds)
        raw = self.environment.reset(envs.tolist(), seeds.tolist())
        if not self.raw:
            _as_promised(raw, self.pipelines.raw, spec_of(self.experiment.environment).name)
        seen = self.pipelines.observe(self.filters, raw, Rows(envs, first=True))
        self.raw, self.obs = _put(self.raw, envs, raw, self.count), _put(self.obs, envs, seen, self.count)

    def policy(self) -> Policy:
        """The greedy policy as it stands, on copies: using it changes nothing here."""
        return Policy(
            agent=self.experiment.agent,
            exploration=self.experiment.exploration,
            pipelines=self.pipelines,
            acting=self.acting,
            filters=_copied(self.filters),
            explorer=_copied(self.explorer),
            rng=self.streams["evaluation"],
            count=self.count,
        )

    def state(self) -> dict[str, Any]:
        """All of it, as nested plain data and arrays."""
        return {
            "clock": attrs.asdict(self.clock),
            "streams": self.streams.state(),
            "learner": self.learner.state(),
            "memory": self.memory.state(),
            "filters": _copied(self.filters),
            "explorer": _copied(self.explorer),
            "episodes": self.episodes.state(),
            "raw": dict(self.raw),
            "obs": dict(self.obs),
            "window": _copied(self.window),
            "tally": {"sums": self.tally.copy(), "count": self.tallied},
            "best": self.best,
            "done": self.done,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`: raises `BadCheckpoint` where the environment does not replay to what it showed."""
        self.clock = Clock(**state["clock"])
        self.streams.restore(state["streams"])
        self.learner.restore(state["learner"])
        self.memory.restore(state["memory"])
        self.filters, self.explorer = _copied(state["filters"]), _copied(state["explorer"])
        self.window = _copied(state["window"])
        self.episodes.restore(state["episodes"])
        self.raw, self.obs = state["raw"], state["obs"]
        self.tally, self.tallied = state["tally"]["sums"].copy(), state["tally"]["count"]
        self.best, self.done = state["best"], state["done"]
        self._load_acting()
        self._replay()

    def _replay(self) -> None:
        shown = self.episodes.replay(self.environment) if self.raw else {}
        for name, values in self.raw.items():
            if not np.array_equal(shown[name], values, equal_nan=True):
                raise BadCheckpoint(
                    f"the environment does not replay: observation '{name}' differs after the same seed and actions, "
                    "so the run cannot continue exactly; start a new run"
                )

    def close(self) -> None:
        self.environment.close()


def _learner(experiment: Experiment, spaces: Spaces, layout: Layout, streams: Streams) -> StatefulLearner:
    facts = spec_of(experiment.agent).facts
    plans = {
        name: NetworkPlan(spec=spec, embedders=experiment.network.embedders, middleware=experiment.network.middleware,
                          heads={slot: experiment.network.heads[slot] for slot in spec.slots})
        for name, spec in experiment.agent.networks(spaces).items()
    }  # fmt: skip
    named, there = set(experiment.network.embedders), set(spaces.observation)
    if named != there:
        odd = min(named ^ there)
        what = f"embeds '{odd}', which is not observed" if odd in named else f"has no embedder for observation '{odd}'"
        raise Mismatch(f"the network {what}; observations: {', '.join(sorted(there))}", where="agent.network.embedders")
    problem = Problem(
        agent=experiment.agent,
        networks=plans,
        spaces=spaces,
        layout=layout,
        settings=experiment.learner,
        executor=facts.get("executor", "small"),
        weighted=bool(spec_of(experiment.memory).facts.get("weighted")),
        seed=int(streams["network"].integers(0, 2**31 - 1)),
    )
    return experiment.engine.make(problem)


def _as_promised(raw: Obs, spaces: Spaces, name: str) -> None:
    """Refuse an environment whose first observations are not what its spaces say; raises `BadData`."""
    for key, space in spaces.observation.items():
        if key not in raw:
            raise BadData(f"observation '{key}' is missing from what it shows; it shows {sorted(raw)}", where=name)
        if raw[key].shape[1:] != space.shape:
            raise BadData(
                f"observation '{key}' has shape {raw[key].shape[1:]}, its space says {space.shape}", where=name
            )


def _put(current: Obs, envs: Array, fresh: Obs, count: int) -> Obs:
    """`current` ``[N, ...]`` with the rows of `envs` replaced; never writes to what was handed out."""
    if len(envs) == count:
        return fresh
    merged = {}
    for name, values in fresh.items():
        merged[name] = current[name].copy()
        merged[name][envs] = values
    return merged


def _copied(state: State) -> State:
    """A state that shares no array with `state`."""
    if isinstance(state, dict):
        return {key: _copied(value) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(_copied(value) for value in state)
    return state.copy() if isinstance(state, np.ndarray) else state
