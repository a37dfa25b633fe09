"""The toys as a plugin: registered while running, used by name in a preset, as a stranger's would be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from coachcore.component import component
from coachcore.registry.hookspecs import hookimpl
from coachcore.spaces import Space
from coachcore.testing.toy_learning import SLOTS, ToyEngine, ToyQ
from coachcore.testing.toys import ToyEGreedy, ToyList, ToyRing, ToySigns


@component("embedder", "toy-as-it-is")
@attrs.frozen(kw_only=True)
class ToyEmbedder:
    """Hands the observation on; the toy engine builds no layers."""

    def build(self, space: Space, seed: int) -> Any:
        return None


@component("middleware", "toy-nothing")
@attrs.frozen(kw_only=True)
class ToyMiddleware:
    """Nothing between embedder and head; the toy engine builds no layers."""

    def build(self, seed: int) -> Any:
        return None


@component("head", "toy-values", provides=SLOTS["q"])
@attrs.frozen(kw_only=True)
class ToyHead:
    """One value an action; the toy engine has it built in."""

    def build(self, action: Space, seed: int) -> Any:
        return None


class ToyPlugin:
    """Offers every toy: ``coachcore.register(ToyPlugin(), "toys")``."""

    @hookimpl
    def coach_environments(self) -> Sequence[type]:
        return (ToySigns,)

    @hookimpl
    def coach_agents(self) -> Sequence[type]:
        return (ToyQ,)

    @hookimpl
    def coach_engines(self) -> Sequence[type]:
        return (ToyEngine,)

    @hookimpl
    def coach_embedders(self) -> Sequence[type]:
        return (ToyEmbedder,)

    @hookimpl
    def coach_middlewares(self) -> Sequence[type]:
        return (ToyMiddleware,)

    @hookimpl
    def coach_heads(self) -> Sequence[type]:
        return (ToyHead,)

    @hookimpl
    def coach_exploration_policies(self) -> Sequence[type]:
        return (ToyEGreedy,)

    @hookimpl
    def coach_memories(self) -> Sequence[type]:
        return (ToyRing,)

    @hookimpl
    def coach_recorders(self) -> Sequence[type]:
        return (ToyList,)


def toy_preset(**tables: Any) -> dict[str, Any]:
    """A preset of toys as plain data; `tables` replace whole tables of it."""
    document = {
        "coach": 1,
        "seed": 1,
        "environment": {"use": "toy-signs"},
        "agent": {
            "use": "toy-q",
            "network": {
                "embedders": {"observation": {"use": "toy-as-it-is"}},
                "middleware": {"use": "toy-nothing"},
                "heads": {"q": {"use": "toy-values"}},
            },
            "learner": {"batch_size": 16, "learning_rate": 0.1, "target_every": "10 updates"},
        },
        "engine": {"use": "toy-numpy"},
        "exploration": {"use": "toy-e-greedy"},
        "memory": {"use": "toy-ring"},
        "recorders": [{"use": "toy-list"}],
        "schedule": {
            "heatup": "50 steps",
            "train": "600 steps",
            "report_every": "100 steps",
            "evaluate": {"every": "200 steps", "episodes": 3},
        },
        "checkpoint": {"every": "200 steps"},
    }
    return document | tables
