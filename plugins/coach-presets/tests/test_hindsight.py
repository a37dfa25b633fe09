"""Learning from goals that were reached instead: where nothing else finds the goal, it does."""

from __future__ import annotations

import pytest

import coachcore

PLAIN = {"memory": {"use": "experience-replay", "capacity": 500_000}}


@pytest.mark.parametrize("hindsight", [True, False], ids=["in hindsight", "as it was"])
def test_sixteen_bits(hindsight, tmp_path):
    """Andrychowicz et al. 2017, figure 1: chance never flips all bits right, so there is nothing else to learn from."""
    short = {"schedule.train": "6_000 steps", "engine.cache": False}
    preset = coachcore.load_preset("bit-flip-dqn-her", seed=3).changed(short | ({} if hindsight else PLAIN))
    outcome = coachcore.run(preset, out=tmp_path / "run", recorders={})
    score = coachcore.evaluate(outcome.folder, episodes=20)
    if hindsight:
        assert score.mean >= -9
    else:
        assert score.mean == -16
