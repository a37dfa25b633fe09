"""How long each phase lasts, what is written down, and what the preset is proven to reach."""

from __future__ import annotations

from typing import Any

from coach_bridge.defaults import made
from coach_bridge.learner import text
from coach_bridge.things import Span, Thing, Word
from coach_bridge.work import Work

_FOREVER = 10**9


def schedule(work: Work) -> dict[str, Any]:
    """The table [schedule]; an old training step went with each step of the environment."""
    thing = work.schedule
    simple = thing.name.startswith("SimpleSchedule")
    usual = {"improve_steps": Span(10**10, "training")} if simple or not thing.name else {}
    heatup = _span(work, thing, "heatup_steps", Span(0, "steps"))
    if heatup.amount and work.known is not None and work.old.fresh:
        work.lost(thing.where("heatup_steps"), "heat-up: this agent learns from its own actions only - it has none")
        heatup = Span(0, "steps")
    improve = _span(work, thing, "improve_steps", usual.get("improve_steps", Span(10**10, "training")), 0)
    every = _span(work, thing, "steps_between_evaluation_periods", Span(50, "episodes"), 1 if simple else None)
    each = _span(work, thing, "evaluation_steps", Span(5, "episodes"), 2 if simple else None)
    if improve.amount >= _FOREVER:
        work.note(thing.where("improve_steps", 0), "it trains without end: stop it with Ctrl-C, or set schedule.train")
    whole = Span(improve.amount, "steps" if improve.unit == "training" else improve.unit)
    if heatup.unit == whole.unit:
        whole = Span(whole.amount + heatup.amount, whole.unit)  # heat-up counts here, and did not there
    episodes = max(1, each.amount)
    if each.amount == 0:
        every = whole
        work.note(thing.where("evaluation_steps", 2), "it never evaluated; here it does so once, at the end")
    elif each.unit != "episodes":
        episodes = 10
        line = thing.where("evaluation_steps", 2)
        work.lost(line, f"evaluation of {text(each)}: evaluations have a number of episodes - {episodes} are used")
    return {
        "heatup": text(heatup),
        "train": text(whole),
        "evaluate": {"every": text(every), "episodes": episodes},
    }


def _span(work: Work, thing: Thing, name: str, usual: Span, position: int | None = None) -> Span:
    given = thing.take(name, position, usual)
    found = Span.of(given)
    if found is None:
        work.lost(thing.where(name, position), f"{name} cannot be read as steps or episodes - {text(usual)} are used")
        return usual
    return Span(max(1, found.amount), found.unit) if name not in ("heatup_steps", "evaluation_steps") else found


def atari_schedule(line: int) -> Thing:
    """The schedule that the old system's Atari module came with."""
    thing = made(
        "ScheduleParameters",
        improve_steps=Span(50_000_000, "steps"),
        steps_between_evaluation_periods=Span(250_000, "steps"),
        evaluation_steps=Span(135_000, "steps"),
        heatup_steps=Span(50_000, "steps"),
    )
    thing.line = line
    for given in thing.fields.values():
        given.line = line
    return thing


_SHOWN = {"tensorboard": "tensorboard", "dump_gifs": "video", "dump_mp4": "video", "dump_csv": "csv"}


def recorders(work: Work) -> list[dict[str, Any]]:
    """The tables [[recorders]]; nothing where the usual ones do."""
    wanted: dict[str, dict[str, Any]] = {}
    for thing in (work.visualization, work.agent.inner("visualization")):
        for name, use in _SHOWN.items():
            if thing.take(name) is True:
                wanted[use] = {"use": use} | ({"format": "mp4"} if name == "dump_mp4" else {})
        for name, given in thing.fields.items():
            if not given.taken and not name.startswith("#"):
                given.taken = True
                work.note(given.line, f"{name}: events are written to events.jsonl; there is nothing to set")
    return [{"use": "jsonl"}, {"use": "terminal"}, *wanted.values()] if wanted else []


_TESTS = ("test", "num_workers", "reward_test_level", "test_using_a_trace_test", "trace_test_levels")


def validation(work: Work) -> dict[str, Any] | None:
    """The table [validation]; None where nothing is proven."""
    thing = work.validation
    proven = thing.take("test", default=False)
    reward = work.number(thing, "min_reward_threshold", None)
    episodes = work.number(thing, "max_episodes_to_achieve_reward", None)
    workers = work.number(thing, "num_workers", 1)
    if workers != 1:
        work.note(
            thing.where("num_workers"), f"proven with {workers} workers: environment.count = {workers} comes near"
        )
    for name in (*_TESTS, "trace_max_env_steps", "read_csv_tries"):
        if thing.given(name) and "trace" in name:
            work.note(thing.where(name), f"{name}: there are no traces of the old system to compare with")
        thing.take(name)
    limit = None if work.world is None else work.world.limit
    if proven is not True or reward is None or episodes is None:
        return None
    if limit is None:
        line = thing.where("max_episodes_to_achieve_reward")
        work.lost(line, "episodes to reach the reward in: steps are counted - write [validation] within")
        return None
    line = thing.where("max_episodes_to_achieve_reward")
    work.note(line, f"{episodes} episodes have {int(episodes) * limit} steps at most")
    return {"reward": float(reward), "within": f"{int(episodes) * limit} steps"}


def is_atari_schedule(value: Any) -> bool:
    """Whether a preset takes over the Atari module's schedule."""
    return isinstance(value, Word) and value.last == "atari_schedule"
