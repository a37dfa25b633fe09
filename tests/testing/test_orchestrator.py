"""The suite for orchestrators passes a sound one and catches each of several broken ones."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from coachcore.component import component, param
from coachcore.testing.orchestrator import LAWS, OrchestratorConformance, a_deployment_can_be_watched_and_undone

CALLS, RUNNING = [], {}


@component("orchestrator", "toy")
@attrs.frozen(kw_only=True)
class Toy:
    """A list of what would run, or a fault."""

    fault: str = param(default="", doc="what to do wrong")

    def render(self, preset, workers):
        CALLS.append(workers)
        count = {"alone": 1}.get(self.fault, workers)
        if self.fault == "writes":
            Path("run.sh").write_text("run")
        text = f"run {len(CALLS) if self.fault == 'counts' else ''} {'' if self.fault == 'forgets' else preset}"
        return {f"worker-{number}": "" if self.fault == "empty" else text for number in range(count)}

    def deploy(self, preset, workers):
        name = "one" if self.fault == "one name" else f"number-{len(RUNNING)}"
        RUNNING[name] = dict.fromkeys(self.render(preset, workers), "running")
        return "" if self.fault == "nameless" else name

    def status(self, deployment):
        return RUNNING.get(deployment, {})

    def undeploy(self, deployment):
        if self.fault != "stays":
            RUNNING.pop(deployment, None)


@pytest.fixture(autouse=True)
def nothing_runs():
    RUNNING.clear()


def checked(part):
    for law in (*LAWS, a_deployment_can_be_watched_and_undone):
        law(part)


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("counts", "render gives the same"),
        ("alone", "depends on the number of workers"),
        ("forgets", "knows the preset"),
        ("writes", "writes nothing, but it left run.sh"),
        ("empty", "render gives texts"),
        ("one name", "each deployment has a name of its own"),
        ("nameless", "deploy gives the deployment's name"),
        ("stays", "nothing is left after undeploy"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        checked(Toy(fault=fault))


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(OrchestratorConformance))
    with pytest.raises(NotImplementedError):
        OrchestratorConformance().make()


class TestToy(OrchestratorConformance):
    def make(self):
        return Toy()
