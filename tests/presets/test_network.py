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


def test_other_observations_take_the_place_of_the_one_that_the_agent_expects(parts: Registry) -> None:
    given = {"embedders": {"goal": {"use": "vector", "scheme": "empty"}}}
    found, wrong = checked(parts, {"use": "chooser", "network": given})
    assert wrong == []
    assert found["embedders"] == {"goal": {"use": "vector", "scheme": "empty"}}


def test_the_observation_that_the_agent_expects_may_be_named_beside_others(parts: Registry) -> None:
    given = {"embedders": {"goal": {"use": "vector", "scheme": "empty"}, "observation": {}}}
    found, wrong = checked(parts, {"use": "chooser", "network": given})
    assert wrong == []
    schemes = {name: part["scheme"] for name, part in found["embedders"].items()}
    assert schemes == {"goal": "empty", "observation": "medium"}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"middelware": {}},
            (
                "agent.network.middelware: agent.network has no setting 'middelware' - did you mean 'middleware'? "
                "known: embedders, gradient_scales, heads, l2, learning_rate_factor, loss_weights, merge, "
                "middleware, torso"
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


TORSO = {"embedders": {"observation": {"use": "vector"}}, "middleware": {"use": "dense"}}


def test_numbers_by_head_slot(parts: Registry) -> None:
    given = {"loss_weights": {"value": 1}, "gradient_scales": {"policy": 0, "value": 0.5}, "torso": "separate"}
    found, wrong = checked(parts, {"use": "walker", "network": given})
    assert wrong == []
    assert repr(found["loss_weights"]) == "{'value': 1.0}"
    assert found["gradient_scales"] == {"policy": 0.0, "value": 0.5}
    assert found["torso"] == "separate"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"loss_weights": {"valu": 1}},
            "loss_weights.valu: agent 'walker' has no head slot 'valu' - did you mean 'value'? known: policy, value",
        ),
        (
            {"loss_weights": {"value": -1}},
            "loss_weights.value: loss_weights.value: -1 is out of range - must be >= 0",
        ),
        (
            {"gradient_scales": {"value": float("inf")}},
            "gradient_scales.value: gradient_scales.value: inf is out of range - must be a finite number",
        ),
        (
            {"gradient_scales": {"value": "1"}},
            'gradient_scales.value: gradient_scales.value: expected a number, got "1" - write 1 without quotes',
        ),
        ({"loss_weights": 3}, "loss_weights: loss_weights: expected a table, got 3"),
        ({"l2": -1}, "l2: l2: -1 is out of range - must be >= 0"),
        ({"learning_rate_factor": 0}, "learning_rate_factor: learning_rate_factor: 0 is out of range - must be > 0"),
        (
            {"merge": "multiply"},
            "merge: merge: 'multiply' is not a choice here - known: concatenate, sum",
        ),
    ],
)
def test_settings_that_do_not_fit(parts: Registry, given: dict[str, Any], line: str) -> None:
    assert checked(parts, {"use": "walker", "network": given})[1] == [f"agent.network.{line}"]


def test_several_networks_each_with_what_the_agent_chose(more: Registry) -> None:
    found, wrong = checked(more, {"use": "duo", "networks": {"critic": {"l2": 1}, "temperature": {}}})
    assert wrong == []
    assert found == {
        "actor": {
            "embedders": {"observation": {"use": "vector", "scheme": "medium"}},
            "middleware": {"use": "dense", "scheme": "medium"},
            "heads": {"policy": {"use": "point"}},
            **BESIDE,
        },
        "critic": {
            "embedders": {
                "observation": {"use": "vector", "scheme": "medium"},
                "action": {"use": "vector", "scheme": "empty"},
            },
            "middleware": {"use": "stack", "scheme": "medium"},
            "heads": {"q": {"use": "pair"}},
            **BESIDE,
            "l2": 1.0,
        },
        "temperature": {"learning_rate_factor": 1.0},
    }
    assert checked(more, {"use": "duo"})[1] == []


@pytest.mark.parametrize(
    ("agent", "lines"),
    [
        (
            {"use": "duo", "network": {}},
            [
                (
                    "agent.network: agent 'duo' has several networks - write [agent.networks.actor], "
                    "[agent.networks.critic], [agent.networks.temperature] instead of [agent.network]"
                )
            ],
        ),
        (
            {"use": "walker", "networks": {"policy": {}}},
            ["agent.networks: agent 'walker' has one network - write [agent.network] instead of [agent.networks]"],
        ),
        (
            {"use": "duo", "networks": {"critc": {}}},
            [
                (
                    "agent.networks.critc: agent 'duo' has no network 'critc' - did you mean 'critic'? "
                    "known: actor, critic, temperature"
                )
            ],
        ),
        ({"use": "duo", "networks": 3}, ["agent.networks: agent.networks must be a table, got 3"]),
        (
            {"use": "duo", "networks": {"critic": 3}},
            ["agent.networks.critic: agent.networks.critic must be a table, got 3"],
        ),
        (
            {"use": "duo", "networks": {"temperature": {"heads": {}}}},
            [
                (
                    "agent.networks.temperature.heads: agent.networks.temperature has no setting 'heads' - "
                    "known: learning_rate_factor"
                )
            ],
        ),
        (
            {"use": "duo", "networks": {"actor": {"embedders": {"action": {"use": "vector"}}}}},
            [
                (
                    "agent.networks.actor.embedders.action: network 'actor' of agent 'duo' has no input 'action' - "
                    "take embedders.action out of agent.networks.actor"
                )
            ],
        ),
        (
            {"use": "duo", "networks": {"actor": {"heads": {"policy": {"use": "pair"}}, "loss_weights": {"q": 1}}}},
            [
                (
                    "agent.networks.actor.heads.policy.use: head 'pair' provides critics, slot 'policy' needs "
                    "deterministic-policy - heads that provide it: point"
                ),
                (
                    "agent.networks.actor.loss_weights.q: network 'actor' of agent 'duo' has no head slot 'q' - "
                    "known: policy"
                ),
            ],
        ),
        (
            {"use": "trio", "networks": {"third": TORSO}},
            [
                (
                    "agent.networks: network 'critic' of agent 'trio' needs a head for its slot 'v' - "
                    "heads that provide it: value"
                ),
            ],
        ),
        (
            {"use": "trio", "networks": {"critic": {"heads": {"v": {"use": "value"}}}}},
            [
                (
                    "agent.networks: network 'third' of agent 'trio' needs an embedder for each observation - "
                    'add embedders.observation = { use = "..." } to agent.networks.third'
                ),
                (
                    "agent.networks: network 'third' of agent 'trio' needs a middleware - "
                    'add middleware = { use = "..." } to agent.networks.third'
                ),
            ],
        ),
        (
            {"use": "either", "network": {"heads": {"policy": {"use": "q"}}}},
            [
                (
                    "agent.network.heads.policy.use: head 'q' provides action-values, slot 'policy' needs "
                    "discrete-policy or gaussian-policy - heads that provide it: bell, policy"
                )
            ],
        ),
        ({"use": "either", "network": {"heads": {"policy": {"use": "bell"}}}}, []),
    ],
)
def test_networks_that_do_not_fit(more: Registry, agent: dict[str, Any], lines: list[str]) -> None:
    assert checked(more, agent)[1] == lines


def test_an_input_of_the_agents_own_needs_an_embedder(toys: ModuleType) -> None:
    facts = {
        "slots": {"q": "critics"},
        "inputs": {"main": ["action"]},
        "defaults": TORSO | {"heads": {"q": {"use": "pair"}}},
    }
    spec = ComponentSpec("agent", "one", "nowhere:One", facts=facts)
    registry: Registry = toys.registry(toys.MoreToys(), SimpleNamespace(coach_agents=hookimpl(lambda: (spec,))))
    assert checked(registry, {"use": "one"})[1] == [
        (
            "agent: agent 'one' needs an embedder for its input 'action' - "
            'add embedders.action = { use = "..." } to agent.network'
        )
    ]


def test_no_head_provides_any_of_several(toys: ModuleType) -> None:
    spec = ComponentSpec("agent", "odd", "nowhere:Odd", facts={"slots": {"x": ["this", "that"]}, "defaults": TORSO})
    registry: Registry = toys.registry(SimpleNamespace(coach_agents=hookimpl(lambda: (spec,))))
    assert checked(registry, {"use": "odd"})[1] == [
        "agent: agent 'odd' needs a head for its slot 'x' - no installed head provides this or that"
    ]


def test_networks_of_an_agent_of_which_nothing_is_known(parts: Registry) -> None:
    found, wrong = checked(
        parts, {"networks": {"any": TORSO | {"heads": {"h": {"use": "q"}}, "loss_weights": {"x": 2}}}}
    )
    assert wrong == []
    assert (found["any"]["heads"], found["any"]["loss_weights"]) == ({"h": {"use": "q"}}, {"x": 2.0})


def test_a_scheme_is_a_list_of_numbers_and_layers(more: Registry) -> None:
    scheme = [64, {"use": "thick", "units": 3}, {"use": "Thick", "units": 4, "slope": 1}]
    agent = {"use": "chooser", "network": {"middleware": {"use": "stack", "scheme": scheme}}}
    found, wrong = checked(more, agent)
    assert wrong == []
    assert found["middleware"]["scheme"] == [
        64,
        {"use": "thick", "units": 3, "slope": 0.5},
        {"use": "thick", "units": 4, "slope": 1.0},
    ]


@pytest.mark.parametrize(
    ("scheme", "lines"),
    [
        (
            [64, "relu"],
            ['[1]: scheme[1]: expected a whole number or a table that names a part (layer) with `use`, got "relu"'],
        ),
        (
            [0, True, {"use": "thik"}, {"units": 3}],
            [
                "[0]: scheme[0]: 0 is out of range - must be >= 1",
                "[1]: scheme[1]: expected a whole number or a table that names a part (layer) with `use`, got true",
                "[2].use: no layer is called 'thik' - did you mean 'thick'? known: drop, thick",
                "[3]: `use` is missing: which layer? - known: drop, thick",
            ],
        ),
        ([{"use": "thick"}], ["[0]: layer 'thick' needs 'units' (width) - add units = 1"]),
        ([{"use": "drop", "rate": 1}], ["[0].rate: rate: 1 is out of range - must be >= 0 and < 1"]),
        (3, [": scheme: expected text or a list of whole numbers and layer tables, got 3"]),
        ("huge", [": scheme: 'huge' is not a choice here - known: empty, medium"]),
    ],
)
def test_schemes_that_do_not_fit(more: Registry, scheme: Any, lines: list[str]) -> None:
    agent = {"use": "chooser", "network": {"middleware": {"use": "stack", "scheme": scheme}}}
    assert checked(more, agent)[1] == [f"agent.network.middleware.scheme{line}" for line in lines]
