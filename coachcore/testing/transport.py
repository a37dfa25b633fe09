"""What every transport must keep true."""

from __future__ import annotations

from threading import Thread
from typing import Any

from coachcore.testing.laws import require, settings_are_frozen

SHORT, LONG = 0.01, 10.0
"""Seconds that the laws wait for a block that should not, and for one that should come."""
BLOCK = bytes(range(256))


def settings_never_change(part: Any) -> None:
    """It is a transport, and its settings are frozen."""
    settings_are_frozen(part, "transport")
    part.close()


def blocks_arrive_whole_and_in_order(part: Any) -> None:
    """Each worker's blocks come in the order it sent them, byte for byte, each once."""
    sent: dict[str, list[tuple[int, bytes]]] = {"a": [], "b": []}
    got: dict[str, list[tuple[int, bytes]]] = {"a": [], "b": []}
    for number in range(1, 5):
        for worker, blocks in sent.items():
            block = f"{worker}{number}".encode() + BLOCK * number
            blocks.append((number, block))
            part.send(worker, number, block)
            came = part.receive(LONG)
            require(came is not None, "a block that was sent is received")
            got[came[0]].append(came[1:])
            part.acknowledge(came[0], came[1])
    part.close()
    require(got == sent, "blocks arrive whole, once, in the order their worker sent them")


def nothing_comes_from_nothing(part: Any) -> None:
    """An empty queue answers None."""
    came = part.receive(SHORT)
    part.close()
    require(came is None, f"an empty queue gives None, got {came!r}")


def sending_again_changes_nothing(part: Any) -> None:
    """A worker that is not sure sends the same number again; it arrives once, also when it was acknowledged."""
    part.send("sure", 1, BLOCK)
    part.send("sure", 1, BLOCK)
    first, second = part.receive(LONG), part.receive(SHORT)
    part.acknowledge("sure", 1)
    part.send("sure", 1, BLOCK)
    third = part.receive(SHORT)
    part.close()
    require(first == ("sure", 1, BLOCK), f"the block comes once, got {first!r}")
    require(second is None and third is None, "the same number sent again changes nothing")


def nothing_is_dropped_when_it_is_full(part: Any) -> None:
    """A sender that is faster than the receiver waits; every block arrives."""
    count = 200
    sender = Thread(target=lambda: [part.send("fast", number, BLOCK) for number in range(1, count + 1)], daemon=True)
    sender.start()
    numbers: list[int] = []
    while len(numbers) < count and (came := part.receive(LONG)) is not None:
        numbers.append(came[1])
        part.acknowledge(*came[:2])
    sender.join(LONG)
    part.close()
    require(numbers == list(range(1, count + 1)), f"a full queue drops nothing, {len(numbers)} of {count} blocks came")


LAWS = (
    settings_never_change,
    blocks_arrive_whole_and_in_order,
    nothing_comes_from_nothing,
    sending_again_changes_nothing,
    nothing_is_dropped_when_it_is_full,
)


class TransportConformance:
    """The laws as tests: subclass it as ``TestMine`` and give `make`."""

    def make(self) -> Any:
        """The transport to test, empty; every test makes one and closes it."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make())

    def test_blocks_arrive_whole_and_in_order(self) -> None:
        blocks_arrive_whole_and_in_order(self.make())

    def test_nothing_comes_from_nothing(self) -> None:
        nothing_comes_from_nothing(self.make())

    def test_sending_again_changes_nothing(self) -> None:
        sending_again_changes_nothing(self.make())

    def test_nothing_is_dropped_when_it_is_full(self) -> None:
        nothing_is_dropped_when_it_is_full(self.make())
