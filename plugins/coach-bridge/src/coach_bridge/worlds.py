"""Environments of the old system and what they are called today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

ATARI_FILTERS: Mapping[str, Any] = {
    "observation": [{"use": "stacking", "size": 4}],
    "reward": [{"use": "clipping", "low": -1.0, "high": 1.0}],
}
DOOM_FILTERS: Mapping[str, Any] = {
    "observation": [
        {"use": "rescale-to-size", "size": [60, 76]},
        {"use": "rgb-to-y"},
        {"use": "to-uint8", "low": 0.0, "high": 255.0},
        {"use": "stacking", "size": 3},
    ]
}
"""What the old environments did to observations and rewards unless a preset put something in its place."""


@attrs.frozen(kw_only=True)
class World:
    """An environment of today, and what a conversion has to know of it."""

    id: str
    discrete: bool | None = None
    half: float | None = None  # half the range of each component of an action
    limit: int | None = None  # steps after which an episode ends
    cut: int | None = None  # steps after which it has to be cut off to be what it was
    observation: str = "observation"
    looks: bool = False
    options: Mapping[str, Any] = attrs.field(factory=dict)
    wrappers: tuple[str, ...] = ()
    filters: Mapping[str, Any] = attrs.field(factory=dict)
    note: str = ""
    lost: str = ""


def _plain(name: str, limit: int | None, half: float | None = None, note: str = "", cut: int | None = None) -> World:
    return World(id=name, discrete=half is None, half=half, limit=limit, note=note, cut=cut)


_MUJOCO = "the -v2 tasks went with the old MuJoCo bindings; -v5 is their successor, its rewards differ a little"
_CLASSIC = {
    "CartPole-v0": _plain(
        "CartPole-v1", 200, note="CartPole-v0 is CartPole-v1 with episodes of 200 steps at most", cut=200
    ),
    "CartPole-v1": _plain("CartPole-v1", 500),
    "Acrobot-v1": _plain("Acrobot-v1", 500),
    "MountainCar-v0": _plain("MountainCar-v0", 200),
    "MountainCarContinuous-v0": _plain("MountainCarContinuous-v0", 999, 1.0),
    "Pendulum-v0": _plain("Pendulum-v1", 200, 2.0, "Pendulum-v0 is called Pendulum-v1 now"),
    "Pendulum-v1": _plain("Pendulum-v1", 200, 2.0),
    "LunarLander-v2": _plain("LunarLander-v3", 1000, note="LunarLander-v3 is the successor of LunarLander-v2"),
    "LunarLanderContinuous-v2": World(
        id="LunarLander-v3",
        discrete=False,
        half=1.0,
        limit=1000,
        options={"continuous": True},
        note="LunarLander-v3 with continuous = true is the successor of LunarLanderContinuous-v2",
    ),
}
_HALVES = {"InvertedPendulum": 3.0, "Humanoid": 0.4, "HumanoidStandup": 0.4, "Pusher": 2.0}
_LIMITS = {"Reacher": 50, "Pusher": 100}
_BODIES = (
    "InvertedPendulum", "InvertedDoublePendulum", "Reacher", "Hopper", "Walker2d", "HalfCheetah", "Ant", "Swimmer",
    "Humanoid", "HumanoidStandup", "Pusher",
)  # fmt: skip
_MUJOCO_IDS = {
    f"{body}-v{old}": _plain(f"{body}-v5", _LIMITS.get(body, 1000), _HALVES.get(body, 1.0), _MUJOCO)
    for body in _BODIES
    for old in (1, 2, 3, 4)
}
_DOOM = {
    "BASIC": "Basic",
    "DEFEND": "DefendCenter",
    "DEATHMATCH": "Deathmatch",
    "MY_WAY_HOME": "MyWayHome",
    "TAKE_COVER": "TakeCover",
    "HEALTH_GATHERING": "HealthGathering",
    "DEFEND_THE_LINE": "DefendLine",
    "DEADLY_CORRIDOR": "Corridor",
}
_FETCH = {"reach": "FetchReach", "slide": "FetchSlide", "push": "FetchPush", "pick_and_place": "FetchPickAndPlace"}


def camel(level: str) -> str:
    """``space_invaders`` as ids have it: ``SpaceInvaders``."""
    return "".join(word[:1].upper() + word[1:] for word in level.split("_"))


def gym_world(name: str) -> World | None:
    """A gym id as it is today; None for one that this table does not know."""
    return _CLASSIC.get(name) or _MUJOCO_IDS.get(name)


def listed(levels: str, level: str) -> World | None:
    """The environment that a level list of the old system calls `level`; None where there is none any more."""
    if levels == "mujoco_v2":
        return _MUJOCO_IDS.get(f"{camel(level)}-v2")
    if levels == "fetch_v1" and level in _FETCH:
        return World(
            id=f"gymnasium_robotics:{_FETCH[level]}-v4",
            discrete=False,
            half=1.0,
            limit=50,
            note="the Fetch tasks are in the package gymnasium-robotics now, as -v4",
        )
    return None


def atari(level: str) -> World:
    """A game as the old system played it: deterministic, seen through its filters."""
    return World(
        id=f"ale_py:ALE/{camel(level)}-v5",
        discrete=True,
        looks=True,
        options={"frameskip": 1, "repeat_action_probability": 0.0},
        wrappers=("gymnasium.wrappers:AtariPreprocessing",),
        filters=ATARI_FILTERS,
        note="games are in the package ale-py now; gymnasium's AtariPreprocessing (which needs opencv-python) skips "
        "frames, idles at the start, and makes them grey and 84 x 84",
        lost="a life lost no longer ends an episode while training, and nobody presses FIRE - put a gymnasium wrapper "
        "that does so into environment.wrappers",
    )


def doom(level: str) -> World | None:
    """A Doom scenario of the package vizdoom; None for the maps that came with the old system."""
    if level not in _DOOM:
        return None
    return World(
        id=f"vizdoom.gymnasium_wrapper:Vizdoom{_DOOM[level]}-v1",
        discrete=True,
        limit=75 if level == "BASIC" else None,  # 300 frames, four at a time
        observation="screen",
        looks=True,
        options={"frame_skip": 4},
        filters=DOOM_FILTERS,
        note="Doom comes from the package vizdoom now (1.3 or later); the picture is called 'screen' there",
    )
