"""Everything that changes in a run, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from coachcore.clock import Clock
from coachcore.component import spec_of
from coachcore.contracts.experiment import Experiment
from coachcore.errors import BadCheckpoint, BadData, Mismatch
from coachcore.rng import Streams
from coachcore.running.accumulate import NStep
from coachcore.running.actor import Actor
from coachcore.running.advantage import Advantages
from coachcore.running.episodes import OpenEpisodes
from coachcore.running.lessons import Lessons
from coachcore.running.policy import Policy
from coachcore.running.problem import carried, check_exploration, pipelines_of, plans_of, problem_of, remembering
from coachcore.spaces import Spaces
from coachcore.types import Array, Moment, Obs, Proposal, Rows, State


class Machine:
    """The parts of an experiment set up to run; whatever is not in `state` may not change.

    Building it makes the environment, the networks and an empty memory, and is
    where parts that do not fit each other are refused (`Mismatch`).
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment, agent = experiment, experiment.agent
        self.count = experiment.environments
        self.environment = experiment.environment.make(self.count)
        self.pipelines = pipelines_of(experiment, self.environment.spaces)
        self.streams = Streams(experiment.seed)
        self.clock = Clock()
        plans = plans_of(experiment, self.pipelines.spaces)
        self.spaces = remembering(self.pipelines.spaces, plans)
        data, carry = agent.data(self.spaces), sum(carried(plan) for plan in plans.values())
        fresh, self.drawn = data.fresh, data.drawn
        _check_heatup(experiment, fresh=fresh)
        problem = problem_of(experiment, plans, self.spaces, int(self.streams["network"].integers(0, 2**31 - 1)))
        self.learner = experiment.engine.make(problem)
        self.actor = Actor(agent, self.learner, self.streams, fresh=fresh, carry=carry)
        self.lessons = Lessons(agent, self.learner)
        discount, n_step = getattr(agent, "discount", 0.99), getattr(agent, "n_step", 1)
        episodes = bool(spec_of(experiment.memory).facts.get("episodes"))  # such a memory joins steps itself
        joined = {"n_step": n_step, "discount": discount} if episodes else {}
        self.memory = experiment.memory.make(problem.layout, self.count, problem.sequence, **joined)
        self.accumulate = NStep(1 if episodes else n_step, discount, episodes)
        self.advantages = Advantages(discount, getattr(agent, "gae_lambda", 1.0))
        self.filters, self.layout = self.pipelines.init(self.count), problem.layout
        if self.pipelines.shown:
            self.actor.show = lambda obs: self.pipelines.show(self.filters, obs)
        self.explorer = experiment.exploration.init(self.spaces.action, self.count)
        self.episodes = OpenEpisodes(self.count)
        self.rows = Rows(np.arange(self.count), first=False)
        self.raw: Obs = {}  # what the environment last said
        self.obs: Obs = {}  # the same, filtered: what the agent acts on
        self.window: State = None
        self.first: Array | None = None  # [N] bool, whose episode begins with the next action; None: nobody's
        self.best: float | None = None  # best mean return of an evaluation
        self.done = ""  # why the run is over, when it is
        self.paused = False  # set from outside (a signal, a timer): the loop yields a pause soon
        check_exploration(experiment.exploration, self.learner.acting()[0], self._imagined)

    def _imagined(self) -> Proposal:
        """What the agent would like to do if it saw nothing but zeros."""
        seen = {name: np.zeros((self.count, *s.shape), s.dtype) for name, s in self.spaces.observation.items()}
        return self.experiment.agent.propose(self.actor.acting(seen))

    def begin(self) -> None:
        """What a run does once, before its first step: fill the memory where its settings say so, open episodes."""
        fill = getattr(self.memory, "fill", None)
        if fill is not None:
            fill(self.accumulate.discount)
        self.open(np.arange(self.count))

    def choose(self, *, heating: bool) -> Array:
        """Actions ``[N, ...]`` in the agent's space: uniform in heat-up, then the exploration policy's."""
        space, first, self.first = self.spaces.action, self.first, None
        proposal = self.actor.think(self.obs) if self.actor.eager else None
        if heating:
            return space.sample(self.streams["heatup"], self.count)
        moment = Moment(self.streams["explore"], self.clock.now, False, first)
        explore = self.experiment.exploration
        propose = (lambda: self.actor.propose(self.obs)) if proposal is None else lambda: proposal
        self.explorer, actions = explore(self.explorer, propose, space, self.count, moment)
        return actions

    def exploring(self) -> float:
        """How much is explored now, for people to watch."""
        return float(self.experiment.exploration.level(self.explorer, self.clock.now))

    def open(self, envs: Array) -> None:
        """Open an episode in each of `envs`, seeded from the stream ``episodes``."""
        seeds = self.streams["episodes"].integers(0, 2**31 - 1, len(envs))
        self.episodes.begin(envs, seeds)
        raw = self.environment.reset(envs.tolist(), seeds.tolist())
        if not self.raw:
            _as_promised(raw, self.pipelines.raw, spec_of(self.experiment.world).name)
        seen = self.pipelines.observe(self.filters, raw, Rows(envs, first=True))
        seen = self.actor.opening(seen, len(envs))
        self.raw, self.obs = _put(self.raw, envs, raw, self.count), _put(self.obs, envs, seen, self.count)
        self.first = self.episodes.unplayed

    def policy(self) -> Policy:
        """The greedy policy as it stands, on copies: using it changes nothing here."""
        return Policy(
            agent=self.experiment.agent,
            exploration=self.experiment.exploration,
            pipelines=self.pipelines,
            acting=self.actor.acting,
            filters=_copied(self.filters),
            explorer=_copied(self.explorer),
            rng=self.streams["evaluation"],
            count=self.count,
            carry=self.actor.carry,
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
            "lessons": _copied(self.lessons.state()),
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
        self.first = self.episodes.unplayed
        self.raw, self.obs = state["raw"], state["obs"]
        self.lessons.restore(_copied(state["lessons"]))
        self.best, self.done = state["best"], state["done"]
        self.actor.load()
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


def _check_heatup(experiment: Experiment, *, fresh: bool) -> None:
    if fresh and experiment.schedule.heatup.amount:
        name = spec_of(experiment.agent).name
        raise Mismatch(f'{name} learns from its own actions only - set heatup = "0 steps"', where="schedule.heatup")


def _as_promised(raw: Obs, spaces: Spaces, name: str) -> None:
    """Refuse an environment whose first observations are not what its spaces say; raises `BadData`."""
    for key, space in spaces.observation.items():
        if key not in raw:
            raise BadData(f"observation '{key}' is missing from what it shows; it shows {sorted(raw)}", where=name)
        if raw[key].shape[1:] != space.shape:
            raise BadData(
                f"observation '{key}' has shape {raw[key].shape[1:]}, its space says {space.shape}", where=name
            )
        if space.dtype == "uint8" and raw[key].dtype != np.uint8:
            raise BadData(f"observation '{key}' holds {raw[key].dtype}, its space says bytes (uint8)", where=name)


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
