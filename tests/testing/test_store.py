"""The suite for stores passes a sound one and catches each of several broken ones."""

from __future__ import annotations

import attrs
import pytest

from coachcore.component import component, param
from coachcore.errors import BadCheckpoint
from coachcore.testing.store import LAWS, StoreConformance, check_store

SHELF = {}


@component("store", "toy")
@attrs.frozen(kw_only=True)
class Toy:
    """Bytes in a dictionary that all share, or a fault."""

    fault: str = param(default="", doc="what to do wrong")

    def put(self, name, data):
        if self.fault == "keeps-old" and name in SHELF:
            return
        SHELF[name] = data[:-1] if self.fault == "cuts" else data

    def get(self, name):
        if name not in SHELF:
            raise KeyError(name) if self.fault == "key-error" else BadCheckpoint("nothing there", where=name)
        return SHELF[name]

    def names(self, prefix=""):
        found = [name for name in SHELF if name.startswith(prefix) or self.fault == "no-prefix"]
        return iter(found if self.fault == "unsorted" else sorted(found))

    def delete(self, name):
        if self.fault == "strict-delete":
            del SHELF[name]
        SHELF.pop(name, None)


@pytest.fixture(autouse=True)
def empty():
    SHELF.clear()


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("keeps-old", "get gives what was put last"),
        ("cuts", "get gives the bytes last put"),
        ("key-error", "is a BadCheckpoint"),
        ("no-prefix", "those that begin so"),
        ("unsorted", "names are listed as they were put"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        check_store(Toy(fault=fault))


def test_deleting_nothing_may_not_raise():
    with pytest.raises(KeyError):
        check_store(Toy(fault="strict-delete"))


def test_a_sound_store_passes():
    check_store(Toy())


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(StoreConformance))
    with pytest.raises(NotImplementedError):
        StoreConformance().make()


class TestToy(StoreConformance):
    def make(self):
        return Toy()
