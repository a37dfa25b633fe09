"""Old presets for the tests: the table of the 69 presets of RL Coach 1.0, each written out in the old style."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

SHORT = {
    "@alg.": "agent_params.algorithm.",
    "@mem.": "agent_params.memory.",
    "@exp.": "agent_params.exploration.",
    "@env.": "env_params.",
    "@val.": "preset_validation_params.",
    "COPY": "num_steps_between_copying_online_weights_to_target",
    "PLAY": "num_consecutive_playing_steps",
    "TRAINS": "num_consecutive_training_steps",
    "TMAX": "num_steps_between_gradient_updates",
    "APPLY": "apply_gradients_every_x_episodes",
    "EER()": "EpisodicExperienceReplayParameters()",
    "PER()": "PrioritizedExperienceReplayParameters()",
    "SIZE(": "max_size = (MemoryGranularity.Transitions, ",
    "EPS(": "agent_params.exploration.epsilon_schedule = LinearSchedule(",
    "RR(": "agent_params.input_filter.add_reward_filter('rescale', RewardRescaleFilter(",
    "@ON": "agent_params.input_filter.add_observation_filter('observation', 'normalize', "
    "ObservationNormalizationFilter())",
    "@PF": "agent_params.pre_network_filter.add_observation_filter('observation', 'normalize', "
    "ObservationNormalizationFilter(name='normalize'))",
    "@IF": "agent_params.input_filter = InputFilter()",
    "@GATE": "rescale_gradient_from_head_by_factor=1 / math.sqrt(2)",
}
PLACES = {
    r"@obs\((\w+)\)": r"agent_params.network_wrappers['\1'].input_embedders_parameters['observation']",
    r"@act\((\w+)\)": r"agent_params.network_wrappers['\1'].input_embedders_parameters['action']",
    r"@mw\((\w+)\)": r"agent_params.network_wrappers['\1'].middleware_parameters",
    r"@net\((\w+)\)": r"agent_params.network_wrappers['\1']",
    r"\b(\d[\d_]*)es\b": r"EnvironmentSteps(\1)",
    r"\b(\d[\d_]*)ee\b": r"EnvironmentEpisodes(\1)",
    r"\b(\d[\d_]*)ts\b": r"TrainingSteps(\1)",
}
ENVIRONMENTS = {
    "gym": "GymVectorEnvironment(level='{}')",
    "mujoco": "GymVectorEnvironment(level=SingleLevelSelection(mujoco_v2))",
    "fetch": "GymVectorEnvironment(level=SingleLevelSelection(fetch_v1))",
    "atari": "Atari(level=SingleLevelSelection(atari_deterministic_v4))",
    "doom": "DoomEnvironmentParameters(level=DoomEnvironment.DoomLevel.{})",
    "control": "ControlSuiteEnvironmentParameters(level=LevelSelection('{}'))",
    "carla": "CarlaEnvironmentParameters(level='town1')",
    "starcraft": "StarCraft2EnvironmentParameters(level='CollectMineralShards')",
    "robosuite": "RobosuiteEnvironmentParameters(level='CubeExp')",
}
STEPS = {"s": "EnvironmentSteps", "e": "EnvironmentEpisodes", "t": "TrainingSteps"}
NAMES = ("heatup_steps", "improve_steps", "steps_between_evaluation_periods", "evaluation_steps")


def spelled(line):
    """One statement, its short forms written out."""
    for short, full in SHORT.items():
        line = line.replace(short, full)
    for short, full in PLACES.items():
        line = re.sub(short, full, line)
    return line


def scheduled(text):
    """``1000s / 1e10t / 10e / 1e`` as the old schedule."""
    if text == "AS":
        return ["schedule_params = atari_schedule"]
    lines = ["schedule_params = ScheduleParameters()"]
    for name, part in zip(NAMES, text.split("/"), strict=True):
        count, unit = part.strip()[:-1], part.strip()[-1]
        lines.append(f"schedule_params.{name} = {STEPS[unit]}({int(float(count))})")
    return lines


@attrs.frozen
class Old:
    """One row of the table."""

    name: str
    agent: str
    environment: str
    schedule: str
    overrides: str

    @property
    def manager(self):
        """Who brought agent and environment together."""
        return "BatchRLGraphManager" if self.name.endswith("BatchRL") else "BasicRLGraphManager"

    @property
    def text(self):
        """The row as an old preset."""
        place, _, level = self.environment.partition(" ")
        lines = [
            "import math",
            "from rl_coach.graph_managers.basic_rl_graph_manager import BasicRLGraphManager",
            "# written from the table of presets",
            *scheduled(self.schedule),
            f"agent_params = {self.agent}AgentParameters()",
            f"env_params = {ENVIRONMENTS[place].format(level)}",
            "preset_validation_params = PresetValidationParameters()",
            *(spelled(one.strip()) for one in self.overrides.split(";") if one.strip()),
            f"graph_manager = {self.manager}(agent_params=agent_params, env_params=env_params,",
            "    schedule_params=schedule_params, vis_params=VisualizationParameters(),",
            "    preset_validation_params=preset_validation_params)",
        ]
        return "\n".join(lines) + "\n"


def rows():
    """Every row of ``table.txt``: name | agent | environment | schedule | overrides, which may go on below."""
    entries: list[str] = []
    for line in (Path(__file__).parent / "table.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            entries[-1] += f" {line.strip()}"
        elif line and not line.startswith("#"):
            entries.append(line)
    return {one.name: one for one in (Old(*(part.strip() for part in entry.split("|"))) for entry in entries)}


OLD = rows()


@pytest.fixture(params=sorted(OLD))
def each_old(request):
    """Each of the 69 presets."""
    return OLD[request.param]


@pytest.fixture
def old():
    """The presets by name."""
    return OLD
