"""Which environment a preset means."""

from __future__ import annotations

from typing import Any

from coach_bridge.things import Thing, Word, take_all
from coach_bridge.work import Work, shown
from coach_bridge.worlds import World, atari, doom, gym_world, listed

_TOYS = ("BitFlip", "ExplorationChain", "PendulumWithGoals", "CubeExp")
_GYM = ("GymVectorEnvironment", "GymEnvironmentParameters")


def environment(work: Work) -> dict[str, Any] | None:
    """The table [environment]; None where there is no such environment, which is said."""
    thing = work.environment
    line = thing.where("level", 0) or thing.line
    level = _level(work)
    work.world = None if level is None else _world(work, thing, level)
    if level is not None and work.world is None:
        what = f"{thing.name}(level={shown(level)})"
        work.lost(line, f"{what}: there is no such environment yet - write [environment] yourself")
    if work.world is None:
        take_all(thing)
        return None
    for say, text in ((work.note, work.world.note), (work.lost, work.world.lost)):
        if text:
            say(line, text)
    return _table(work, thing, work.world)


def _table(work: Work, thing: Thing, world: World) -> dict[str, Any]:
    out: dict[str, Any] = {"use": "gymnasium", "id": world.id}
    options = dict(world.options) | dict(_options(thing))
    frames = thing.take("frame_skip")
    if "frame_skip" in options and isinstance(frames, int):
        options["frame_skip"] = frames
    elif isinstance(frames, int) and frames != (4 if world.looks else 1) and thing.name != "GymEnvironmentParameters":
        work.lost(
            thing.where("frame_skip"), f"frame_skip = {frames}: put a gymnasium wrapper into environment.wrappers"
        )
    if options:
        out["options"] = options
    if world.cut is not None:
        out["max_episode_steps"] = world.cut
    if world.wrappers:
        out["wrappers"] = [*world.wrappers]
    if world.observation != "observation":
        out["observations"] = [world.observation]
    _beside(work, thing, world)
    return out


def _options(thing: Thing) -> dict[str, Any]:
    given = thing.take("additional_simulator_parameters")
    return given if isinstance(given, dict) else {}


def _beside(work: Work, thing: Thing, world: World) -> None:
    """What else was said of an environment."""
    for name in ("custom_reward_threshold", "target_success_rate"):
        if thing.given(name):
            thing.take(name)
            work.note(thing.where(name), f"{name} stopped a run only when that was asked for; so does schedule.target")
    usual = (30, 2) if world.wrappers else (0, 1)
    wrapper = "put a gymnasium wrapper into environment.wrappers"
    work.unless(thing, "random_initialization_steps", usual[0], wrapper)
    work.unless(thing, "max_over_num_frames", usual[1], wrapper)
    work.unless(thing, "human_control", usual=False, what="people do not play here yet")
    if thing.given("seed"):
        work.note(
            thing.where("seed"), f"seed = {shown(thing.take('seed'))}: a run has one seed, at the top of the preset"
        )
    for name in ("native_rendering", "experiment_path", "observation_space_type"):
        thing.take(name)


def _level(work: Work) -> Any:
    """The level as given, or the one chosen for a preset that leaves the choice open."""
    thing = work.environment
    value = thing.take("level", 0)
    if not isinstance(value, Thing) or value.name not in ("SingleLevelSelection", "LevelSelection"):
        return value
    levels = value.take("levels", 0)
    value.take("level", 0)
    value.take("force_lower", 1)
    chosen, line = work.level, value.line
    if chosen is None:
        tried = work.validation.take("reward_test_level")
        trace = work.validation.take("trace_test_levels", default=[])
        chosen = tried or (trace[0] if isinstance(trace, list) and trace else None)
        if isinstance(chosen, str):
            work.note(line, f"the level is left open; '{chosen}', which its tests use, is chosen - or give --level")
    if chosen is None and isinstance(levels, str):
        chosen = levels
    if chosen is None:
        work.lost(line, "the level is left open - give one with --level")
        return None
    return (levels.last if isinstance(levels, Word) else levels, chosen)


def _world(work: Work, thing: Thing, level: Any) -> World | None:
    levels, name = level if isinstance(level, tuple) else ("", level)
    if thing.name == "Atari":
        return atari(str(name).removesuffix("Deterministic-v4").removesuffix("NoFrameskip-v4"))
    if thing.name == "DoomEnvironmentParameters":
        return doom(name.last if isinstance(name, Word) else str(name).upper())
    if thing.name not in _GYM or not isinstance(name, str):
        return None
    if levels:
        return listed(str(levels), name) or (
            gym_world(levels[name]) if isinstance(levels, dict) and name in levels else None
        )
    return gym_world(name) or _other(work, thing, name)


def _other(work: Work, thing: Thing, name: str) -> World | None:
    """An id or a class that the table does not know: taken as it is, unless it was the old system's own."""
    if any(toy in name for toy in _TOYS) or "rl_coach" in name or name.startswith("Roboschool"):
        return None
    work.note(thing.where("level", 0) or thing.line, f"'{name}' is taken as it is - see that Gymnasium has it")
    return World(id=name)
