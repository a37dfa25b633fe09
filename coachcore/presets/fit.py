"""Whether sound parts and settings go together: agent, memory, learner, networks and exploration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import lcm, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from coachcore.clock import Duration
from coachcore.presets.tables import Checker
from coachcore.presets.tree import Node

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry

_ANY_DATA = {"order": "any", "fresh": False}


def fit(checker: Checker, tables: Mapping[str, Node | None], entries: Mapping[str, Entry | None]) -> None:
    """Note whatever does not go together; what is wrong by itself is missing in `tables` and not judged again."""
    agent, memory, exploration = entries["agent"], entries["memory"], entries["exploration"]
    if agent is None:
        return
    needs: dict[str, Any] = _ANY_DATA | dict(agent.spec.facts.get("data", {}))
    pairs = _Pairs(checker, tables, agent, needs)
    if memory is not None and pairs.data(memory):
        pairs.sequences(memory)
    if needs["fresh"]:
        pairs.rollouts()
    else:
        pairs.reused()
    if exploration is not None:
        pairs.actions(exploration)


class _Pairs(NamedTuple):
    """The checks; each problem is told where the latest of the values concerned was written."""

    checker: Checker
    tables: Mapping[str, Node | None]
    agent: Entry
    needs: Mapping[str, Any]

    def data(self, memory: Entry) -> bool:
        """The memory hands out experience in the order, and of the age, that the agent's loss is valid for."""
        if _serves(memory, self.needs):
            return True
        given = f"{' or '.join(_orders(memory))} order, {_aged(memory.spec.facts)}"
        wanted = f"{self.needs['order']} order, {_aged(self.needs)}"
        hint = self._memories(self.needs, "memories that do: {}", "no installed memory does")
        message = f"memory '{memory.spec.name}' gives {given}, agent '{self.agent.spec.name}' needs {wanted}"
        self._wrong(f"{message} - {hint}", self._there("memory", "use"))
        return False

    def sequences(self, memory: Entry) -> None:
        """A recurrent network learns from whole sequences, so many rows at once that they come out even."""
        uses = list(self._recurrent())
        if uses and "sequence" not in _orders(memory):
            wanted = {**self.needs, "order": "sequence"}
            hint = self._memories(wanted, "memories that keep them: {}", "no installed memory keeps them")
            lacking = f"the recurrent middleware '{uses[0].value}' needs sequences"
            message = f"memory '{memory.spec.name}' shuffles single steps, {lacking} - {hint}"
            self._wrong(message, [*self._there("memory", "use"), uses[0]])
        for batch, length in self._both("batch_size", "sequence") if uses else ():
            if batch.value % length.value:
                message = f"batch_size: {batch.value} is no multiple of sequence = {length.value}, which the recurrent"
                hint = f"middleware '{uses[0].value}' learns from - use {_near(batch.value, length.value)}"
                self._wrong(f"{message} {hint}", [batch, length])

    def rollouts(self) -> None:
        """Rows that are used once: environments and minibatches share them out evenly."""
        self._once("updates", "uses up each rollout before the next - set epochs, the times each row is used")
        for every, batch in self._both("train_every", "batch_size"):
            length = Duration.parse(every.value)
            if length.unit != "steps":
                hint = 'learns from rollouts of one length - count it in steps, such as "2_048 steps"'
                self._wrong(f"train_every: {every.value}, but agent '{self.agent.spec.name}' {hint}", [every])
                continue
            count = self._there("environment", "count")
            sequence = self._there("learner", "sequence") if any(self._recurrent()) else []
            among = [f"among {node.value} environments" for node in count if node.value > 1]
            among += [f"in sequences of {node.value}" for node in sequence]
            shares = prod(node.value for node in count + sequence)
            what = f"train_every: {length.amount} steps cannot be split"
            if length.amount % shares:
                hint = f"{' '.join(among)} - use {_near(length.amount, shares)} steps"
                self._wrong(f"{what} {hint}", [every, *count, *sequence])
            elif length.amount % batch.value:
                steps = _near(length.amount, lcm(batch.value, shares))
                hint = f"use {steps} steps, or a batch_size that divides {length.amount}"
                self._wrong(f"{what} into minibatches of {batch.value} - {hint}", [every, batch])

    def reused(self) -> None:
        """Rows that are used again and again: there are as many as a minibatch takes, and calls come out even."""
        self._once("epochs", "draws rows again and again - set updates instead")
        capacities = [node for node in self._there("memory", "capacity") if isinstance(node.value, int)]
        for batch in self._there("learner", "batch_size") if capacities else ():
            if batch.value > capacities[0].value:
                most = capacities[0].value
                hint = f"is more than memory.capacity = {most} - lower it to {most} at most, or raise the capacity"
                self._wrong(f"batch_size: {batch.value} {hint}", [batch, *capacities])
        for call, updates in self._both("updates_per_call", "updates"):
            if call.value and updates.value % call.value:
                able = ", ".join(str(one) for one in range(1, updates.value + 1) if updates.value % one == 0)
                hint = f"does not divide updates = {updates.value} - use 0 for all at once, or one of {able}"
                self._wrong(f"updates_per_call: {call.value} {hint}", [call, updates])

    def actions(self, exploration: Entry) -> None:
        """The exploration policy chooses among actions of the kind that the agent has."""
        having, taking = _actions(self.agent), _actions(exploration)
        if not having or not taking or having & taking:
            return
        names = self._names("exploration", lambda entry: not _actions(entry) or bool(having & _actions(entry)))
        message = f"exploration '{exploration.spec.name}' is for {' or '.join(sorted(taking))} actions"
        message += f", agent '{self.agent.spec.name}' has {' or '.join(sorted(having))} actions"
        self._wrong(f"{message} - policies that fit: {names or 'none'}", self._there("exploration", "use"))

    def _once(self, name: str, why: str) -> None:
        """A setting of the learner that agents of the other sort have."""
        for node in self._there("learner", name):
            if node.value != 1:
                self._wrong(f"{name}: {node.value}, but agent '{self.agent.spec.name}' {why}", [node])

    def _recurrent(self) -> Iterator[Node]:
        """The names of the recurrent middlewares."""
        networks = [*self._there("agent", "network")]
        for table in self._there("agent", "networks"):
            networks += table.value.values()
        for network in networks:
            if "middleware" in network.value:
                use: Node = network.value["middleware"].value["use"]
                if self.checker.registry.resolve("middleware", use.value).spec.facts.get("recurrent"):
                    yield use

    def _there(self, table: str, name: str) -> list[Node]:
        """A sound value, or nothing; what was wrong left an empty list behind."""
        node = self.tables[table]
        found = None if node is None else node.value.get(name)
        return [] if found is None or isinstance(found.value, list) else [found]

    def _both(self, one: str, other: str) -> Iterator[tuple[Node, Node]]:
        """Two settings of the learner, where both are sound."""
        yield from zip(self._there("learner", one), self._there("learner", other), strict=False)

    def _memories(self, needs: Mapping[str, Any], some: str, none: str) -> str:
        names = self._names("memory", lambda entry: _serves(entry, needs))
        return some.format(names) if names else none

    def _names(self, kind: str, fits: Callable[[Entry], bool]) -> str:
        return ", ".join(sorted(entry.spec.name for entry in self.checker.registry.entries(kind) if fits(entry)))

    def _wrong(self, message: str, nodes: list[Node]) -> None:
        self.checker.wrong(max((node.origin for node in nodes), key=lambda origin: origin.rank), message)


def _orders(memory: Entry) -> list[str]:
    orders: list[str] = memory.spec.facts.get("orders", ["any"])
    return orders


def _serves(memory: Entry, needs: Mapping[str, Any]) -> bool:
    return needs["order"] in _orders(memory) and needs["fresh"] == memory.spec.facts.get("fresh", False)


def _aged(facts: Mapping[str, Any]) -> str:
    return "fresh" if facts.get("fresh") else "reused"


def _actions(entry: Entry) -> set[str]:
    """``discrete``, ``box`` or both; a unit box is a box."""
    told = entry.spec.facts.get("actions", ())
    return {word.removeprefix("unit-") for word in ([told] if isinstance(told, str) else told)}


def _near(number: int, step: int) -> str:
    """The multiples of `step` on both sides of `number`: ``64 or 128``."""
    below = number // step * step
    return f"{below} or {below + step}" if below else str(step)
