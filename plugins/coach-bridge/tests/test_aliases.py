"""The class names of the old system stand for the parts that came after them."""

from __future__ import annotations

import pytest

from coach_bridge.conversion import converted
from coachcore import load_preset

NAMES = {
    "agent": {"DQNAgentParameters": "dqn", "DQNAgent": "dqn"},
    "environment": {
        "GymVectorEnvironment": "gymnasium",
        "GymEnvironment": "gymnasium",
        "GymEnvironmentParameters": "gymnasium",
    },
    "memory": {
        "ExperienceReplay": "experience-replay",
        "ExperienceReplayParameters": "experience-replay",
        "PrioritizedExperienceReplay": "prioritized-experience-replay",
        "PrioritizedExperienceReplayParameters": "prioritized-experience-replay",
        "BalancedExperienceReplayParameters": "balanced-experience-replay",
        "EpisodicExperienceReplay": "episodic-experience-replay",
        "EpisodicHindsightExperienceReplayParameters": "episodic-hindsight-experience-replay",
        "EpisodicHRLHindsightExperienceReplayParameters": "episodic-hrl-hindsight-experience-replay",
    },
    "exploration": {
        "EGreedy": "e-greedy",
        "EGreedyParameters": "e-greedy",
        "GreedyParameters": "greedy",
        "BoltzmannParameters": "boltzmann",
        "CategoricalParameters": "categorical",
    },
}
"""Kind of part -> old name -> name."""


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names])
def test_an_old_name_is_understood(old, kind, name):
    document = converted(old["CartPole_DQN"].text, "x.py").document
    given = {key: value for key, value in document[kind].items() if key in ("id", "network", "learner")}
    document = document | {kind: given | {"use": name}}
    assert load_preset(document).resolved[kind]["use"] == NAMES[kind][name]
