"""The suite for transports passes a sound one and catches each of several broken ones."""

from __future__ import annotations

from queue import Empty, Queue

import attrs
import pytest

from coachcore.component import component, param
from coachcore.testing import transport
from coachcore.testing.transport import LAWS, TransportConformance


@component("transport", "toy")
@attrs.frozen(kw_only=True)
class Toy:
    """A queue of eight, or a fault."""

    fault: str = param(default="", doc="what to do wrong")
    queue: Queue = attrs.field(init=False, factory=lambda: Queue(8))
    sent: dict = attrs.field(init=False, factory=dict)

    def send(self, worker, number, block):
        if self.fault != "repeats" and number <= self.sent.get(worker, 0):
            return
        self.sent[worker] = number
        if self.fault == "drops" and self.queue.full():
            return
        self.queue.put((worker, number, block[:-1] if self.fault == "cuts" else block))

    def receive(self, seconds):
        try:
            return self.queue.get(timeout=seconds)
        except Empty:
            return ("nobody", 0, b"") if self.fault == "invents" else None

    def acknowledge(self, worker, number):
        pass

    def close(self):
        pass


def checked(fault):
    for law in LAWS:
        law(Toy(fault=fault))


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("cuts", "blocks arrive whole"),
        ("invents", "an empty queue gives None"),
        ("repeats", "sent again changes nothing"),
        ("drops", "a full queue drops nothing"),
    ],
)
def test_a_fault_is_caught(fault, rule, monkeypatch):
    monkeypatch.setattr(transport, "LONG", 0.2)
    with pytest.raises(AssertionError, match=rule):
        checked(fault)


def test_a_sound_transport_passes():
    checked("")


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(TransportConformance))
    with pytest.raises(NotImplementedError):
        TransportConformance().make()


class TestToy(TransportConformance):
    def make(self):
        return Toy()
