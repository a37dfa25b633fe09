"""Coach: reinforcement learning in which every part is a plugin.

>>> import coachcore
>>> outcome = coachcore.run("cartpole-dqn")                         # doctest: +SKIP
>>> coachcore.evaluate(outcome.folder, episodes=20).mean            # doctest: +SKIP
>>> coachcore.Policy.load(outcome.folder).act([0.0, 0.1, 0.0, 0.0]) # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coachcore.threads import one_thread_each

if TYPE_CHECKING:
    from coachcore.door import Policy, evaluate, load_preset, run, train
    from coachcore.registry.registry import register, unregister

__version__ = "0.1.0"
__all__ = ["Policy", "evaluate", "load_preset", "register", "run", "train", "unregister"]

one_thread_each()

_HOMES = dict.fromkeys(("Policy", "evaluate", "load_preset", "run", "train"), "coachcore.door")
_HOMES |= dict.fromkeys(("register", "unregister"), "coachcore.registry.registry")


def __getattr__(name: str) -> Any:
    """The public names, imported when first asked for: listing plugins must not import NumPy."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'coachcore' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
