"""DQN end to end against Stable-Baselines3: same network, batch size, update ratio and environment.

    python tests/benchmarks/versus_sb3.py [--rounds 5] [--settings NAME,NAME]

Stable-Baselines3 lives in a virtual environment of its own, made on first use
in the user's cache folder (needs uv; a CPU build of torch is enough). The two
run in turn, one single-threaded process each, and are compared by updates a
second in steady state: compiling and the heat-up are left out for both.
Prints medians, and the ratio with its range over the paired rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

WARM = 2_000  # steps before the clock starts: heat-up and compilation are over
SETTINGS = {
    # name: (hidden, batch, collect every, updates each time, learning rate, steps)
    "64-64, 1 update every step": ((64, 64), 64, 1, 1, 1e-3, 12_000),
    "64-64, 16 updates every 16 steps": ((64, 64), 64, 16, 16, 1e-3, 30_000),
    "256-256, 128 updates every 256 steps": ((256, 256), 64, 256, 128, 2.3e-3, 12_000),
}


def coach(hidden: list[int], batch: int, every: int, updates: int, rate: float, steps: int, seed: int) -> None:
    """Runs in a child: prints steps, updates and seconds of the steady state."""
    from time import perf_counter

    import coachcore

    preset = coachcore.load_preset("cartpole-dqn").document | {"seed": seed, "filters": {}}
    preset["agent"] = {
        "use": "dqn",
        "loss": "huber",
        "network": {
            "embedders": {"observation": {"use": "vector", "scheme": list(hidden)}},
            "middleware": {"use": "dense", "scheme": "empty"},
            "heads": {"q": {"use": "q"}},
        },
        "learner": {"batch_size": batch, "learning_rate": rate, "train_every": f"{every} steps", "updates": updates,
                    "target_every": f"{max(100, updates)} updates", "gradient_clip": 10.0},
    }  # fmt: skip
    preset["memory"] = {"use": "experience-replay", "capacity": 100_000}
    preset["exploration"] = {
        "use": "e-greedy",
        "epsilon": {"use": "linear", "start": 1.0, "end": 0.04, "steps": int(0.3 * steps)},
    }
    preset["schedule"] = {
        "heatup": "1_000 steps",
        "train": f"{steps} steps",
        "evaluate": {"every": f"{10 * steps} steps", "episodes": 1},
        "report_every": "500 steps",
    }
    preset["checkpoint"] = {"every": f"{10 * steps} steps"}
    preset.pop("validation", None)
    begun = None
    for event in coachcore.train(preset):
        if begun is None and event.step >= WARM:
            begun = (perf_counter(), event.step, event.update)
    seconds, at, update = begun
    print(json.dumps([event.step - at, event.update - update, perf_counter() - seconds]))


def stable_baselines(hidden, batch, every, updates, rate, steps, seed) -> None:
    """Runs in a child, in the other virtual environment."""
    from time import perf_counter

    import gymnasium
    import torch
    from stable_baselines3 import DQN
    from stable_baselines3.common.callbacks import BaseCallback

    torch.set_num_threads(1)

    class Clock(BaseCallback):
        begun = None

        def _on_step(self) -> bool:
            if self.begun is None and self.num_timesteps >= WARM:
                self.begun = (perf_counter(), self.num_timesteps, self.model._n_updates)
            return True

    clock = Clock()
    model = DQN("MlpPolicy", gymnasium.make("CartPole-v1"), learning_rate=rate, batch_size=batch, buffer_size=100_000,
                learning_starts=1_000, gamma=0.99, target_update_interval=100, train_freq=every, gradient_steps=updates,
                exploration_fraction=0.3, exploration_final_eps=0.04, seed=seed,
                policy_kwargs={"net_arch": list(hidden)})  # fmt: skip
    model.learn(steps, callback=clock)
    seconds, at, update = clock.begun
    print(json.dumps([model.num_timesteps - at, model._n_updates - update, perf_counter() - seconds]))


def other_python() -> Path:
    """The interpreter of the environment that holds Stable-Baselines3; made when it is not there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "coach" / "versus-sb3"
    python = cache / "bin" / "python"
    if not python.exists():
        print("making a virtual environment for stable-baselines3 ...", file=sys.stderr)
        subprocess.run(["uv", "venv", "-q", str(cache), "--python", sys.executable], check=True)
        packages = ["torch", "stable-baselines3>=2.4", "gymnasium"]
        find = [f"--find-links={links}"] if (links := os.environ.get("PIP_FIND_LINKS")) else []
        backend = [] if find else ["--torch-backend=cpu"]
        subprocess.run(["uv", "pip", "install", "-q", "--python", str(python), *find, *backend, *packages], check=True)
    return python


def child(python: Path, side: str, setting: tuple, seed: int) -> float:
    command = [str(python), __file__, "--child", side, json.dumps([*setting, seed])]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads, check=False)
    if done.returncode:
        sys.exit(f"{side} failed:\n{done.stderr[-3000:]}")
    _steps, updates, seconds = json.loads(done.stdout.splitlines()[-1])
    return updates / seconds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--settings", default="")
    options.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.child:
        side, setting = asked.child
        {"coach": coach, "sb3": stable_baselines}[side](*json.loads(setting))
        return
    other = other_python()
    print("| setting | Coach updates/s | SB3 updates/s | ratio, median | range |\n|---|---|---|---|---|", flush=True)
    chosen = [name.strip() for name in asked.settings.split(";")] if asked.settings else list(SETTINGS)
    for name in chosen:
        pairs = []
        for seed in range(asked.rounds):
            ours = child(Path(sys.executable), "coach", SETTINGS[name], seed)
            pairs.append((ours, child(other, "sb3", SETTINGS[name], seed)))
        ratios = [ours / theirs for ours, theirs in pairs]
        ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
        spread = f"{statistics.median(ratios):.1f} | {min(ratios):.1f} to {max(ratios):.1f}"
        print(f"| {name} | {ours:.0f} | {theirs:.0f} | {spread} |", flush=True)


if __name__ == "__main__":
    main()
