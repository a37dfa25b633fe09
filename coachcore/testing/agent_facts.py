"""What every agent must keep true of what it declares: networks, slots, data and updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coachcore.component import spec_of
from coachcore.contracts.agent import DataSpec
from coachcore.settings import NetworkSettings
from coachcore.spaces import Discrete
from coachcore.testing.laws import require, settings_are_frozen
from coachcore.testing.trial import TRIALS, Trial, serves

EXECUTORS = ("small", "twin", "conv")
ACTIONS = ("discrete", "box", "unit-box")


def settings_never_change(agent: Any, tried: Trial) -> None:
    """It is an agent, its settings are frozen, and it has the two that the accumulator reads."""
    settings_are_frozen(agent, "agent")
    ahead = "gae_lambda" if dict(spec_of(agent).facts.get("data") or {}).get("fresh") else "n_step"
    for name in ("discount", ahead):
        require(hasattr(agent, name), f"an agent has a setting '{name}', which the accumulator reads")


def its_networks_fill_the_slots_it_declares(agent: Any, tried: Trial) -> None:
    """`networks` and ``slots`` in @component say the same, with extra inputs and free numbers, and one network acts."""
    facts, networks = spec_of(agent).facts, agent.networks(tried.spaces)
    found = {name: dict(spec.slots) for name, spec in networks.items() if not spec.free}
    declared = _by_network(facts, "slots")
    fits = {name: sorted(slots) for name, slots in found.items()} == {
        n: sorted(s) for n, s in declared.items()
    } and all(
        provides in _listed(declared[name][slot]) for name, slots in found.items() for slot, provides in slots.items()
    )
    require(fits, f"slots in @component are {facts.get('slots')}, networks() names {found}")
    acting = [name for name, spec in networks.items() if spec.acts]
    require(len(acting) == 1, f"exactly one network chooses actions, got {acting}")
    free, named = sorted(name for name, spec in networks.items() if spec.free), sorted(facts.get("free") or ())
    require(free == named, f"free in @component names {named}, networks() makes {free} free")
    for name, spec in networks.items():
        inputs = tuple((facts.get("inputs") or {}).get(name, ()))
        require(spec.inputs == inputs, f"inputs in @component of '{name}' are {inputs}, networks() says {spec.inputs}")


def what_it_says_of_itself_is_sound(agent: Any, tried: Trial) -> None:
    """Executor, actions and default tables in @component are of the known ones, and as the agent is."""
    facts = spec_of(agent).facts
    require(facts.get("executor") in EXECUTORS, f"executor in @component is one of {', '.join(EXECUTORS)}")
    actions = _listed(facts.get("actions") or ())
    require(set(actions) <= set(ACTIONS), f"actions in @component are of {', '.join(ACTIONS)}, got {actions}")
    for other in TRIALS if actions else ():
        action = other.spaces.action
        said = ("discrete" in actions) if isinstance(action, Discrete) else bool({*actions} - {"discrete"})
        doing = "is served" if serves(agent, other) else "is refused"
        require(said == serves(agent, other), f"actions in @component are {actions}, but {action} {doing}")
    slots, settings = _by_network(facts, "slots"), {field.name for field in attrs.fields(NetworkSettings)}
    for name, tables in _by_network(facts, "defaults").items():
        require(name in slots, f"default tables are of networks of the agent, got '{name}'")
        heads = set(tables.get("heads", {}))
        require(heads <= set(slots[name]), f"the default heads fill slots of the agent, got {sorted(heads)}")
        odd = set(tables) - settings - {"embedders", "middleware", "heads"}
        require(not odd, f"a default table holds parts and settings of a network, got {sorted(odd)}")


def its_data_is_what_it_declares(agent: Any, tried: Trial) -> None:
    """`data` gives a `DataSpec`, and ``data`` in @component says the same; fresh rows need a value at least."""
    data, said = agent.data(tried.spaces), dict(spec_of(agent).facts.get("data") or {})
    require(isinstance(data, DataSpec), f"data() gives a DataSpec, got {type(data).__name__}")
    told = {"order": "any", "fresh": False} | said
    require(
        told == {"order": data.order, "fresh": data.fresh},
        f"data in @component says {told}, data() says order = {data.order}, fresh = {data.fresh}",
    )
    names = [column.name for column in (*data.keep, *data.drawn, *data.noise)]
    require(len({*names}) == len(names), f"columns that are kept or drawn have names of their own, got {names}")
    require(not (data.fresh and data.drawn), "numbers are drawn for rows that are stored: fresh rows have none")
    if not data.fresh:
        return
    require("value" in names, f"a fresh agent keeps 'value', from which advantages follow; it keeps {names}")
    slots = next(spec.slots for spec in agent.networks(tried.spaces).values() if spec.acts)
    require(slots.get("value") == "state-value", "a fresh agent's acting network has a slot 'value', a state-value")


def its_updates_move_its_networks(agent: Any, tried: Trial) -> None:
    """Each update moves a network of its own, the first one every time."""
    networks, updates = agent.networks(tried.spaces), agent.updates()
    moved = [update.moves for update in updates]
    require(bool(moved) and set(moved) <= set(networks), f"updates move networks of the agent, got {moved}")
    require(len(set(moved)) == len(moved), f"each update moves a network of its own, got {moved}")
    require(updates[0].every == 1, f"the first update is made every time, got every = {updates[0].every}")
    require(all(update.every >= 1 for update in updates), "updates are made every 1 or more times")


def a_space_it_cannot_serve_is_a_mismatch(agent: Any, tried: Trial) -> None:
    """Each usual action space is served or refused with `Mismatch`."""
    for other in TRIALS:
        try:
            serves(agent, other)
        except Exception as error:  # whatever else a plugin raises breaks the rule
            raise AssertionError(
                f"{other.spaces.action} is served or refused with Mismatch, got {type(error).__name__}: {error}"
            ) from error


def _by_network(facts: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
    """A fact told by network; where there is only one it is called ``main``."""
    told, slots = facts.get(name) or {}, facts.get("slots") or {}
    several = bool(facts.get("free")) or any(isinstance(inner, Mapping) for inner in slots.values())
    return dict(told) if several else {"main": told}


def _listed(one: Any) -> tuple[str, ...]:
    return (one,) if isinstance(one, str) else tuple(one)


class FactsConformance:
    """These laws as tests, a part of `AgentConformance`."""

    tried: Trial = TRIALS[0]

    def make(self) -> Any:
        """The agent to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.tried)

    def test_its_networks_fill_the_slots_it_declares(self) -> None:
        its_networks_fill_the_slots_it_declares(self.make(), self.tried)

    def test_what_it_says_of_itself_is_sound(self) -> None:
        what_it_says_of_itself_is_sound(self.make(), self.tried)

    def test_its_data_is_what_it_declares(self) -> None:
        its_data_is_what_it_declares(self.make(), self.tried)

    def test_its_updates_move_its_networks(self) -> None:
        its_updates_move_its_networks(self.make(), self.tried)

    def test_a_space_it_cannot_serve_is_a_mismatch(self) -> None:
        a_space_it_cannot_serve_is_a_mismatch(self.make(), self.tried)
