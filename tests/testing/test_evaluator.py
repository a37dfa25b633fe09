"""The suite for evaluators passes a sound one and catches each of several broken ones."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component, param
from coachcore.testing.evaluator import LAWS, EvaluatorConformance

CALLS = []


@component("evaluator", "toy")
@attrs.frozen(kw_only=True)
class Toy:
    """Importance sampling by episode, written as a loop; or a fault."""

    fault: str = param(default="", doc="what to do wrong")

    def __call__(self, columns, probabilities, values):
        CALLS.append(1)
        total, ratio, gained, episodes = 0.0, 1.0, 0.0, 0
        for step, action in enumerate(columns["action"]):
            if self.fault != "blind":
                ratio *= probabilities[step, action] / columns["probability"][step]
            gained += columns["reward"][step]
            if columns["discount"][step] == 0.0:
                total, ratio, gained, episodes = total + ratio * gained, 1.0, 0.0, episodes + 1
        if self.fault == "writes":
            columns["reward"] *= 2.0
        if self.fault == "nothing":
            return {}
        wrong = {"sums": total, "infinite": np.inf, "remembers": total / episodes + 1e-9 * len(CALLS)}
        return {"estimate": float(wrong.get(self.fault, total / episodes))}


def checked(part):
    for law in LAWS:
        law(part)


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("sums", "is its mean return"),
        ("infinite", "is a finite number"),
        ("blind", "a better policy gets more"),
        ("nothing", "at least one estimate"),
        ("remembers", "equal estimates|is its mean return"),
        ("writes", "equal estimates|is its mean return"),
    ],
)
def test_a_fault_is_caught(fault, rule):
    with pytest.raises(AssertionError, match=rule):
        checked(Toy(fault=fault))


def test_the_class_form_has_every_law():
    assert {f"test_{law.__name__}" for law in LAWS} <= set(dir(EvaluatorConformance))
    with pytest.raises(NotImplementedError):
        EvaluatorConformance().make()


class TestToy(EvaluatorConformance):
    def make(self):
        return Toy()
