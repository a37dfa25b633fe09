"""Coach's side of a case: a preset, run by the loop itself with a stopwatch around its train calls."""

from __future__ import annotations

from typing import Any

from peers.cases import Case
from peers.watch import Mark, Stopwatch, bytes_held, result

MODULES = ("coachcore", "keras", "numpy", "gymnasium")
Q_HEADS = {"dqn": "q", "pixel-dqn": "q", "c51": "categorical-q", "qr-dqn": "quantile-q"}


def run(case: Case, seed: int, engine: str = "tensorflow") -> dict[str, Any]:
    """Train as `case` says; the rate from the first report after `case.warm` to the last."""
    from time import perf_counter

    import coachcore
    from coachcore.presets.build import build
    from coachcore.running.loop import train
    from coachcore.running.machine import Machine

    machine, watch, marks = Machine(build(coachcore.load_preset(preset(case, engine), seed=seed))), Stopwatch(), []
    learner, memory = machine.learner, machine.memory
    learner.train, memory.sample = watch.around(learner.train), watch.around(memory.sample)
    memory.learned = watch.around(memory.learned)
    try:
        for event in train(machine):
            if event.kind == "report" and event.step >= case.warm:
                marks.append(Mark(perf_counter(), event.step, event.update, watch.seconds))
        took = result(case.measure, marks[0], marks[-1], (*MODULES, engine))
        if case.algorithm == "pixel-dqn":
            took["bytes"] = bytes_held(memory) / len(memory)
    finally:
        machine.close()
    return took


def preset(case: Case, engine: str = "tensorflow") -> dict[str, Any]:
    """The case as a preset: everything that a part would choose by itself is said where the peers choose otherwise."""
    tables = {"ppo": _ppo, "sac": _sac, "td3": _td3}.get(case.algorithm, _q_learning)(case)
    count = {"count": int(case.more["environments"])} if "environments" in case.more else {}
    never = f"{10 * case.steps} steps"
    common = {
        "coach": 1,
        "environment": {"use": "gymnasium", "id": case.environment, **count},
        "engine": {"use": engine},
        "schedule": {
            "heatup": f"{case.heatup} steps",
            "train": f"{case.steps} steps",
            "evaluate": {"every": never, "episodes": 1},
            "report_every": f"{case.cycle} steps",
        },
        "checkpoint": {"every": never},
    }
    tables["agent"]["learner"] = {
        "batch_size": case.batch,
        "learning_rate": case.rate,
        "train_every": f"{case.every} steps",
        "precision": case.precision,
        **tables["agent"]["learner"],
    }
    return common | tables


def _memory(case: Case) -> dict[str, Any]:
    """Room for every step; the pictures of the heat-up fill it, so that bytes are those of a full memory."""
    return {"use": "experience-replay", "capacity": case.heatup if case.algorithm == "pixel-dqn" else 100_000}


def _q_learning(case: Case) -> dict[str, Any]:
    head = {"use": Q_HEADS[case.algorithm]}
    more: dict[str, Any] = {"loss": "huber"}
    if case.algorithm == "c51":
        more = {"low": 0.0, "high": 100.0}
        head["atoms"] = case.atoms
    if case.algorithm == "qr-dqn":
        more = {}
        head["quantiles"] = case.atoms
    embedder, middleware = {"use": "vector", "scheme": list(case.hidden)}, {"use": "dense", "scheme": "empty"}
    if case.algorithm == "pixel-dqn":  # the convolutions of Mnih et al. 2015, then 512
        embedder, middleware = {"use": "image", "scheme": "medium"}, {"use": "dense", "scheme": [512]}
    return {
        "agent": {
            "use": case.algorithm.removeprefix("pixel-"),
            "discount": case.discount,
            **more,
            "network": {"embedders": {"observation": embedder}, "middleware": middleware, "heads": {"q": head}},
            "learner": {
                "updates": case.updates,
                "target_every": f"{max(100, case.updates)} updates",
                "gradient_clip": 0.0 if case.algorithm == "qr-dqn" else 10.0,  # as the peers have it
            },
        },
        "memory": _memory(case),
        "exploration": {
            "use": "e-greedy",
            "epsilon": {"use": "linear", "start": 1.0, "end": 0.04, "steps": int(0.3 * case.steps)},
        },
    }


def _ppo(case: Case) -> dict[str, Any]:
    first, second = case.hidden

    def falling(start: float) -> dict[str, Any]:
        return {"use": "linear", "start": start, "end": 0.0, "steps": case.steps}

    return {
        "agent": {
            "use": "clipped-ppo",
            "discount": case.discount,
            "gae_lambda": case.more["gae_lambda"],
            "clip": falling(case.more["clip"]),
            "network": {
                "torso": "separate",
                "loss_weights": {"value": 0.5},
                "embedders": {"observation": {"use": "vector", "scheme": [first], "activation": "tanh"}},
                "middleware": {"use": "dense", "scheme": [second], "activation": "tanh"},
                "heads": {"policy": {"use": "discrete-policy"}, "value": {"use": "state-value"}},
            },
            "learner": {
                "learning_rate": falling(case.rate),
                "epochs": int(case.more["epochs"]),
                "gradient_clip": 0.5,
                "epsilon": 1e-5,
            },
        },
        "memory": {"use": "rollout"},
        "exploration": {"use": "categorical"},
    }


def _actor_critic(case: Case, actor: str) -> dict[str, Any]:
    dense = {"use": "dense", "scheme": list(case.hidden)}
    plain = {"use": "vector", "scheme": "empty"}
    return {
        "use": case.algorithm,
        "discount": case.discount,
        "networks": {
            "actor": {
                "embedders": {"observation": plain},
                "middleware": dense,
                "heads": {"policy": {"use": actor}},
            },
            "critic": {
                "embedders": {"observation": plain, "action": plain},
                "middleware": {"use": "dense", "scheme": "empty"},
                "heads": {"q": {"use": "twin-q", "hidden": list(case.hidden)}},
            },
        },
        "learner": {"updates": case.updates, "target_every": "1 updates", "target_rate": 0.005},
    }


def _sac(case: Case) -> dict[str, Any]:
    agent = _actor_critic(case, "squashed-gaussian-policy")
    return {"agent": agent, "memory": _memory(case), "exploration": {"use": "continuous-entropy"}}


def _td3(case: Case) -> dict[str, Any]:
    """The targets follow when the actor moves, every second update, as they do on the other sides."""
    agent = _actor_critic(case, "deterministic-policy") | {"actor_every": 2}
    agent["learner"]["target_every"] = "2 updates"
    noise = {"use": "additive-noise", "deviation": 0.05}  # of the width of the box: 0.1 in [-1, 1]
    return {"agent": agent, "memory": _memory(case), "exploration": noise}
