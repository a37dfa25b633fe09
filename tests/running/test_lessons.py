"""Train calls and what they measured, by hand."""

from __future__ import annotations

import numpy as np

from coachcore.running.lessons import Lessons
from coachcore.types import Trained

NAN = float("nan")


class Recording:
    """A learner that hands back what it was given."""

    metric_names = ("loss", "actor.loss")

    def __init__(self, *metrics):
        self.asked, self.metrics = [], list(metrics)

    def train(self, sample, rate, knobs=None):
        self.asked.append((sample, rate, knobs))
        return Trained(np.zeros((1, 1)), np.array(self.metrics.pop(0), np.float32), np.zeros(0))


class Halving:
    """An agent whose knob is halved after every call, and remembers the loss."""

    def begin(self):
        return {"knob": 8.0, "loss": 0.0}

    def knobs(self, state, step):
        return {"knob": state["knob"] + step}

    def adapt(self, state, metrics):
        return {"knob": state["knob"] / 2, "loss": metrics["loss"]}


def test_an_agent_that_does_not_adapt_has_no_knobs():
    learner = Recording((1.0, 2.0))
    Lessons(object(), learner).train("sample", 0.5, 7)
    assert learner.asked == [("sample", 0.5, None)]


def test_an_agent_that_adapts_is_told_what_was_measured():
    learner = Recording((1.0, NAN), (3.0, NAN))
    lessons = Lessons(Halving(), learner)
    lessons.train("a", 0.5, 1)
    lessons.train("b", 0.5, 2)
    assert [knobs for *_, knobs in learner.asked] == [{"knob": 9.0}, {"knob": 6.0}]
    assert lessons.adapted == {"knob": 2.0, "loss": 3.0}


def test_means_leave_out_what_was_not_measured():
    learner = Recording((1.0, NAN), (4.0, 6.0))
    lessons = Lessons(object(), learner)
    assert not lessons.any
    lessons.note(lessons.train("a", 0.5, 1), 1)
    lessons.note(lessons.train("b", 0.5, 1), 2)
    assert lessons.any
    assert lessons.report() == {"loss": 3.0, "actor.loss": 6.0}
    assert not lessons.any
    assert lessons.report() == {}


def test_a_saved_tally_goes_on():
    learner = Recording((1.0, NAN), (3.0, 5.0))
    lessons, other = Lessons(Halving(), learner), Lessons(Halving(), learner)
    lessons.note(lessons.train("a", 0.5, 1), 1)
    other.restore(lessons.state())
    other.note(other.train("b", 0.5, 1), 1)
    assert other.report() == {"loss": 2.0, "actor.loss": 5.0}
    assert lessons.report() == {"loss": 1.0}
