"""The loop: steps in, events out. Nothing here prints, logs or calls a hook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from coachcore.clock import Duration
from coachcore.component import spec_of
from coachcore.errors import BadData
from coachcore.events import Event
from coachcore.running.evaluate import evaluate
from coachcore.running.machine import Machine
from coachcore.running.rhythm import Every
from coachcore.types import Array, Sample, Step, Trained

_LARGE = 1_000  # steps collected at most between two looks at `paused`
_LISTED = 8  # rows that a message names


def train(machine: Machine) -> Iterator[Event]:
    """Run `machine` to its end, event by event.

    The machine is whole at every ``pause`` (one falls due with each checkpoint,
    or soon after `machine.paused` is set); going on from its state there gives
    the same events and weights as never having stopped.
    """
    schedule, clock = machine.experiment.schedule, machine.clock
    if not machine.obs:
        machine.begin()
        yield _event(machine, "run-start", _description(machine))
    learn, evaluation, report, pause = (
        Every(duration, clock)
        for duration in (
            machine.experiment.learner.train_every,
            schedule.evaluate.every,
            schedule.report_every,
            machine.experiment.checkpoint.every,
        )
    )
    rhythms = (learn, evaluation, report, pause)
    while not machine.done:
        yield from collect(machine, _chunk(machine, rhythms))
        if learn.due(clock) and clock.training_steps:
            learn_once(machine)
        if report.due(clock) and machine.lessons.any:
            yield _report(machine)
        if evaluation.due(clock) and clock.training_steps:
            yield from _evaluated(machine)
        if not machine.done and clock.count(schedule.train.unit) >= schedule.train.amount:
            machine.done = "finished"
        if not machine.done and (pause.due(clock) or machine.paused):
            yield _event(machine, "pause", {})
    yield _event(machine, "run-end", {"reason": machine.done, "best": machine.best})


def collect(machine: Machine, steps: int) -> list[Event]:
    """`steps` steps of all N environments into the memory; an event for every episode that ended."""
    events: list[Event] = []
    heating = _heating(machine)
    clock, count, rows, pipelines = machine.clock, machine.count, machine.rows, machine.pipelines
    for _ in range(steps):
        actions = machine.choose(heating=heating)
        applied = pipelines.applied(machine.filters, actions, rows)
        after = machine.environment.step(applied)
        raw, rewards = after.obs, pipelines.rewarded(machine.filters, after.reward, rows)
        seen = pipelines.observe(machine.filters, raw, rows)
        seen = machine.actor.after(seen)
        if seen is not raw:
            after = after._replace(obs=seen)
        _remember(machine, actions, rewards, after)
        machine.episodes.note(applied, after.reward)
        if not machine.episodes.sound:
            raise _bad_reward(machine, after.reward)
        clock.steps += count
        if heating:
            clock.heatup_steps = clock.steps
        machine.raw, machine.obs = raw, seen
        ended = after.terminated | after.truncated
        if np.count_nonzero(ended):
            events.extend(_closed(machine, np.flatnonzero(ended), heating=heating, lost=after.lost))
    return events + _news(machine, machine.environment)


def _remember(machine: Machine, actions: Array, rewards: Array, after: Step) -> None:
    """One step of all environments into the memory, or towards a rollout where rows are used once."""
    actor = machine.actor
    if actor.fresh:
        if machine.window is None:
            machine.window = machine.advantages.init(machine.obs, actions)
        kept = actor.kept(actions)
        machine.window = machine.advantages(machine.window, machine.obs, actions, rewards, after, kept, actor.value_of)
        return
    if machine.window is None:
        machine.window = machine.accumulate.init(machine.obs, actions)
    machine.window, columns = machine.accumulate(machine.window, machine.obs, actions, rewards, after)
    if columns is not None:
        rng, rows = machine.streams["drawn"], len(columns["action"])
        drawn = {column.name: rng.random((rows, *column.shape), np.float32) for column in machine.drawn}
        machine.memory.add({**columns, **drawn} if drawn else columns)


def learn_once(machine: Machine) -> None:
    """The updates of one turn, in as few compiled calls as the settings allow."""
    settings, memory = machine.experiment.learner, machine.memory
    if machine.actor.fresh:
        machine.window, columns = machine.advantages.close(machine.window, machine.actor.value_of(machine.obs))
        memory.add(columns)
    if not len(memory):
        return
    left, step = settings.updates, machine.clock.now
    if machine.actor.fresh:
        left = settings.epochs * (len(memory) // settings.batch_size)
    rate = settings.learning_rate(step)
    while left:
        calls = min(left, settings.updates_per_call or left)
        drawn = memory.sample(machine.streams["memory"], calls, settings.batch_size, step)
        sample = machine.pipelines.show_sample(machine.filters, drawn, machine.layout)
        trained = machine.lessons.train(sample, rate, step)
        if np.isinf(trained.metrics).any():
            raise _bad_loss(machine, trained, sample)
        memory.learned(sample.rows, trained.priority)
        machine.actor.refresh(trained.weights)
        machine.lessons.note(trained, calls)
        machine.clock.updates += calls
        machine.clock.train_calls += 1
        left -= calls


def _heating(machine: Machine) -> bool:
    heatup: Duration = machine.experiment.schedule.heatup
    return machine.clock.count(heatup.unit) < heatup.amount


def _chunk(machine: Machine, rhythms: tuple[Every, ...]) -> int:
    """How many steps may pass before anything can fall due, at least one."""
    clock, schedule = machine.clock, machine.experiment.schedule
    left = min(rhythm.steps_left(clock, _LARGE) for rhythm in rhythms)
    for duration in (schedule.train, schedule.heatup):
        ahead = duration.amount - clock.count(duration.unit)
        if ahead > 0:
            left = min(left, ahead if duration.unit == "steps" else 1)
    return max(1, min(_LARGE, -(-left // machine.count)))


def _closed(machine: Machine, envs: Any, *, heating: bool, lost: Array | None) -> list[Event]:
    """Episode events for `envs` ``[M]``, and a new episode opened in each."""
    events, open_ones = [], machine.episodes
    for env in envs.tolist():
        machine.clock.episodes += 1
        machine.clock.heatup_episodes += heating
        never = lost is not None and bool(lost[env])
        data = {
            "return": float(open_ones.returns[env]),
            "length": open_ones.length(env) - never,
            "env": env,
            "exploration": 1.0 if heating else machine.exploring(),
            "phase": "heat-up" if heating else "training",
        }
        events.append(_event(machine, "episode", data | ({"lost": True} if never else {})))
    machine.open(envs)
    return events


def _bad_reward(machine: Machine, rewards: Any) -> BadData:
    env = int(np.flatnonzero(~np.isfinite(machine.episodes.returns))[0])
    name = spec_of(machine.experiment.world).name
    what = "the return overflowed, its last reward" if np.isfinite(rewards[env]) else "the reward"
    return BadData(
        f"{what} is {rewards[env]} after step {machine.clock.steps} - mend the environment; "
        "what was saved before is whole",
        where=f"{name}, environment {env}",
    )


def _bad_loss(machine: Machine, trained: Trained, sample: Sample) -> BadData:
    """Raised before anything learned from it is used or saved; says which head and which rows."""
    if not np.isfinite(sample.packed).all():
        name = spec_of(machine.experiment.world).name
        what = "an observation or a reward in the memory is not a number - mend the environment or a filter"
        return BadData(f"{what}; what was saved before is whole", where=name)
    wrong = [name for name, value in zip(machine.learner.metric_names, trained.metrics, strict=True) if np.isinf(value)]
    return BadData(
        f"the loss{_heads_of(machine, wrong)} is no finite number{_rows_of(trained)} at step {machine.clock.steps} - "
        "lower agent.learner.learning_rate or set agent.learner.gradient_clip; what was saved before is whole"
    )


def _heads_of(machine: Machine, wrong: list[str]) -> str:
    """Whose loss it was, in words: the heads that are told apart, else all of the first network concerned."""
    heads = [name.removesuffix("_loss") for name in wrong if name.endswith("_loss")]
    network, _, metric = wrong[0].rpartition(".")
    if not heads and metric == "loss":
        agent = machine.experiment.agent
        spec = agent.networks(machine.spaces)[network or agent.updates()[0].moves]
        heads = [f"{network}.{slot}" if network else slot for slot in (*spec.slots, *spec.free)]
    return f" of {', '.join(heads)}" if heads else f" ({wrong[0]})"


def _rows_of(trained: Trained) -> str:
    """Which rows spoiled a loss, in words; empty where only their sum overflowed."""
    spoiled = np.argwhere(np.isnan(trained.priority))  # [rows, 2]: minibatch and row
    if not len(spoiled):
        return ""
    call = int(spoiled[0, 0])
    rows = spoiled[spoiled[:, 0] == call, 1].tolist()
    listed = ", ".join(map(str, rows[:_LISTED])) + (" ..." if len(rows) > _LISTED else "")
    return f" in rows {listed} of minibatch {call}"


def _report(machine: Machine) -> Event:
    rate = float(machine.experiment.learner.learning_rate(machine.clock.now))
    numbers = machine.lessons.report()
    return _event(machine, "report", {**numbers, "learning_rate": rate, "exploration": machine.exploring()})


def _news(machine: Machine, environment: Any) -> list[Event]:
    """What an environment has to tell of its simulators, where it tells such things."""
    news = getattr(environment, "news", None)
    return [_event(machine, "simulator", dict(told)) for told in news()] if news else []


def _evaluated(machine: Machine) -> list[Event]:
    """A greedy evaluation in an environment of its own; notes the best, and stops the run at the target."""
    schedule, part = machine.experiment.schedule, machine.experiment.environment
    environment = getattr(part, "evaluation", part).make(machine.count)
    try:
        seeds = machine.streams["evaluation"].integers(0, 2**31 - 1, schedule.evaluate.episodes)
        score = evaluate(machine.policy(), environment, seeds.tolist())
    finally:
        environment.close()
    is_best = machine.best is None or score.mean > machine.best
    if is_best:
        machine.best = score.mean
    if schedule.target is not None and score.mean >= schedule.target:
        machine.done = "target reached"
    events = _news(machine, environment)
    return [*events, _event(machine, "evaluation", {**score.summary(), "best": is_best})]


def _description(machine: Machine) -> dict[str, Any]:
    experiment = machine.experiment
    return {
        "preset": experiment.name,
        "seed": experiment.seed,
        "agent": spec_of(experiment.agent).name,
        "environment": spec_of(experiment.world).name,
        "environments": experiment.environments,
    }


def _event(machine: Machine, kind: str, data: dict[str, Any]) -> Event:
    clock = machine.clock
    return Event(kind, clock.steps, clock.episodes, clock.updates, data)
