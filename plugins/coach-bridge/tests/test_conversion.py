"""Every preset of the old system, converted: how many come over, and that values mean the same."""

from __future__ import annotations

import re
import tomllib

import pytest

from coach_bridge.conversion import converted
from coachcore import load_preset
from coachcore.api import BadData

COMPLETE = {
    "CartPole_ClippedPPO",
    "CartPole_DQN",
    "CartPole_Dueling_DDQN",
    "CartPole_QR_DQN",
    "CartPole_Rainbow",
    "Doom_Basic_DQN",
    "Doom_Basic_Dueling_DDQN",
    "Mujoco_ClippedPPO",
    "Mujoco_DDPG",
    "Mujoco_PPO",
    "Mujoco_SAC",
    "Mujoco_TD3",
}
PARTLY = {
    "CartPole_A3C",
    "Mujoco_A3C",
    "Mujoco_A3C_LSTM",
    "Doom_Basic_A3C",
    "Atari_A3C",
    "Atari_A3C_LSTM",
    "Atari_Bootstrapped_DQN",
    "Atari_C51",
    "Atari_DDQN",
    "Atari_DDQN_with_PER",
    "Atari_DQN",
    "Atari_DQN_with_PER",
    "Atari_Dueling_DDQN",
    "Atari_Dueling_DDQN_with_PER_OpenAI",
    "Atari_QR_DQN",
    "Atari_Rainbow",
    "Atari_UCB_with_Q_Ensembles",
    "Fetch_DDPG_HER_baselines",
}
"""All others of the 69 wait for an agent, a memory or an environment that is not there yet."""


def at(document, path):
    for part in path.split("/"):
        document = document[int(part) if part.isdigit() else part]
    return document


def test_there_are_69(old):
    assert len(old) == 69
    assert (COMPLETE | PARTLY).issubset(old)


def test_what_comes_over(each_old):
    conversion = converted(each_old.text, f"{each_old.name}.py")
    document = tomllib.loads(conversion.text)
    assert document == conversion.document
    assert conversion.complete == (each_old.name in COMPLETE)
    assert conversion.whole == (each_old.name in COMPLETE | PARTLY)
    if conversion.whole:
        load_preset(document)  # raises unless `coach check` accepts it


def test_every_remark_names_a_line_of_the_preset(each_old):
    conversion = converted(each_old.text, "old.py")
    for line in conversion.lines:
        found = re.fullmatch(r"old\.py:(\d+): (note|left out): .+", line)
        assert found, line
        assert 1 <= int(found[1]) <= each_old.text.count("\n"), line
        assert f"# {line}\n" in conversion.text


MEANT = {
    "CartPole_DQN": {
        "environment/id": "CartPole-v1",
        "environment/max_episode_steps": 200,
        "agent/use": "dqn",
        "agent/loss": "mse",
        "agent/network/loss_weights/q": 2.0,  # half a squared error here, a whole one there
        "agent/learner/target_every": "100 updates",
        "agent/learner/beta2": 0.99,
        "agent/learner/epsilon": 1e-4,
        "exploration/epsilon": {"use": "linear", "start": 1.0, "end": 0.01, "steps": 10_000},
        "exploration/evaluation_epsilon": 0.05,
        "memory/capacity": 40_000,
        "schedule/heatup": "1000 steps",
        "schedule/train": "10000001000 steps",
        "schedule/evaluate": {"every": "10 episodes", "episodes": 1},
        "validation": {"reward": 150.0, "within": "50000 steps"},
    },
    "CartPole_Dueling_DDQN": {
        "agent/double": True,
        "agent/network/heads/q/use": "dueling-q",
        "agent/network/gradient_scales/q": 0.7071067811865475,
        "exploration/evaluation_epsilon": 0.001,
    },
    "Atari_Bootstrapped_DQN": {
        "agent/use": "bootstrapped-dqn",
        "agent/double": True,
        "agent/sharing": 1.0,
        "agent/loss": "huber",
        "agent/network/heads/q": {"use": "ensemble-q", "heads": 10},
        "exploration/use": "bootstrapped",
        "exploration/epsilon": {"use": "linear", "start": 1.0, "end": 0.01, "steps": 1_000_000},
        "exploration/evaluation_epsilon": 0.05,
    },
    "Atari_UCB_with_Q_Ensembles": {
        "exploration/use": "ucb",
        "exploration/bonus": 0.1,
        "exploration/epsilon/steps": [1_000_000],
        "exploration/epsilon/schedules/1": {"use": "linear", "start": 0.1, "end": 0.01, "steps": 4_000_000},
    },
    "CartPole_QR_DQN": {
        "agent/use": "qr-dqn",
        "agent/huber_width": 1.0,
        "agent/network/heads/q": {"use": "quantile-q", "quantiles": 50},
        "agent/learner/learning_rate": 5e-4,
        "agent/learner/epsilon": 0.01 / 32,
    },
    "CartPole_Rainbow": {
        "agent/n_step": 3,
        "agent/network/heads/q": {"use": "rainbow-q", "atoms": 51, "noisy": True},
        "agent/network/embedders/observation/scheme": [{"use": "noisy-dense", "units": 256, "activation": "relu"}],
        "agent/network/middleware/scheme": "empty",
        "exploration/use": "parameter-noise",
        "memory/alpha": 0.5,
        "memory/beta": {"use": "linear", "start": 0.4, "end": 1.0, "steps": 10_000},
    },
    "CartPole_ClippedPPO": {
        "agent/clip": {"use": "linear", "start": 0.2, "end": 1e-6, "steps": 1_000_000},
        "agent/entropy_weight": 0.0,
        "agent/network/torso": "separate",
        "agent/network/loss_weights/value": 2.0,
        "agent/network/middleware": {"use": "dense", "scheme": [64], "activation": "tanh"},
        "agent/learner/train_every": "2048 steps",
        "agent/learner/epochs": 10,
        "filters/observation/0": {"use": "normalization", "clip": 5.0, "stored": False},
        "schedule/train": "10000000 steps",  # an old training step went with each step of the environment
        "validation/within": "80000 steps",
    },
    "CartPole_A3C": {
        "agent/use": "a2c",
        "agent/entropy_weight": 0.01,
        "agent/gae_lambda": 1,
        "agent/learner/gradient_clip": 40.0,
        "agent/learner/train_every": "5 steps",
        "agent/network/loss_weights/value": 1.0,
        "filters/reward/0": {"use": "rescale", "factor": 0.005},
    },
    "Atari_DQN": {
        "environment/id": "ale_py:ALE/Breakout-v5",
        "agent/network/embedders/observation": {"use": "image", "scheme": "medium"},
        "agent/learner/train_every": "4 steps",
        "agent/learner/target_every": "2500 updates",  # 10,000 steps, an update every 4
        "agent/learner/learning_rate": 1e-4,
        "filters/observation": [{"use": "stacking", "size": 4}],
        "filters/reward": [{"use": "clipping", "low": -1.0, "high": 1.0}],
        "schedule/heatup": "50000 steps",
        "schedule/evaluate/every": "250000 steps",
    },
    "Atari_DDQN": {"agent/double": True, "agent/learner/target_every": "7500 updates"},
    "Atari_C51": {
        "agent/low": -10.0,
        "agent/high": 10.0,
        "agent/network/heads/q": {"use": "categorical-q", "atoms": 51},
        "exploration/epsilon/steps": 1_000_000,
    },
    "Atari_DDQN_with_PER": {
        "agent/learner/learning_rate": 6.25e-5,
        "memory/use": "prioritized-experience-replay",
        "memory/beta/steps": 50_000_000,  # it moved with each minibatch, one every 4 steps
    },
    "Atari_Dueling_DDQN": {"agent/network/middleware/scheme": "empty", "agent/learner/gradient_clip": 10.0},
    "Atari_Dueling_DDQN_with_PER_OpenAI": {
        "agent/learner/target_every": "10000 updates",
        "exploration/epsilon/use": "piecewise",
        "exploration/epsilon/steps": [1_000_000, 1_000_000],
        "exploration/epsilon/schedules/2": 0.001,
    },
    "Atari_Rainbow": {"agent/learner/target_every": "2000 updates", "agent/learner/epsilon": 1.5e-4},
    "Atari_A3C_LSTM": {
        "agent/network/middleware": {"use": "lstm", "scheme": "medium", "units": 256},
        "agent/learner/sequence": 20,
        "agent/learner/batch_size": 20,
        "schedule/heatup": "0 steps",  # a run refuses random play for an agent that learns from its own
    },
    "Mujoco_ClippedPPO": {
        "agent/network/heads/policy": {"use": "gaussian-policy"},
        "exploration": {"use": "continuous-entropy"},
        "environment/id": "InvertedPendulum-v5",
    },
    "Mujoco_PPO": {"agent/learner/train_every": "4992 steps", "agent/initial_kl_coefficient": 0.2},
    "Mujoco_DDPG": {
        "agent/networks/actor/learning_rate_factor": 0.1,
        "agent/learner/learning_rate": 1e-3,
        "agent/networks/critic/embedders/action": {"use": "vector", "scheme": "empty"},
        "agent/networks/critic/middleware/scheme": [300],
        "agent/learner/target_rate": 0.001,
        "exploration/sigma": 0.0666666666667,  # 0.2 of an action that goes from -3 to 3
    },
    "Mujoco_TD3": {
        "environment/id": "Hopper-v5",
        "agent/networks/critic/heads/q": {"use": "twin-q", "hidden": [400, 300]},
        "agent/learner/batch_size": 100,
        "agent/learner/target_every": "2 updates",
        "exploration": {"use": "additive-noise", "deviation": 0.1, "relative": False},
    },
    "Mujoco_SAC": {
        "agent/learn_temperature": False,
        "agent/temperature": 1.0,
        "agent/networks/actor/middleware/scheme": [256],
        "agent/networks/critic/heads/q/hidden": [256, 256],
        "filters/reward/0/factor": 5.0,
    },
    "Doom_Basic_DQN": {
        "environment/observations": ["screen"],
        "filters/screen/3": {"use": "stacking", "size": 3},
        "memory/capacity": 5000,
        "validation/within": "30000 steps",  # 400 episodes of 75 steps
    },
    "Doom_Basic_Dueling_DDQN": {"agent/network/heads/q": {"use": "dueling-q"}, "exploration/epsilon/start": 0.5},
    "Doom_Basic_A3C": {"filters": {"reward": [{"use": "rescale", "factor": 0.01}]}, "agent/learner/epochs": 1},
}


@pytest.mark.parametrize("name", sorted(MEANT))
def test_values_mean_the_same(old, name):
    document = converted(old[name].text, f"{name}.py").document
    assert {path: at(document, path) for path in MEANT[name]} == MEANT[name]


def test_a_level_is_chosen_where_it_is_left_open(old):
    assert converted(old["Mujoco_TD3"].text, "x.py", "walker2d").document["environment"]["id"] == "Walker2d-v5"
    bare = old["Mujoco_TD3"].text.replace("reward_test_level", "comment")
    left_out = [one.text for one in converted(bare, "x.py").remarks if one.left_out]
    assert "the level is left open - give one with --level" in left_out


ODD = ["[]", "None", "'x'", "0", "made()", "{}", "np.inf", "lambda: 0", "True", "(1, 2)", "A.b", "agent_params"]


@pytest.mark.parametrize("name", ["CartPole_Rainbow", "Mujoco_TD3", "Mujoco_SAC", "CartPole_ClippedPPO", "Mujoco_PPO"])
@pytest.mark.parametrize("odd", ODD)
def test_whatever_a_line_says_there_is_a_preset_or_one_error(old, name, odd):
    lines = old[name].text.splitlines()
    for place, line in enumerate(lines):
        if " = " in line and not line.startswith(("graph", " ")):
            changed = [*lines[:place], f"{line.partition(' = ')[0]} = {odd}", *lines[place + 1 :]]
            try:
                conversion = converted("\n".join(changed), "x.py")
            except BadData:
                assert odd == "agent_params" or line.startswith("agent_params = ")
            else:
                assert tomllib.loads(conversion.text)


SMALL = "agent_params = DQNAgentParameters()\nenv_params = GymVectorEnvironment(level='CartPole-v1')\n"


def lost(text):
    return [f"{one.line}: {one.text}" for one in converted(SMALL + text, "x.py").remarks if one.left_out]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("agent_params.algorithm.invented = 3", "agent_params.algorithm.invented: nothing here means this"),
        ("for one in (1, 2): agent_params.x = one", "`for one in (1, 2):` cannot be followed"),
        ("print('hello')", "`print('hello')` cannot be followed"),
        ("agent_params.memory = NobodysParameters()", "memory Nobodys: there is no such memory yet"),
        ("agent_params.exploration = UCBParameters()", "exploration ucb looks at several heads - use it with agent"),
        ("agent_params.algorithm.discount = gamma()", "discount: only running the preset would tell its value"),
        ("env_params.frame_skip = 3", "frame_skip = 3: put a gymnasium wrapper into environment.wrappers"),
        ("agent_params.algorithm.num_steps_between_copying_online_weights_to_target = EnvironmentEpisodes(2)",
         "num_steps_between_copying_online_weights_to_target: it cannot be counted in updates"),
        ("agent_params.network_wrappers['main'].learning_rate_decay_rate = 0.3",
         "learning_rate_decay_rate = 0.3: it falls in stairs, which no schedule does"),
        ("agent_params.input_filter.add_reward_filter('n', RewardOfMyOwnFilter())",
         "RewardOfMyOwnFilter: there is no such filter"),
        ("agent_params.output_filter = OutputFilter({'x': PartialDiscreteActionSpaceMap(my_actions)})",
         "the actions to choose from cannot be read - add the filter partial-discrete-map"),
    ],
)  # fmt: skip
def test_what_cannot_be_converted_is_said(line, said):
    assert any(one.startswith(f"3: {said}") for one in lost(line)), lost(line)


HINDSIGHT = """
agent_params.memory = EpisodicHindsightExperienceReplayParameters()
agent_params.memory.max_size = (MemoryGranularity.Transitions, 5000)
agent_params.memory.hindsight_transitions_per_regular_transition = 2
agent_params.memory.hindsight_goal_selection_method = HindsightGoalSelectionMethod.Final
agent_params.memory.goals_space = GoalsSpace({goal}, {reward}, distance_metric=GoalsSpace.DistanceMetric.{metric})
"""


@pytest.mark.parametrize(
    ("goal", "reward", "metric", "wanted"),
    [
        ("goal_name='state'", "reward_type=ReachingGoal(0, default_reward=-2)", "Euclidean",
         {"achieved": "achieved_goal", "reached_reward": 0.0, "missed_reward": -2.0, "threshold": 0.0,
          "distance": "euclidean"}),
        ("'position'", "InverseDistanceFromGoal(distance_from_goal_threshold=0.3, max_reward=5)", "Manhattan",
         {"achieved": "position", "reward": "inverse-distance", "max_reward": 5.0, "threshold": 0.3,
          "distance": "manhattan"}),
    ],
)  # fmt: skip
def test_learning_in_hindsight(goal, reward, metric, wanted):
    text = HINDSIGHT.format(goal=goal, reward=reward, metric=metric)
    conversion = converted(SMALL + text, "x.py")
    assert conversion.document["memory"] == {
        "use": "episodic-hindsight-experience-replay", "capacity": 5000, "hindsight": 2, "goals": "final", **wanted,
    }  # fmt: skip
    assert not [one.text for one in conversion.remarks if one.left_out]
    load_preset(conversion.document)


def test_a_goal_that_only_running_tells():
    text = HINDSIGHT.format(goal="'position'", reward="ReachingGoal(0)", metric="Hamming")
    assert lost(text) == [
        "8: distance_metric = GoalsSpace.DistanceMetric.Hamming: write one of euclidean, cosine, manhattan"
    ]


def test_classes():
    text = "agent_params.memory = BalancedExperienceReplayParameters()\nagent_params.memory.num_classes = 3\n"
    assert converted(SMALL + text, "x.py").document["memory"] == {
        "use": "balanced-experience-replay", "capacity": 1_000_000, "classes": 3, "class_observation": "class",
        "replacement": False,
    }  # fmt: skip


def test_an_ensemble_of_another_size():
    text = (
        "agent_params = BootstrappedDQNAgentParameters()\nenv_params = GymVectorEnvironment(level='CartPole-v1')\n"
        "head = agent_params.network_wrappers['main'].heads_parameters[0]\n"
        "agent_params.network_wrappers['main'].heads_parameters[0].num_output_head_copies = 20\n"
        "agent_params.network_wrappers['main'].heads_parameters[0].rescale_gradient_from_head_by_factor = 1 / {}\n"
        "agent_params.exploration.architecture_num_q_heads = 20\n"
        "agent_params.exploration.bootstrapped_data_sharing_probability = 0.5\n"
        "agent_params.exploration.epsilon_schedule = ConstantSchedule(0)\n"
    )
    conversion = converted(text.format(20), "x.py")
    document = conversion.document
    assert at(document, "agent/network/heads/q") == {"use": "ensemble-q", "heads": 20}
    assert (at(document, "agent/sharing"), at(document, "exploration/epsilon")) == (0.5, 0.0)
    assert [one.text for one in conversion.remarks if one.line == 6] == [
        "the number of heads is that of the head: agent.network.heads.q.heads"
    ]
    assert [one.text for one in converted(text.format(3), "x.py").remarks if one.line == 5] == [
        "heads of an ensemble send 1 / heads of their gradient - set gradient_scales.q besides"
    ]
    load_preset(document)


def test_e_greedy_over_real_valued_actions():
    text = (
        "agent_params = DDPGAgentParameters()\nenv_params = GymVectorEnvironment(level='Pendulum-v1')\n"
        "agent_params.exploration = EGreedyParameters()\n"
        "agent_params.exploration.continuous_exploration_policy_parameters = AdditiveNoiseParameters()\n"
        "agent_params.exploration.continuous_exploration_policy_parameters.noise_schedule = ConstantSchedule(0.2)\n"
    )
    assert at(converted(text, "x.py").document, "exploration") == {
        "use": "e-greedy",
        "epsilon": {"use": "linear", "start": 0.5, "end": 0.01, "steps": 50_000},
        "evaluation_epsilon": 0.05,
        "deviation": 0.2,
        "relative": True,
    }


def test_layers_are_spelled_out():
    document = converted(
        SMALL + "main = agent_params.network_wrappers['main']\n"
        "agent_params.network_wrappers['main'].middleware_parameters.scheme = [Dense(64), "
        "BatchnormActivationDropout(batchnorm=True, activation_function='tanh', dropout_rate=0.1), Dense(2 ** 5)]",
        "x.py",
    ).document
    assert at(document, "agent/network/middleware/scheme") == [
        {"use": "dense", "units": 64, "activation": "none"},
        {"use": "batch-norm"},
        {"use": "activation", "function": "tanh"},
        {"use": "dropout", "rate": 0.1},
        {"use": "dense", "units": 32, "activation": "relu"},
    ]
    load_preset(document)


def test_what_is_shown_and_written_down():
    text = (
        "vis_params = VisualizationParameters(dump_gifs=True)\nvis_params.tensorboard = True\nvis_params.render = True"
    )
    conversion = converted(SMALL + text, "x.py")
    assert [one["use"] for one in conversion.document["recorders"]] == ["jsonl", "terminal", "tensorboard", "video"]
    assert conversion.complete


PLACES = {
    "observation": "input_filter = InputFilter()\n"
    "agent_params.input_filter.add_observation_filter('observation', 'f', ",
    "reward": "input_filter = InputFilter()\nagent_params.input_filter.add_reward_filter('f', ",
    "action": "output_filter = OutputFilter()\nagent_params.output_filter.add_action_filter('f', ",
    "late": "pre_network_filter = InputFilter()\n"
    "agent_params.pre_network_filter.add_observation_filter('observation', 'f', ",
    "late reward": "pre_network_filter = InputFilter()\nagent_params.pre_network_filter.add_reward_filter('r', ",
}


@pytest.mark.parametrize(
    ("place", "old", "meant"),
    [
        ("observation", "ObservationRescaleSizeByFactorFilter(0.5)", {"use": "rescale-size-by-factor", "factor": 0.5}),
        ("reward", "RewardNormalizationFilter()", {"use": "normalization", "clip": 5.0}),
        ("reward", "RewardEwmaNormalizationFilter(alpha=0.1)", {"use": "ewma-normalization", "alpha": 0.1}),
        (
            "action",
            "AttentionDiscretization(4, force_int_bins=True)",
            {"use": "attention-discretization", "bins": 4, "whole": True},
        ),
        ("action", "FullDiscreteActionSpaceMap()", {"use": "full-discrete-map"}),
        (
            "action",
            "PartialDiscreteActionSpaceMap(target_actions=[[1, 0], [0, 1]], descriptions=['left', 'right'])",
            {"use": "partial-discrete-map", "actions": [[1, 0], [0, 1]], "names": ["left", "right"]},
        ),
        (
            "action",
            "PartialDiscreteActionSpaceMap([0, 3], {0: 'no-op', 1: 'fire'})",
            {"use": "partial-discrete-map", "actions": [0, 3], "names": ["no-op", "fire"]},
        ),
        ("late", "ObservationNormalizationFilter()", {"use": "normalization", "clip": 5.0, "stored": False}),
        ("late reward", "RewardRescaleFilter(0.5)", {"use": "rescale", "factor": 0.5}),
    ],
)
def test_every_old_filter_has_a_successor(place, old, meant):
    conversion = converted(f"{SMALL}agent_params.{PLACES[place]}{old})", "x.py")
    kind = {"late": "observation", "late reward": "reward"}.get(place, place)
    assert at(conversion.document, f"filters/{kind}/0") == meant
    notes = [one.text for one in conversion.remarks]
    said = "rescale was done before the network only; now what it makes is stored" in notes
    assert said == (place == "late reward")
