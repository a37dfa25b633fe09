"""Whether sound parts and settings go together: agent, memory, learner, networks and exploration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import lcm
from typing import TYPE_CHECKING, Any

import attrs

from coachcore.clock import Duration
from coachcore.errors import CoachError
from coachcore.presets.tables import Checker
from coachcore.presets.tree import Node

if TYPE_CHECKING:
    from coachcore.registry.entry import Entry

_ANY_DATA = {"order": "any", "fresh": False}


def fit(checker: Checker, tables: Mapping[str, Node | None], entries: Mapping[str, Entry | None]) -> None:
    """Note whatever does not go together; what is wrong by itself is left out of `tables` and not judged again."""
    agent, memory, exploration = entries["agent"], entries["memory"], entries["exploration"]
    if agent is None:
        return
    needs: dict[str, Any] = _ANY_DATA | dict(agent.spec.facts.get("data", {}))
    pairs = _Pairs(checker, tables, agent, needs["fresh"])
    if memory is not None and pairs.data(memory, needs):
        pairs.sequences(memory)
    if needs["fresh"]:
        pairs.rollouts()
    else:
        pairs.reused()
    if exploration is not None:
        pairs.actions(exploration)


@attrs.frozen
class _Pairs:
    """The checks; a number that is missing here was wrong by itself, and its checks are passed over."""

    checker: Checker
    tables: Mapping[str, Node | None]
    agent: Entry
    fresh: bool

    def data(self, memory: Entry, needs: Mapping[str, Any]) -> bool:
        """The memory hands out experience in the order, and of the age, that the agent's loss is valid for."""
        if _serves(memory, needs):
            return True
        orders, fresh = _orders(memory), memory.spec.facts.get("fresh", False)
        given, wanted = f"{' or '.join(orders)} order{_aged(fresh)}", f"{needs['order']} order{_aged(needs['fresh'])}"
        message = f"memory '{memory.spec.name}' gives {given}, agent '{self.agent.spec.name}' needs {wanted}"
        fitting = self._names("memory", lambda entry: _serves(entry, needs))
        hint = f"memories that do: {fitting}" if fitting else "no installed memory does"
        self._wrong([self._node("memory", "use")], f"{message} - {hint}")
        return False

    def sequences(self, memory: Entry) -> None:
        """A recurrent network learns from whole sequences, so many rows at once that they come out even."""
        for middleware in self._recurrent():
            use = middleware.value["use"]
            if "sequence" not in _orders(memory):
                name = f"recurrent middleware '{use.value}' needs sequences"
                message = f"memory '{memory.spec.name}' shuffles single steps, the {name}"
                wanted = {"order": "sequence", "fresh": self.fresh}
                fitting = self._names("memory", lambda entry: _serves(entry, wanted))  # noqa: B023 - used at once
                hint = f"memories that keep them: {fitting}" if fitting else "no installed memory keeps them"
                self._wrong([self._node("memory", "use"), use], f"{message} - {hint}")
            batch, sequence = self._learner("batch_size"), self._learner("sequence")
            if batch is not None and sequence is not None and batch.value % sequence.value:
                message = f"batch_size: {batch.value} is not a multiple of sequence = {sequence.value}"
                hint = f"sequences of the recurrent middleware '{use.value}' stay whole"
                self._wrong([batch, sequence], f"{message}, {hint} - use {_near(batch.value, sequence.value)}")
            return  # one that is told is enough

    def rollouts(self) -> None:
        """Rows that are used once: as many as environments and minibatches share out evenly, over and over."""
        self._single("updates", "uses each rollout up at once", "set epochs instead, the times that each row is used")
        every, batch = self._learner("train_every"), self._learner("batch_size")
        if every is None:
            return
        length = Duration.parse(every.value)
        if length.unit != "steps":
            message = (
                f"train_every: {every.value}, but agent '{self.agent.spec.name}' learns from rollouts of one length"
            )
            self._wrong([every], f'{message} - count it in steps, such as "2_048 steps"')
            return
        count = self._node("environment", "count")
        shares = 1 if count is None else count.value
        if length.amount % shares:
            message = f"train_every: {length.amount} steps cannot be split among {shares} environments"
            self._wrong([every, count], f"{message} - use {_near(length.amount, shares)} steps")
        elif batch is not None and length.amount % batch.value:
            message = f"train_every: {length.amount} steps cannot be split into minibatches of {batch.value}"
            fitting = f"use {_near(length.amount, lcm(batch.value, shares))} steps"
            self._wrong([every, batch], f"{message} - {fitting}, or a batch_size that divides {length.amount}")

    def reused(self) -> None:
        """Rows that are used again and again: there are as many as a minibatch takes, and calls come out even."""
        self._single("epochs", "draws rows from its memory again and again", "set updates instead")
        batch, capacity = self._learner("batch_size"), self._node("memory", "capacity")
        counted = capacity is not None and isinstance(capacity.value, int)
        if batch is not None and capacity is not None and counted and batch.value > capacity.value:
            message = f"batch_size: {batch.value} is more than memory.capacity = {capacity.value}"
            self._wrong([batch, capacity], f"{message} - lower it to {capacity.value} at most, or keep more")
        updates, call = self._learner("updates"), self._learner("updates_per_call")
        if updates is not None and call is not None and call.value and updates.value % call.value:
            message = f"updates_per_call: {call.value} does not divide updates = {updates.value}"
            self._wrong(
                [call, updates], f"{message} - use 0 for all of them at once, or one of {_divisors(updates.value)}"
            )

    def actions(self, exploration: Entry) -> None:
        """The exploration policy chooses among actions of the kind that the agent has."""
        having = _actions(self.agent)
        if not having or not _actions(exploration) or having & _actions(exploration):
            return
        names = self._names("exploration", lambda entry: not _actions(entry) or bool(having & _actions(entry)))
        chooses = f"exploration '{exploration.spec.name}' is for {_said(exploration)} actions"
        message = f"{chooses}, agent '{self.agent.spec.name}' has {_said(self.agent)} actions"
        self._wrong(
            [self._node("exploration", "use")], f"{message} - policies that fit: {names or 'none is installed'}"
        )

    def _single(self, name: str, why: str, hint: str) -> None:
        node = self._learner(name)
        if node is not None and node.value != 1:
            self._wrong([node], f"{name}: {node.value}, but agent '{self.agent.spec.name}' {why} - {hint}")

    def _recurrent(self) -> Iterator[Node]:
        """The tables of the recurrent middlewares."""
        networks = self._node("agent", "networks")
        single = self._node("agent", "network")
        for network in [single] if networks is None else networks.value.values():
            middleware = None if network is None else network.value.get("middleware")
            if middleware is not None and self._entry("middleware", middleware).get("recurrent"):
                yield middleware

    def _entry(self, kind: str, table: Node) -> Mapping[str, Any]:
        try:
            return self.checker.registry.resolve(kind, table.value["use"].value).spec.facts
        except CoachError:
            return {}

    def _learner(self, name: str) -> Node | None:
        learner = self._node("agent", "learner")
        node = None if learner is None else learner.value.get(name)
        return None if node is None or isinstance(node.value, list) else node

    def _node(self, table: str, name: str) -> Node | None:
        node = self.tables[table]
        found: Node | None = None if node is None else node.value.get(name)
        return None if found is None or isinstance(found.value, list) else found

    def _names(self, kind: str, fits: Any) -> str:
        return ", ".join(sorted(entry.spec.name for entry in self.checker.registry.entries(kind) if fits(entry)))

    def _wrong(self, nodes: list[Node | None], message: str) -> None:
        """Tell it where the latest of the values was written."""
        written = [node.origin for node in nodes if node is not None]
        self.checker.wrong(max(written, key=lambda origin: origin.rank), message)


def _orders(memory: Entry) -> list[str]:
    orders: list[str] = memory.spec.facts.get("orders", ["any"])
    return orders


def _serves(memory: Entry, needs: Mapping[str, Any]) -> bool:
    return needs["order"] in _orders(memory) and needs["fresh"] == memory.spec.facts.get("fresh", False)


def _aged(fresh: bool) -> str:
    return ", fresh" if fresh else ", reused"


def _actions(entry: Entry) -> set[str]:
    """``discrete``, ``box`` or both; a unit box is a box."""
    told = entry.spec.facts.get("actions", ())
    return {word.removeprefix("unit-") for word in ([told] if isinstance(told, str) else told)}


def _said(entry: Entry) -> str:
    return " or ".join(sorted(_actions(entry)))


def _near(number: int, step: int) -> str:
    """The multiples of `step` on both sides of `number`: ``64 or 128``."""
    below = number // step * step
    return f"{below} or {below + step}" if below else str(step)


def _divisors(number: int) -> str:
    found = [str(one) for one in range(1, number + 1) if number % one == 0]
    return ", ".join(found)
