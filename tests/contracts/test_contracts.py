"""Contracts: small Protocols that say what implementers must keep true."""

from __future__ import annotations

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest

from coachcore import contracts
from coachcore.specs import KINDS

MODULES = {found.name: import_module(f"coachcore.contracts.{found.name}") for found in iter_modules(contracts.__path__)}
PROTOCOLS = [
    item
    for module in MODULES.values()
    for item in vars(module).values()
    if inspect.isclass(item) and getattr(item, "_is_protocol", False) and item.__module__ == module.__name__
]
NAMES = [f"{item.__module__.rpartition('.')[2]}.{item.__name__}" for item in PROTOCOLS]
OF_KIND = {
    "filter": "filter.Filter",
    "exploration": "exploration.ExplorationPolicy",
    "layer": "network.LayerPart",
    "embedder": "network.Embedder",
    "middleware": "network.Middleware",
    "head": "network.Head",
    "memory": "memory.Memory",
    "agent": "agent.Agent",
    "environment": "environment.Environment",
    "schedule": "schedule.Schedule",
    "engine": "engine.Engine",
    "store": "store.Store",
    "transport": "transport.Transport",
    "orchestrator": "orchestrator.Orchestrator",
    "recorder": "recorder.Recorder",
    "evaluator": "evaluator.Evaluator",
}
SAVED = {"state", "restore"}
"""What `Stateful` asks for; counted there, once."""


def methods(protocol):
    """The methods of a Protocol's own body (its bases are Protocols of their own)."""
    return {
        name: item
        for name, item in vars(protocol).items()
        if (inspect.isfunction(item) or isinstance(item, property))
        and (not name.startswith("_") or name in ("__call__", "__len__"))
    }


def test_every_kind_has_its_contract():
    assert set(OF_KIND) == set(KINDS)
    assert set(OF_KIND.values()) <= set(NAMES)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_a_protocol_has_at_most_four_methods(protocol):
    own = methods(protocol)
    counted = set(own) if protocol.__name__ == "Stateful" else set(own) - SAVED
    assert len(counted) <= 4, f"{protocol.__name__} asks for {sorted(counted)}: split it (DESIGN.md, sentence 5)"


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_a_protocol_says_what_must_be_kept_true(protocol):
    """In its own docstring, or in that of the running thing it makes, beside it in the file."""
    beside = [item for item in PROTOCOLS if item.__module__ == protocol.__module__]
    said = " ".join(vars(item).get("__doc__") or "" for item in beside)
    assert vars(protocol).get("__doc__"), f"{protocol.__name__} has no docstring"
    assert "ust keep true" in said, f"{protocol.__name__} states no law: write 'Must keep true: ...'"


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_every_method_is_annotated(protocol):
    for name, item in methods(protocol).items():
        function = item.fget if isinstance(item, property) else item
        signature = inspect.signature(function)
        bare = [p.name for p in signature.parameters.values() if p.name != "self" and p.annotation is p.empty]
        assert not bare, f"{protocol.__name__}.{name} leaves {bare} without a type"
        assert signature.return_annotation is not inspect.Signature.empty, f"{protocol.__name__}.{name} returns what?"


def test_the_saved_things_ask_for_exactly_what_stateful_does():
    stateful = MODULES["stateful"].Stateful
    assert set(methods(stateful)) == SAVED
    for home, name in (("memory", "StatefulStore"), ("engine", "StatefulLearner")):
        assert set(methods(getattr(MODULES[home], name))) == SAVED
