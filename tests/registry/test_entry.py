"""Entries and the policy for API versions."""

from __future__ import annotations

import pytest

from coachcore.registry.entry import Entry, standing
from coachcore.specs import API, ComponentSpec


def test_an_entry_knows_its_full_id() -> None:
    assert Entry(ComponentSpec("head", "q", "a:Q"), "acme", "1.0").id == "acme/head:q"


@pytest.mark.parametrize(
    ("major", "minor", "state", "warned"),
    [(0, 0, "ok", False), (0, 1, "ok", True), (1, 0, "too-new", True), (-1, 0, "too-old", True)],
)
def test_the_policy_relative_to_our_own_version(major: int, minor: int, state: str, warned: bool) -> None:
    found, said = standing(f"{API[0] + major}.{API[1] + minor}")
    assert (found, bool(said)) == (state, warned)
