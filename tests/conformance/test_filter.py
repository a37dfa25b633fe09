"""Every installed filter keeps the laws of filters, on every usual space that it takes."""

from __future__ import annotations

from coachcore.errors import Mismatch
from coachcore.testing.filter import LAWS, acts_on
from coachcore.testing.suites import FILTERED

KIND = "filter"


def taken(part):
    """The usual spaces, for what the filter acts on, that it does not refuse."""
    found = []
    for space in (space for role in acts_on(part) for space in FILTERED.get(role, ())):
        try:
            part.space(space)
        except Mismatch:
            continue
        found.append(space)
    return found


def test_law(part, law):
    assert LAWS
    for space in taken(part):
        law(part, space)


def test_a_usual_space_is_taken(part):
    assert taken(part), f"{part} acts on {acts_on(part)} and takes none of the spaces that these tests know"
