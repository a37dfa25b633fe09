"""The public names: adding or removing one is a decision, never an accident."""

from __future__ import annotations

from pathlib import Path

from coachcore import api

SNAPSHOT = Path(__file__).with_name("api_names.txt")


def test_the_public_names_are_those_of_the_snapshot():
    there, wanted = set(api.__all__), set(SNAPSHOT.read_text(encoding="utf-8").split())
    added, removed = sorted(there - wanted), sorted(wanted - there)
    assert there == wanted, (
        f"coachcore.api gained {added} and lost {removed}. If that is meant: raise coachcore.specs.API (minor for "
        f"names gained, major for names lost), say so in CHANGELOG.md and bring {SNAPSHOT.name} up to date with "
        '`python -c "from coachcore import api; print(*sorted(api.__all__), sep=chr(10))" > tests/api_names.txt`'
    )


def test_the_list_is_sorted_without_repeats_and_every_name_is_there():
    assert list(api.__all__) == sorted(set(api.__all__))
    assert [name for name in api.__all__ if not hasattr(api, name)] == []


def test_nothing_private_is_offered():
    assert [name for name in api.__all__ if name.startswith("_")] == []
