"""From an id and options to running environments, every refusal in one clear line."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from coachcore.api import BadSetting, CoachError, UnknownName, did_you_mean

_EXTRA = re.compile(r"gymnasium\[[\w-]+\]")
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")
_EXTRAS = {"minigrid": "minigrid", "ale_py": "atari"}
"""Packages with environments of their own, and this distribution's extra that brings them."""
ID, OPTIONS, WRAPPERS = "environment.id", "environment.options", "environment.wrappers"


Given = tuple[Mapping[str, Any], int | None, Sequence[str]]
"""Options of the constructor, steps after which an episode is truncated, and wrappers."""


def made(name: str, settings: Given, count: int, *, render: bool) -> list[gymnasium.Env]:
    """`count` environments called `name`; closes those already made when a later one fails."""
    options, limit, _ = settings
    if render:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # draw without a screen
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    given = dict(options) | ({"render_mode": "rgb_array"} if render else {})
    envs: list[gymnasium.Env] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice for authors of environments, not for who trains on one
        spec, around = found(name), [wrapper(one) for one in settings[2]]
        try:
            while len(envs) < count:
                envs.append(gymnasium.make(spec, max_episode_steps=limit, disable_env_checker=True, **given))
                for put in around:
                    envs[-1] = put(envs[-1])
        except Exception as error:  # an environment's constructor may raise anything
            for env in envs:
                env.close()
            raise _refusal(name, spec, options, error) from error
    return envs


def found(name: str) -> EnvSpec:
    """The registered spec called `name`, or one for a class named ``module:Class``.

    Raises `UnknownName`. A name without its version is refused rather than
    resolved to the newest: the same preset must stay the same environment.
    """
    module, _, short = name.rpartition(":")
    package = _imported(module) if module else None
    spec = gymnasium.registry.get(short)
    if spec is not None:
        return spec
    thing = getattr(package, short, None)
    if isinstance(thing, type) and issubclass(thing, gymnasium.Env):
        return EnvSpec(id=short, entry_point=thing)
    raise _unknown(name, short)


def wrapper(name: str) -> type[gymnasium.Wrapper]:
    """The wrapper class named ``module:Class``; raises `UnknownName`."""
    module, _, short = name.rpartition(":")
    if not module:
        raise UnknownName(f"'{name}' does not say where it is - write module:Class", where=WRAPPERS)
    package = _imported(module, WRAPPERS)
    thing = getattr(package, short, None)
    if isinstance(thing, type) and issubclass(thing, gymnasium.Wrapper):
        return thing
    there = [key for key, value in vars(package).items() if isinstance(value, type)]
    raise UnknownName(f"there is no wrapper '{short}' in {module} - {did_you_mean(short, there)}", where=WRAPPERS)


def _imported(module: str, where: str = ID) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        how = f"pip install 'coach-gymnasium[{extra}]'" if extra else "install the package that holds it"
        raise UnknownName(f"'{module}' cannot be imported ({error}) - {how}", where=where) from error


def _unknown(name: str, short: str) -> UnknownName:
    stem = re.sub(r"-v\d+$", "", short)
    versions = sorted(
        (known for known in gymnasium.registry if re.fullmatch(re.escape(stem) + r"-v\d+", known)), key=_version
    )
    if versions:
        hint = f"did you mean '{versions[-1]}'? known: {', '.join(versions)}"
    elif "/" in short and ":" not in name:
        others = did_you_mean(short, gymnasium.registry, listed=4)
        hint = f"if a package registers it, name that first: 'package:{short}'; {others}"
    else:
        hint = did_you_mean(short, gymnasium.registry)
        if ":" not in name and not hint.startswith("did you mean"):
            hint = f"if a package registers it, name that first: 'package:{short}'; {hint}"
    return UnknownName(f"there is no environment '{name}' - {hint}", where=ID)


def _version(name: str) -> int:
    return int(name.rpartition("-v")[2])


def _refusal(name: str, spec: EnvSpec, options: Mapping[str, Any], error: Exception) -> CoachError:
    """What to tell the user about an environment that could not be constructed."""
    if isinstance(error, ImportError | gymnasium.error.DependencyNotInstalled):
        return missing(name, error)
    text = " ".join(str(error).split())
    unexpected = _UNEXPECTED.search(text)
    if unexpected and unexpected[1] in options:
        return BadSetting(
            f"{name} has no option '{unexpected[1]}' - {did_you_mean(unexpected[1], _accepted(spec))}", where=OPTIONS
        )
    asked = f"its options {dict(options)}" if options else "to be made"
    return BadSetting(
        f"{name} refuses {asked} ({type(error).__name__}: {text}) - see what its constructor accepts", where=OPTIONS
    )


def missing(name: str, error: Exception) -> BadSetting:
    """What to install for an environment that lacks a package."""
    text = " ".join(str(error).split())
    extra = _EXTRA.search(text)
    if extra:
        return BadSetting(f"{name} needs a package that is not installed - pip install '{extra[0]}'", where=ID)
    package = getattr(error, "name", None)
    if package:
        return BadSetting(f"{name} needs the package '{package}', which is not installed - pip install it", where=ID)
    return BadSetting(f"{name} cannot be used here: {text}", where=ID)


def _accepted(spec: EnvSpec) -> list[str]:
    creator = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    names = inspect.signature(creator).parameters if callable(creator) else {}
    return [name for name in names if name not in ("render_mode", "self", "kwargs")]
