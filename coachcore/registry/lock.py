"""What a run was made with, and who listens to it: read once, when a run begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, requires, version
from re import compile as pattern
from typing import Any

from coachcore.errors import BrokenPlugin
from coachcore.registry.discover import locator
from coachcore.registry.manifest import FILE
from coachcore.registry.reader import top
from coachcore.registry.registry import Registry

_NAME = pattern(r"[A-Za-z0-9._-]+")


def locked(registry: Registry) -> dict[str, dict[str, str]]:
    """Every distribution that offers parts: its version, and the sha256 of its manifest (empty without one)."""
    locate = locator()
    found: dict[str, dict[str, str]] = {}
    for entry in registry.entries():
        if entry.dist in found:
            continue
        package = locate(top(entry.spec.object))
        manifest = package.folder / FILE if package and package.folder else None
        digest = sha256(manifest.read_bytes()).hexdigest() if manifest and manifest.is_file() else ""
        found[entry.dist] = {"version": entry.version, "manifest": digest}
    return found


def packages(dists: Iterable[str]) -> dict[str, str]:
    """The packages that `dists` require, by name, with the versions installed: NumPy, TensorFlow, Gymnasium ..."""
    named = {match[0].lower() for dist in dists for line in _requirements(dist) if (match := _NAME.match(line))}
    found = {}
    for name in sorted(named):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an extra's, or another platform's
            continue
    return found


def _requirements(dist: str) -> Sequence[str]:
    try:
        return requires(dist) or ()
    except PackageNotFoundError:  # registered while running
        return ()


def listeners(registry: Registry, hook: str) -> tuple[Callable[..., Any], ...]:
    """The implementations of a run hook as plain functions of all the hook's arguments, by position.

    Collected before the run, so that nothing goes through pluggy while it runs;
    an implementation that leaves arguments out, or orders them otherwise, is given those it names.
    Raises `BrokenPlugin` for one that wraps the others, since nothing is wrapped here.
    """
    caller = getattr(registry.hooks(), hook)
    names = tuple(caller.spec.argnames)
    return tuple(_plain(impl, names) for impl in reversed(caller.get_hookimpls()))


def _plain(impl: Any, names: tuple[str, ...]) -> Callable[..., Any]:
    if impl.wrapper or impl.hookwrapper:
        raise BrokenPlugin(
            f"{impl.function.__name__} wraps other plugins - run hooks are called one by one: use a plain @hookimpl",
            where=impl.plugin_name,
        )
    function, wanted = impl.function, [names.index(name) for name in impl.argnames]
    if wanted == list(range(len(names))):
        return function  # type: ignore[no-any-return]
    return lambda *given: function(*(given[index] for index in wanted))
