"""A right transport."""

from __future__ import annotations

from queue import Empty, Queue
from threading import Lock
from typing import Any

import attrs

from coachcore.component import component, param


@component("transport", "line")
@attrs.frozen(kw_only=True)
class Line:
    """A queue between threads; when it is full, the sender waits."""

    room: int = param(default=16, ge=1, doc="blocks that may wait to be received")
    queue: Queue = attrs.field(init=False, eq=False, repr=False)
    sent: dict = attrs.field(init=False, factory=dict, eq=False, repr=False)
    lock: Any = attrs.field(init=False, factory=Lock, eq=False, repr=False)

    @queue.default
    def _empty(self):
        return Queue(self.room)

    def send(self, worker, number, block):
        with self.lock:
            if number <= self.sent.get(worker, -1):
                return
            self.sent[worker] = number
        self.queue.put((worker, number, block))

    def receive(self, seconds):
        try:
            return self.queue.get(timeout=seconds)
        except Empty:
            return None

    def acknowledge(self, worker, number):
        pass

    def close(self):
        pass
