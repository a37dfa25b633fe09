"""Exploration policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from coach_bridge.defaults import made
from coach_bridge.schedules import Scale, schedule
from coach_bridge.things import Span, Thing, Word, take_all
from coach_bridge.work import Work, shown

_LINE = made("LinearSchedule", 0.5, 0.01, 50_000)
_MILLION = 1_000_000
_FALLING = made("LinearSchedule", 1.0, 0.01, _MILLION)
_STAIRS = made(
    "PieceWiseSchedule",
    [
        (made("LinearSchedule", 1.0, 0.1, _MILLION), Span(_MILLION, "steps")),
        (made("LinearSchedule", 0.1, 0.01, 4 * _MILLION), Span(4 * _MILLION, "steps")),
    ],
)
_BOX = ("BoxActionSpace", "BoxSpace")


def exploration(work: Work) -> dict[str, Any] | None:
    """The table [exploration]; None where the old policy has no successor, which is said."""
    line = work.agent.where("exploration")
    thing, usual = _chosen(work)
    if work.old.use == "sac":
        thing.take("noise_schedule")
        return {"use": "continuous-entropy"}
    name = thing.name.removesuffix("Parameters")
    if work.old.fresh and work.discrete is False and name in ("AdditiveNoise", "Categorical", "ContinuousEntropy"):
        return _by_network(work, thing)
    if name not in _KNOWN:
        take_all(thing)
        work.lost(line, f"exploration {name or shown(thing)}: there is no such policy yet - choose another")
        return None
    return _KNOWN[name](work, thing, usual)


def _chosen(work: Work) -> tuple[Thing, Thing]:
    """The policy the preset asks for, and where its defaults stand."""
    usual = work.old.exploration
    value = work.agent.take("exploration")
    if isinstance(value, dict):
        wanted = [one for key, one in value.items() if isinstance(key, Word) and (key.last in _BOX) != work.discrete]
        others = [one for one in value.values() if isinstance(one, Thing) and one not in wanted]
        for one in others:  # for the other sort of action space
            take_all(one)
        value = wanted[0] if wanted else None
    if not isinstance(value, Thing):
        return (usual, usual)
    if not value.name:
        value.name = usual.name
        return (value, usual)
    return (value, value)


def _field(thing: Thing, usual: Thing, name: str, default: Any) -> Any:
    return thing.take(name, default=usual.take(name, default=default))


def _by_network(work: Work, thing: Thing) -> dict[str, Any]:
    """On-policy agents drew with the network's own deviation, whatever the noise was set to."""
    if thing.given("noise_schedule"):
        thing.take("noise_schedule")
        work.note(thing.where("noise_schedule"), "noise_schedule had no effect: the policy has a deviation of its own")
    return {"use": "continuous-entropy"}


def _e_greedy(work: Work, thing: Thing, usual: Thing) -> dict[str, Any]:
    line = thing.where("epsilon_schedule")
    epsilon = schedule(work, _field(thing, usual, "epsilon_schedule", _LINE), line, Scale())
    out = {"use": "e-greedy"} if epsilon is None else {"use": "e-greedy", "epsilon": epsilon}
    out |= {"evaluation_epsilon": float(_field(thing, usual, "evaluation_epsilon", 0.05))}
    if work.discrete is False:
        inner = thing.inner("continuous_exploration_policy_parameters")
        out |= {key: value for key, value in _additive(work, inner, inner).items() if key != "use"}
    return out


def _of_heads(use: str, line: Thing) -> Callable[[Work, Thing, Thing], dict[str, Any] | None]:
    """A policy over several heads, an e-greedy besides; how many heads there are is told elsewhere."""

    def convert(work: Work, thing: Thing, usual: Thing) -> dict[str, Any] | None:
        if work.old.use != "bootstrapped-dqn":
            take_all(thing)
            work.lost(thing.line, f"exploration {use} looks at several heads - use it with agent bootstrapped-dqn")
            return None
        given, heads = _field(thing, usual, "epsilon_schedule", line), thing.take("architecture_num_q_heads")
        epsilon = schedule(work, given, thing.where("epsilon_schedule"), Scale())
        out = {"use": use, "epsilon": 0.0 if epsilon is None else epsilon}
        out["evaluation_epsilon"] = float(work.number(thing, "evaluation_epsilon", 0.05))
        if use == "ucb":
            out["bonus"] = float(work.number(thing, "lamb", 0.1))
        if heads is not None:
            where = thing.where("architecture_num_q_heads")
            work.note(where, "the number of heads is that of the head: agent.network.heads.q.heads")
        return out

    return convert


def _halved(work: Work, thing: Thing) -> float | None:
    """1 / half the action's range: from units of the action to the agent's own, -1 to 1."""
    if work.world is not None and work.world.half is not None:
        return 1 / work.world.half
    work.lost(
        thing.line or work.agent.line,
        "noise in units of the action: actions are from -1 to 1 here - divide it by half the range of the actions",
    )
    return None


def _additive(work: Work, thing: Thing, usual: Thing, use: str = "additive-noise") -> dict[str, Any]:
    relative = _field(thing, usual, "noise_as_percentage_from_action_space", default=True)
    factor = 1.0 if relative else _halved(work, thing) or 1.0
    given = _field(thing, usual, "noise_schedule", 0.1)
    deviation = schedule(work, given, thing.where("noise_schedule"), Scale(value=factor))
    out: dict[str, Any] = {"use": use, "deviation": 0.1 if deviation is None else deviation, "relative": bool(relative)}
    if thing.given("evaluation_noise"):
        out["evaluation_deviation"] = Scale(value=factor).of(work.number(thing, "evaluation_noise", 0.0))
        work.note(thing.where("evaluation_noise"), "evaluation_noise was never applied by the old system; now it is")
    return out


def _truncated(work: Work, thing: Thing, usual: Thing) -> dict[str, Any]:
    out = _additive(work, thing, usual, "truncated-normal")
    factor = _halved(work, thing) or 1.0
    for old, new, default in (("clip_low", "low", 0.0), ("clip_high", "high", 1.0)):
        out[new] = Scale(value=factor).of(work.number(thing, old, default))
    return out


def _ou(work: Work, thing: Thing, _usual: Thing) -> dict[str, Any]:
    factor = _halved(work, thing) or 1.0
    out: dict[str, Any] = {"use": "ou-process"}
    for place, (name, default) in enumerate((("mu", 0.0), ("theta", 0.15), ("sigma", 0.2), ("dt", 0.01))):
        value = float(work.number(thing, name, default, place))
        out[name] = Scale(value=factor).of(value) if name in ("mu", "sigma") else value
    return out


def _boltzmann(work: Work, thing: Thing, usual: Thing) -> dict[str, Any]:
    given = _field(thing, usual, "temperature_schedule", 1.0)
    heat = schedule(work, given, thing.where("temperature_schedule"), Scale())
    return {"use": "boltzmann", "temperature": 1.0 if heat is None else heat}


def _noisy(_work: Work, thing: Thing, _usual: Thing) -> dict[str, Any]:
    thing.take("agent_params", 0)  # it was made from the agent's parameters
    return {"use": "parameter-noise"}


def _bare(use: str) -> Callable[[Work, Thing, Thing], dict[str, Any]]:
    return lambda _work, _thing, _usual: {"use": use}


_KNOWN: Mapping[str, Callable[[Work, Thing, Thing], dict[str, Any] | None]] = {
    "EGreedy": _e_greedy,
    "AdditiveNoise": _additive,
    "TruncatedNormal": _truncated,
    "OUProcess": _ou,
    "Boltzmann": _boltzmann,
    "Bootstrapped": _of_heads("bootstrapped", _FALLING),
    "UCB": _of_heads("ucb", _STAIRS),
    "ParameterNoise": _noisy,
    "Greedy": _bare("greedy"),
    "Categorical": _bare("categorical"),
    "ContinuousEntropy": _bare("continuous-entropy"),
}
