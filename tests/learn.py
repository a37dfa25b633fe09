"""Do the presets learn? Train each to its [validation] with several seeds and print the table.

    python tests/learn.py [--presets NAME,NAME] [--seeds K] [--jobs J] [--out DIR]

A preset passes with a seed when its best checkpoint, chosen by evaluation
during training, reaches the reward over 20 fresh greedy episodes. The last
policy is reported beside it (DQN oscillates at its end in every library).
Exits 1 when a line fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EPISODES = 20


def one(preset: str, seed: int, folder: Path) -> dict:
    """Train and judge one preset with one seed, in this process."""
    import coachcore
    from coachcore.presets.build import build

    loaded = coachcore.load_preset(preset, seed=seed)
    experiment = build(loaded)
    begun = time.perf_counter()
    outcome = coachcore.run(loaded, out=folder, recorders={"jsonl": experiment.recorders["jsonl"]})
    seconds = time.perf_counter() - begun
    best = coachcore.evaluate(outcome.folder, episodes=EPISODES)
    last = coachcore.evaluate(outcome.folder, episodes=EPISODES, checkpoint="latest")
    events = (json.loads(line) for line in (outcome.folder / "events.jsonl").read_text().splitlines())
    chosen = [event["step"] for event in events if event["kind"] == "evaluation" and event["data"]["best"]]
    asked = experiment.validation
    passed = best.mean >= asked.reward and outcome.steps <= asked.within.amount
    return {"preset": preset, "seed": seed, "asked": asked.reward, "within": asked.within.amount, "best": best.mean,
            "best_std": best.std, "at": chosen[-1] if chosen else 0, "last": last.mean, "steps": outcome.steps,
            "updates": outcome.updates, "seconds": seconds, "passed": passed}  # fmt: skip


def child(preset: str, seed: int, out: Path) -> dict:
    """One single-threaded process a run."""
    folder = out / f"{preset}-{seed}"
    command = [sys.executable, __file__, "--one", preset, "--seed", str(seed), "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        said = (done.stderr.strip().splitlines() or ["?"])[-1]
        return {"preset": preset, "seed": seed, "passed": False, "error": said}
    return json.loads(done.stdout.splitlines()[-1])


def line(row: dict) -> str:
    from coachcore.api import figure

    if "error" in row:
        return f"| {row['preset']} | {row['seed']} | failed: {row['error']} | | | | | | |"
    best, steps = f"{figure(row['best'])} ± {figure(row['best_std'])}", f"{row['steps']} of {row['within']}"
    cells = [row["preset"], row["seed"], f"{row['asked']:g}", best, row["at"], figure(row["last"]), steps]
    return f"| {' | '.join(map(str, cells))} | {row['seconds']:.1f} | {'yes' if row['passed'] else 'NO'} |"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--presets", default="")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--one", default="", help=argparse.SUPPRESS)
    options.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options.add_argument("--out", type=Path)
    asked = options.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one, asked.seed, asked.out)))
        return 0
    from coachcore.registry.registry import current

    presets = asked.presets.split(",") if asked.presets else sorted(current().presets())
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(asked.jobs) as pool:
        out = asked.out or Path(scratch)
        runs = [(preset, seed) for preset in presets for seed in range(asked.seeds)]
        print("| preset | seed | asked | best checkpoint, 20 episodes | at step | last policy | steps | s | reached |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        rows = []
        for row in pool.map(lambda run: child(*run, out), runs):
            rows.append(row)
            print(line(row), flush=True)
    reached = sum(row["passed"] for row in rows)
    print(f"{reached} of {len(rows)} runs reached their validation")
    return 0 if reached == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
