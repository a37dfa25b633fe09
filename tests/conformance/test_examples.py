"""Every installed part can be made for testing: at its defaults, from a preset or from sample values."""

from __future__ import annotations

import pytest

from coachcore.component import spec_of
from coachcore.specs import KINDS
from coachcore.testing.examples import examples


@pytest.mark.parametrize("kind", KINDS)
def test_every_usable_part_can_be_made(kind, registry):
    made = examples(registry, kind)
    assert [one for one in made if one.trouble] == []
    usable = [entry for entry in registry.entries(kind) if entry.state in ("ok", "clash")]
    assert [(one.id, spec_of(one.part).name) for one in made] == [(entry.id, entry.spec.name) for entry in usable]
