"""What the acting network is asked, and what is kept and remembered of it."""

from __future__ import annotations

import numpy as np
import pytest

from coachcore.rng import Streams
from coachcore.running.actor import Actor
from coachcore.types import Proposal

OBS = {"o": np.array([[1.0], [2.0]])}


class Counting:
    """A recurrent network without acting form: adds what it sees to what it carries, in one buffer of its own."""

    def __init__(self, program=None):
        self.program, self.noises = program, []
        self.buffer = np.zeros((2, 1), np.float32)

    def acting(self):
        return self.program or {}, np.array([3.0], np.float32)

    def forward(self, obs, rng=None):
        self.noises.append(rng)
        self.buffer[:] = obs["o"] + obs.get("carry", 0.0)
        return {"carry": self.buffer, "value": self.buffer[:, 0]}


class Thinker:
    def propose(self, outputs):
        return Proposal(outputs["carry"] * 10)

    def kept(self, outputs, proposal, actions):
        return {"value": outputs["value"] + 0, "score": proposal.preferences[:, 0] + actions}


def actor(learner, **given):
    return Actor(Thinker(), learner, Streams(0), **({"fresh": False, "carry": 0} | given))


def test_it_is_asked_only_when_somebody_wants_to_know():
    learner = Counting()
    plain = actor(learner)
    assert not plain.eager
    assert plain.propose(OBS).preferences.tolist() == [[10.0], [20.0]]
    assert plain.after(OBS) is OBS
    assert plain.opening(OBS, 2) is OBS
    assert len(learner.noises) == 1


@pytest.mark.parametrize("given", [{"fresh": True}, {"carry": 1}])
def test_who_keeps_or_remembers_is_asked_at_every_step(given):
    assert actor(Counting(), **given).eager


def test_what_was_thought_is_kept_with_what_was_done():
    fresh = actor(Counting(), fresh=True)
    fresh.think(OBS)
    kept = fresh.kept(np.array([0.5, 0.0]))
    assert {name: values.tolist() for name, values in kept.items()} == {"value": [1.0, 2.0], "score": [10.5, 20.0]}


def test_what_is_remembered_travels_with_the_observations():
    recurrent = actor(Counting(), carry=1)
    opened = recurrent.opening(OBS, 2)
    assert opened["carry"].tolist() == [[0.0], [0.0]]
    assert opened["first"].tolist() == [1.0, 1.0]
    recurrent.think(opened)
    after = recurrent.after(OBS)
    assert after["carry"].tolist() == [[1.0], [2.0]]
    assert after["first"].tolist() == [0.0, 0.0]
    assert recurrent.value_of(after).tolist() == [2.0, 4.0]
    assert after["carry"].tolist() == [[1.0], [2.0]]  # the network's own buffer was written again, this was not


def test_noise_is_drawn_where_there_may_be_any():
    learner = Counting()
    actor(learner).propose(OBS)
    assert learner.noises[0] is not None  # a network without acting form may be noisy
    program = {
        "inputs": {"o": [1]},
        "size": 1,
        "weights": [{"name": "k", "shape": [1, 1], "offset": 0}],
        "ops": [{"op": "dense", "inputs": ["o"], "output": "carry", "kernel": 0, "bias": None}],
        "outputs": {"carry": "carry"},
    }
    still = actor(Counting(program))
    assert still.propose(OBS).preferences.tolist() == [[30.0], [60.0]]
    still.refresh(np.array([1.0], np.float32))
    assert still.propose(OBS).preferences.tolist() == [[10.0], [20.0]]
    still.load()
    assert still.propose(OBS).preferences.tolist() == [[30.0], [60.0]]
