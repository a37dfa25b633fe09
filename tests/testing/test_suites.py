"""Every kind has its laws, and they catch a broken part whatever it is tried on."""

from __future__ import annotations

import attrs
import pytest

from coachcore.component import component, param
from coachcore.specs import KINDS
from coachcore.testing.suites import check_part, checks
from coachcore.testing.toy_learning import ToyEngine, ToyQ
from coachcore.testing.toys import ToyEGreedy, ToyList, ToyRing, ToySigns


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_laws(kind):
    names = [check.name for check in checks(kind)]
    assert names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("agent", ToyQ()),
        ("engine", ToyEngine()),
        ("environment", ToySigns(length=5)),
        ("exploration", ToyEGreedy()),
        ("memory", ToyRing(capacity=10_000)),
        ("recorder", ToyList()),
    ],
    ids=str,
)
def test_toys_are_sound(kind, part, tmp_path):
    check_part(kind, part, tmp_path)


@component("filter", "stuck")
@attrs.frozen(kw_only=True)
class Stuck:
    """Acts on nothing."""

    depth: int = param(default=1, doc="of no use")


def test_what_refuses_everything_fails(tmp_path):
    with pytest.raises(AssertionError, match="refuses all the usual things"):
        check_part("filter", Stuck(), tmp_path)
