"""From an experiment to the problem that an engine solves; where parts that do not fit are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from coachcore.component import spec_of
from coachcore.contracts.agent import NetworkPlan, NetworkSpec
from coachcore.contracts.engine import Problem
from coachcore.contracts.experiment import Experiment, NetworkParts
from coachcore.contracts.exploration import ExplorationPolicy
from coachcore.errors import Mismatch
from coachcore.layout import Layout
from coachcore.running.pipeline import Pipelines
from coachcore.spaces import Box, Spaces
from coachcore.types import Proposal

CARRY, FIRST = "carry", "first"
"""What a recurrent network is shown besides: what it remembers, and whether an episode begins."""
_ASKED = {
    "deviation": ("draws from the network's own deviation", "'additive-noise'"),
    "ensemble": ("looks at the values of several heads", "agent 'bootstrapped-dqn', or 'e-greedy'"),
}


def pipelines_of(experiment: Experiment, spaces: Spaces) -> Pipelines:
    """The filters of `experiment` bound to an environment's `spaces`, and actions in the units that its agent wants."""
    actions = spec_of(experiment.agent).facts.get("actions", ())
    return Pipelines.of(experiment.filters, spaces, unit="unit-box" in actions)


def plans_of(experiment: Experiment, spaces: Spaces) -> dict[str, NetworkPlan]:
    """Every network of the agent with the parts that the preset gives it; raises `Mismatch`."""
    given, single = experiment.networks, set(experiment.networks) == {"main"}
    plans = {}
    for name, spec in experiment.agent.networks(spaces).items():
        parts = given.get(name, NetworkParts())
        heads = {slot: parts.heads[slot] for slot in spec.slots if slot in parts.heads}
        plans[name] = NetworkPlan(
            spec=spec, embedders=parts.embedders, middleware=parts.middleware, heads=heads, settings=parts.settings
        )
        if not spec.free:
            _check(plans[name], spaces, "agent.network" if single else f"agent.networks.{name}")
    if len(plans) > 1 and any(carried(plan) for plan in plans.values()):
        raise Mismatch("a recurrent middleware needs an agent of one network", where="agent.networks")
    return plans


def carried(plan: NetworkPlan) -> int:
    """How many numbers a network remembers between steps, in all its torsos; 0 unless its middleware is recurrent."""
    torsos = len(plan.heads) if plan.settings.torso == "separate" else 1
    return int(getattr(plan.middleware, "carry", 0)) * torsos


def remembering(spaces: Spaces, plans: Mapping[str, NetworkPlan]) -> Spaces:
    """`spaces` with what a recurrent network is shown besides."""
    size = sum(carried(plan) for plan in plans.values())
    if not size:
        return spaces
    taken = {CARRY, FIRST} & set(spaces.observation)
    if taken:
        raise Mismatch(f"a recurrent network needs the name '{min(taken)}' for itself; rename the observation")
    more = {CARRY: Box((size,)), FIRST: Box((), 0.0, 1.0)}
    return Spaces(observation={**spaces.observation, **more}, action=spaces.action, reward=spaces.reward)


def problem_of(experiment: Experiment, plans: Mapping[str, NetworkPlan], spaces: Spaces, seed: int) -> Problem:
    """What the engine is asked to learn; `spaces` as the network sees them."""
    facts, data = spec_of(experiment.agent).facts, experiment.agent.data(spaces)
    return Problem(
        agent=experiment.agent,
        networks=plans,
        spaces=spaces,
        layout=Layout.of(spaces, data.keep + data.drawn, fresh=data.fresh),
        settings=experiment.learner,
        executor=executor_for(facts.get("executor", "small"), spaces),
        weighted=bool(spec_of(experiment.memory).facts.get("weighted")),
        sequence=experiment.learner.sequence if CARRY in spaces.observation else 1,
        seed=seed,
    )


def check_exploration(part: ExplorationPolicy, program: Mapping[str, Any], propose: Callable[[], Proposal]) -> None:
    """Raise `Mismatch` where an exploration policy asks for what the acting network does not give."""
    spec = spec_of(part)
    if spec.facts.get("noisy") and program and not program.get("noise"):
        message = f"'{spec.name}' explores by noisy layers, and this network has none - give a head noisy = true"
        raise Mismatch(f"{message}, or choose another policy", where="exploration")
    asked = spec.facts.get("asks")
    if asked in _ASKED and getattr(propose(), asked) is None:
        looks, instead = _ASKED[asked]
        message = f"'{spec.name}' {looks}, and this agent's network gives none"
        raise Mismatch(f"{message} - use {instead}", where="exploration")


def executor_for(declared: str, spaces: Spaces) -> str:
    """How the engine should run an update: pictures make any agent's one of convolutions, and a loop over time
    takes XLA on the CPU half a minute to compile."""
    if any(len(space.shape) == 3 for space in spaces.observation.values()):  # height, width, channels
        return "conv"
    return "twin" if declared == "small" and CARRY in spaces.observation else declared


def _check(plan: NetworkPlan, spaces: Spaces, where: str) -> None:
    _check_inputs(plan.spec, plan.embedders, spaces, where)
    for slot, wanted in plan.spec.slots.items():
        if slot not in plan.heads:
            raise Mismatch(f"slot '{slot}' needs a head that provides {wanted}", where=f"{where}.heads")
        head = getattr(plan.heads[slot], "__coach__", None)
        provides = head.facts.get("provides", wanted) if head else wanted
        if head and provides != wanted:
            actions = "discrete actions" if not isinstance(spaces.action, Box) else "a box of actions"
            message = f"head '{head.name}' provides {provides}, but {actions} here need {wanted}"
            raise Mismatch(message, where=f"{where}.heads.{slot}")


def _check_inputs(spec: NetworkSpec, embedders: Mapping[str, Any], spaces: Spaces, where: str) -> None:
    named, there = set(embedders), {*spaces.observation, *spec.inputs}
    if named != there:
        odd = min(named ^ there)
        what = f"embeds '{odd}', which is not observed" if odd in named else f"has no embedder for '{odd}'"
        raise Mismatch(f"the network {what}; inputs: {', '.join(sorted(there))}", where=f"{where}.embedders")
