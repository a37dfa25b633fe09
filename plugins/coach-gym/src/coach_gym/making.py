"""From an id to running environments of gym, every refusal in one clear line."""

from __future__ import annotations

import inspect
import io
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from importlib import import_module
from typing import Any

import gymnasium

from coach_gym.modern import Modern
from coachcore.api import BadSetting, CoachError, UnknownName, did_you_mean

ID, OPTIONS = "environment.id", "environment.options"
Given = tuple[Mapping[str, Any], int | None]
"""Options of the constructor, and steps after which an episode is truncated."""


def made(name: str, settings: Given, count: int, *, render: bool) -> list[gymnasium.Env[Any, Any]]:
    """`count` environments called `name`; closes those already made when a later one fails."""
    envs: list[gymnasium.Env[Any, Any]] = []
    with quiet():
        gym = imported()
        spec = found(gym, name)
        try:
            while len(envs) < count:
                envs.append(_one(gym, spec, settings, render=render))
        except CoachError:
            _close(envs)
            raise
        except Exception as error:  # an environment's constructor may raise anything
            _close(envs)
            raise _refusal(name, settings[0], error) from error
    return envs


@contextmanager
def quiet() -> Iterator[None]:
    """Gym says at its import, and of most environments, that it is out of date: true, and no news to who chose it."""
    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def imported() -> Any:
    """Gym itself; raises `BadSetting` where it is missing or does not work."""
    try:
        return import_module("gym")
    except ImportError as error:
        what = f"gym cannot be imported ({error})"
        raise BadSetting(f"{what} - pip install 'gym==0.26.2', or use 'gymnasium'", where="environment.use") from error


def found(gym: Any, name: str) -> Any:
    """The registered spec called `name`; raises `UnknownName`."""
    module, _, short = name.rpartition(":")
    if module:
        try:
            import_module(module)
        except ImportError as error:
            what = f"'{module}' cannot be imported ({error})"
            raise UnknownName(f"{what} - install the package that holds it", where=ID) from error
    registry = gym.envs.registration.registry
    if short in registry:
        return registry[short]
    stem = re.sub(r"-v\d+$", "", short)
    versions = sorted(known for known in registry if re.fullmatch(re.escape(stem) + r"-v\d+", known))
    hint = f"known: {', '.join(versions)}" if versions else did_you_mean(short, registry, listed=6)
    raise UnknownName(f"there is no environment '{name}' in gym - {hint}", where=ID)


def _one(gym: Any, spec: Any, settings: Given, *, render: bool) -> Modern:
    options, limit = settings
    given = dict(options) | ({"render_mode": "rgb_array"} if render else {})
    old = _is_old(gym, spec, options)
    env = gym.make(
        spec, max_episode_steps=limit, disable_env_checker=True, apply_api_compatibility=old or None, **given
    )
    return Modern(env)


def _is_old(gym: Any, spec: Any, options: Mapping[str, Any]) -> bool:
    """Whether `reset` takes no seed, as before 0.26; raises `BadSetting` where there is no other way to give one."""
    creator = spec.entry_point if callable(spec.entry_point) else gym.envs.registration.load(spec.entry_point)
    known = isinstance(creator, type)
    thing = creator if known else creator(**{**spec.kwargs, **options})
    taken = inspect.signature(thing.reset).parameters
    old = "seed" not in taken and not any(one.kind is one.VAR_KEYWORD for one in taken.values())
    seeded = hasattr(thing, "seed")
    if not known:
        thing.close()
    if old and not seeded:
        what = f"{spec.id} can be given no seed, neither by reset nor by a method of its own"
        raise BadSetting(f"{what} - an episode could not be repeated, nor a run resumed", where=ID)
    return old


def _close(envs: list[gymnasium.Env[Any, Any]]) -> None:
    for env in envs:
        env.close()


def _refusal(name: str, options: Mapping[str, Any], error: Exception) -> BadSetting:
    package = getattr(error, "name", None)
    if isinstance(error, ImportError) and package:
        return BadSetting(f"{name} needs the package '{package}', which is not installed - pip install it", where=ID)
    asked = f"its options {dict(options)}" if options else "to be made"
    text = " ".join(str(error).split())
    what = f"{name} refuses {asked} ({type(error).__name__}: {text})"
    return BadSetting(f"{what} - see what its constructor accepts", where=OPTIONS)
