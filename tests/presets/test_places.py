"""Which kind of part stands where in a preset."""

from __future__ import annotations

import pytest

from coachcore.presets.places import HEAD, LEARNER, NETWORK, PARTS, RESERVED, RUN, TOP, kind_at, named, several
from coachcore.presets.positions import Path
from coachcore.specs import KINDS


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ((), None),
        (("environment",), "environment"),
        (("agent",), "agent"),
        (("engine",), "engine"),
        (("exploration",), "exploration"),
        (("memory",), "memory"),
        (("agent", "network"), None),
        (("agent", "learner"), None),
        (("agent", "network", "embedders"), None),
        (("agent", "network", "heads"), None),
        (("agent", "network", "embedders", "observation"), "embedder"),
        (("agent", "network", "heads", "q"), "head"),
        (("agent", "network", "middleware"), "middleware"),
        (("agent", "networks"), None),
        (("agent", "networks", "critic"), None),
        (("agent", "networks", "critic", "heads"), None),
        (("agent", "networks", "critic", "heads", "q"), "head"),
        (("agent", "networks", "critic", "embedders", "action"), "embedder"),
        (("agent", "networks", "critic", "middleware"), "middleware"),
        (("agent", "network", "middleware", "scheme", 1), "layer"),
        (("agent", "networks", "critic", "embedders", "action", "scheme", 0), "layer"),
        (("filters",), None),
        (("filters", "observation"), None),
        (("filters", "observation", 0), "filter"),
        (("recorders",), None),
        (("recorders", 1), "recorder"),
        (("schedule",), None),
        (("schedule", "evaluate"), None),
        (("checkpoint",), None),
        (("validation",), None),
        (("summary",), None),
    ],
)
def test_the_kind_of_each_place(path: Path, kind: str | None) -> None:
    assert kind_at(path) == kind


@pytest.mark.parametrize(
    "path",
    [
        ("exploration", "epsilon"),
        ("agent", "discount"),
        ("agent", "network", "heads", "q", "units"),
        ("filters", "reward", 2, "factor"),
        ("recorders", 0, "every"),
        ("memory", "schedules", 1, "start"),
    ],
)
def test_inside_a_part_only_a_schedule_can_stand(path: Path) -> None:
    assert kind_at(path) == "schedule"


def test_every_kind_named_is_a_kind() -> None:
    paths: list[Path] = [
        *((kind,) for kind in PARTS),
        ("filters", "observation", 0),
        ("recorders", 0),
        ("agent", "network", "middleware"),
        ("agent", "network", "heads", "q"),
        ("agent", "network", "embedders", "observation"),
        ("memory", "any"),
    ]
    assert {kind_at(path) for path in paths} <= set(KINDS)


def test_what_stands_at_the_top() -> None:
    assert TOP == (
        "coach", "summary", "seed", "extends",
        "environment", "agent", "engine", "exploration", "memory",
        "filters", "schedule", "checkpoint", "validation", "recorders", "store", "orchestrator",
    )  # fmt: skip
    assert {kind for kind in RESERVED if kind not in PARTS} == set()


def test_every_setting_of_the_run_is_documented() -> None:
    specs = [*HEAD, *LEARNER, *NETWORK, *(spec for table in RUN.values() for spec in table)]
    assert [spec.name for spec in specs if not spec.doc] == []


def test_how_many_networks_an_agent_has() -> None:
    assert several({}) is None
    assert several({"slots": {"q": "action-values"}}) is False
    assert several({"slots": {"policy": ["discrete-policy", "gaussian-policy"]}}) is False
    assert several({"slots": {"actor": {"policy": "deterministic-policy"}}}) is True
    assert several({"slots": {}, "free": ["temperature"]}) is True
    assert named({"slots": {"actor": {}, "rate": {}}, "free": ["rate", "temperature"]}) == (
        "actor",
        "rate",
        "temperature",
    )
