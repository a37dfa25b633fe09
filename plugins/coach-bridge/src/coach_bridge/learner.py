"""How batches become weights: optimizers, rhythms and target copies."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from coach_bridge.defaults import ALGORITHM, NETWORK
from coach_bridge.things import Span, Thing, Word, take_all
from coach_bridge.work import Work, shown

_OPTIMIZERS = {"Adam": "adam", "RMSProp": "rmsprop", "LBFGS": "lbfgs"}
_CLIPS = {"ClipByGlobalNorm": "global-norm", "ClipByNorm": "norm", "ClipByValue": "value"}
_MACHINERY = (
    "force_cpu",
    "async_training",
    "shared_optimizer",
    "scale_down_gradients_by_number_of_workers_for_sync_training",
    "create_target_network",
    "should_get_softmax_probabilities",
    "framework",
)
_FACTORED = "learning_rate"


def learner(work: Work, tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The table [agent.learner]; factors of learning rates go into the `tables` of networks."""
    wrappers = work.agent.inner("network_wrappers")
    found = {name: _network(work, wrappers.inner(name), name) for name in work.old.networks if name != "v"}
    _value_network(work, wrappers)
    first = found[next(reversed(found))]
    for name, settings in found.items():
        _compare(work, (name, wrappers.inner(name)), settings, first, tables)
    return first | _rhythm(work, first["batch_size"]) | ({} if work.old.fresh else _targets(work))


def _network(work: Work, thing: Thing, name: str) -> dict[str, Any]:
    """What one network's parameters say of its optimizer."""
    usual: Mapping[str, Any] = {**NETWORK, **work.old.networks[name]}
    take = {key: work.number(thing, key, usual[key]) for key in (*_NUMBERS, "rms_prop_optimizer_decay")}
    out: dict[str, Any] = {new: take[old] for old, new in _NUMBERS.items()}
    optimizer = thing.take("optimizer_type", default="Adam")
    out["optimizer"] = _OPTIMIZERS.get(optimizer, "adam")
    if optimizer not in _OPTIMIZERS:
        work.lost(thing.where("optimizer_type"), f"optimizer {shown(optimizer)} is not known - Adam is used")
    if out["optimizer"] == "rmsprop":
        out |= {"beta1": 0.0, "beta2": take["rms_prop_optimizer_decay"]}
    clip = work.number(thing, "clip_gradients", usual["clip_gradients"])
    method = thing.take("gradients_clipping_method")
    if clip:
        out["gradient_clip"] = float(clip)
        by = _CLIPS.get(method.last if isinstance(method, Word) else "", "global-norm")
        out |= {"gradient_clip_by": by} if by != "global-norm" else {}
    rate = work.number(thing, "learning_rate_decay_rate", 0)
    if rate:
        what = 'it falls in stairs, which no schedule does - use learning_rate = { use = "exponential", ... }'
        work.lost(thing.where("learning_rate_decay_rate"), f"learning_rate_decay_rate = {rate}: {what}")
        thing.take("learning_rate_decay_steps")
    for key in _MACHINERY:
        if thing.given(key):
            thing.take(key)
            work.note(thing.where(key), f"{key} was about workers and devices; there is nothing to set")
    work.unless(thing, "softmax_temperature", 1, "there is no softmax of values - leave it out")
    return out


_NUMBERS = {
    "learning_rate": "learning_rate",
    "batch_size": "batch_size",
    "adam_optimizer_beta1": "beta1",
    "adam_optimizer_beta2": "beta2",
    "optimizer_epsilon": "epsilon",
}


def _value_network(work: Work, wrappers: Thing) -> None:
    """SAC's network of state values: today its critics have targets instead."""
    given = wrappers.given("v")
    if given is None or work.known is None or work.old.use != "sac":
        return
    take_all(given.value)
    work.note(
        given.line, "SAC has no network 'v' any more: its critics have slow copies instead, as in arXiv:1812.05905"
    )


def _compare(
    work: Work,
    one: tuple[str, Thing],
    settings: dict[str, Any],
    first: dict[str, Any],
    tables: dict[str, dict[str, Any]],
) -> None:
    """One learner serves all networks; only learning rates may differ."""
    name, thing = one
    table = tables.get(work.old.names.get(name, ""))
    factor = settings["learning_rate"] / (first["learning_rate"] or 1.0)
    several = len(set(work.old.names.values())) > 1
    if factor != 1 and several and table is not None:
        table["learning_rate_factor"] = float(f"{factor:.12g}")
    for key, value in settings.items():
        if value != first.get(key) and not (key == _FACTORED and several):
            line = thing.where(key) or work.agent.line
            work.lost(line, f"{key} of network '{name}': one learner serves all networks - {first.get(key)} is used")


def _algorithm(work: Work, name: str) -> Any:
    usual = {**ALGORITHM, **work.old.algorithm}
    return work.agent.inner("algorithm").take(name, default=usual.get(name))


def playing(work: Work) -> Span:
    """How much is played between two times of training."""
    given = Span.of(_algorithm(work, "num_consecutive_playing_steps"))
    if given is None or given.unit == "training" or given.amount < 1:
        line = work.agent.inner("algorithm").where("num_consecutive_playing_steps")
        work.lost(line, "num_consecutive_playing_steps: training goes with playing here - 1 step is used")
        return Span(1, "steps")
    return given


def updates(work: Work) -> int:
    """Updates each time."""
    return int(work.number(work.agent.inner("algorithm"), "num_consecutive_training_steps", 1))


def _rhythm(work: Work, batch: int) -> dict[str, Any]:
    algorithm = work.agent.inner("algorithm")
    if work.old.use == "a2c":
        return _segments(work, algorithm)
    span, batch = playing(work), max(1, batch)
    if not work.old.fresh:
        out: dict[str, Any] = {"train_every": text(span)}
        return out | ({"updates": updates(work)} if updates(work) != 1 else {})
    take_all(algorithm.take("num_steps_between_copying_online_weights_to_target"))  # the old policy lies in each row
    algorithm.take("rate_for_copying_weights_to_target")
    length = max(batch, round(span.amount / batch) * batch)
    if span.unit != "steps":
        length = max(batch, round(2048 / batch) * batch)
        line = algorithm.where("num_consecutive_playing_steps")
        work.lost(line, f"rollouts have one length, not a number of episodes - {length} steps are used")
    elif length != span.amount:
        line = algorithm.where("num_consecutive_playing_steps") or work.agent.line
        work.note(line, f"{span.amount} steps do not come out even in minibatches of {batch}; {length} are used")
    epochs = work.number(algorithm, "optimization_epochs", work.old.algorithm["optimization_epochs"])
    return {"train_every": f"{length} steps", "epochs": int(epochs)}


def _segments(work: Work, algorithm: Thing) -> dict[str, Any]:
    """A3C: a rollout is what lay between two gradients."""
    name = "num_steps_between_gradient_updates"
    length = work.number(algorithm, name, work.old.algorithm[name])
    if length > 4096:
        work.lost(
            algorithm.where(name) or work.agent.line,
            f"{name} = {length}: rollouts of whole episodes are not there - 2048 steps are used",
        )
        length = 2048
    every = work.number(algorithm, "apply_gradients_every_x_episodes", 5)
    work.lost(
        algorithm.where("apply_gradients_every_x_episodes") or work.agent.line,
        f"apply_gradients_every_x_episodes = {every}: gradients are not added up over episodes - each rollout is an "
        "update here; a lower learning_rate or a longer train_every comes near",
    )
    work.note(work.agent.line, "asynchronous workers are environments side by side here: set environment.count")
    return {"train_every": f"{length} steps", "batch_size": int(length), "sequence": int(length), "epochs": 1}


def _targets(work: Work) -> dict[str, Any]:
    """Target copies are counted in updates: so many steps hold so many."""
    algorithm = work.agent.inner("algorithm")
    name = "num_steps_between_copying_online_weights_to_target"
    given, play = Span.of(_algorithm(work, name)), playing(work)
    line = algorithm.where(name) or work.agent.line
    usual = {**ALGORITHM, **work.old.algorithm}["rate_for_copying_weights_to_target"]
    rate = float(work.number(algorithm, "rate_for_copying_weights_to_target", usual))
    out: dict[str, Any] = {"target_rate": rate} if rate != 1 else {}
    if given is None or (given.unit == "steps" and play.unit != "steps") or given.unit == "episodes":
        work.lost(line, f"{name}: it cannot be counted in updates - say so in target_every")
        return out
    amount = given.amount if given.unit == "training" else given.amount * updates(work) / play.amount
    if amount != ceil(amount):
        work.note(line, f"{given.amount} steps are {amount:g} updates; the target is copied every {ceil(amount)}")
    return {"target_every": f"{max(1, ceil(amount))} updates"} | out


def text(span: Span) -> str:
    """A duration as presets write it; a training step went with each step of the environment."""
    return f"{span.amount} {'steps' if span.unit == 'training' else span.unit}"
