"""`[agent.network]`: the agent's own choice, changed by the preset, fitted to the agent's slots."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from coachcore.api import ComponentSpec, hookimpl
from coachcore.presets.network import networks
from coachcore.presets.tables import Checker
from coachcore.presets.tree import Origin, plain, rooted
from coachcore.registry.registry import Registry


BESIDE = {
    "merge": "concatenate",
    "torso": "shared",
    "loss_weights": {},
    "gradient_scales": {},
    "learning_rate_factor": 1.0,
    "l2": 0.0,
}
"""What stands beside the parts of every network, at its default."""


def checked(registry: Registry, agent: dict[str, Any]) -> tuple[Any, list[str]]:
    """The network of an agent's table as data, and everything wrong with it."""
    root = rooted({"agent": agent}, Origin("data", "the preset"))
    checker = Checker(registry, root)
    entry = registry.resolve("agent", agent["use"]) if "use" in agent else None
    (found,) = networks(checker, root.value["agent"], entry).values()
    return None if found is None else plain(found), [str(problem) for problem in checker.found]


def test_the_agents_own_choice_with_the_defaults_of_its_parts(parts: Registry) -> None:
    assert checked(parts, {"use": "walker"}) == (
        {
            "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
            "middleware": {"use": "dense", "scheme": "medium"},
            "heads": {"policy": {"use": "policy"}, "value": {"use": "value", "units": 32}},
            **BESIDE,
        },
        [],
    )


def test_what_is_written_changes_only_that(parts: Registry) -> None:
    given = {"middleware": {"scheme": "deep"}, "heads": {"q": {"use": "dueling-q"}}}
    found, wrong = checked(parts, {"use": "chooser", "network": given})
    assert wrong == []
    assert found["middleware"] == {"use": "dense", "scheme": "deep"}
    assert found["heads"] == {"q": {"use": "dueling-q", "units": 64}}
    assert found["embedders"] == {"observation": {"use": "vector", "scheme": "medium"}}


def test_another_observation_has_an_embedder_beside_the_first(parts: Registry) -> None:
    given = {"embedders": {"goal": {"use": "vector", "scheme": "empty"}}}
    found, wrong = checked(parts, {"use": "chooser", "network": given})
    assert wrong == []
    assert {name: part["scheme"] for name, part in found["embedders"].items()} == {
        "observation": "medium",
        "goal": "empty",
    }


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"middelware": {}},
            (
                "agent.network.middelware: agent.network has no setting 'middelware' - did you mean 'middleware'? "
                "known: embedders, gradient_scales, heads, l2, learning_rate_factor, loss_weights, merge, middleware, torso"
            ),
        ),
        (
            {"heads": {"v": {"use": "q"}}},
            "agent.network.heads.v: agent 'chooser' has no head slot 'v' - known: q",
        ),
        (
            {"heads": {"q": {"use": "value"}}},
            (
                "agent.network.heads.q.use: head 'value' provides state-value, slot 'q' needs action-values - "
                "heads that provide it: dueling-q, q"
            ),
        ),
        (
            {"heads": {"q": {"use": "quue"}}},
            "agent.network.heads.q.use: no head is called 'quue' - known: dueling-q, policy, q, value",
        ),
        (
            {"heads": {"a b": 3}},
            'agent.network.heads."a b": agent.network.heads."a b" must be a table, got 3',
        ),
        (
            {"middleware": "dense"},
            (
                "agent.network.middleware: agent.network.middleware must be a table such as "
                'agent.network.middleware = { use = "dense" }, got "dense"'
            ),
        ),
    ],
)
def test_what_does_not_fit(parts: Registry, given: dict[str, Any], line: str) -> None:
    assert line in checked(parts, {"use": "chooser", "network": given})[1]


def test_something_that_is_no_network(parts: Registry) -> None:
    assert checked(parts, {"use": "chooser", "network": 3}) == (
        None,
        ["agent.network: agent.network must be a table, got 3"],
    )


def test_where_the_agent_is_unknown_its_slots_are_not_asked_for(parts: Registry) -> None:
    """A misspelt agent is one problem, not four."""
    given = {"middleware": {"use": "dense"}, "heads": {"any": {"use": "q"}}}
    found, wrong = checked(parts, {"network": given})
    assert wrong == []
    assert found == {
        "embedders": {},
        "middleware": {"use": "dense", "scheme": "medium"},
        "heads": {"any": {"use": "q"}},
        **BESIDE,
    }
    assert checked(parts, {})[1] == []


def with_head(toys: ModuleType, provides: str | None) -> Registry:
    registry: Registry = toys.registry()
    facts = {} if provides is None else {"provides": provides}
    spec = ComponentSpec("head", "strange", "nowhere:Strange", facts=facts, params=None if provides is None else ())
    registry.register(SimpleNamespace(coach_heads=hookimpl(lambda: (spec,))), "strange")
    return registry


def test_a_head_that_provides_what_the_slot_needs_comes_from_anywhere(toys: ModuleType) -> None:
    registry = with_head(toys, "action-values")
    found, wrong = checked(registry, {"use": "chooser", "network": {"heads": {"q": {"use": "strange"}}}})
    assert (found["heads"], wrong) == ({"q": {"use": "strange"}}, [])


def test_a_head_of_which_nothing_is_known_is_not_judged(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a manifest, what a head provides is known only once it is imported."""
    registry = with_head(toys, None)
    monkeypatch.setattr(registry, "params", lambda entry: entry.spec.params or ())
    _, wrong = checked(registry, {"use": "chooser", "network": {"heads": {"q": {"use": "strange"}}}})
    assert wrong == []


def test_a_head_that_provides_nothing_says_so(toys: ModuleType) -> None:
    registry: Registry = toys.registry()
    spec = ComponentSpec("head", "dumb", "nowhere:Dumb", params=())
    registry.register(SimpleNamespace(coach_heads=hookimpl(lambda: (spec,))), "dumb")
    _, (line,) = checked(registry, {"use": "chooser", "network": {"heads": {"q": {"use": "dumb"}}}})
    assert "head 'dumb' provides nothing, slot 'q' needs action-values - heads that provide it: dueling-q, q" in line
