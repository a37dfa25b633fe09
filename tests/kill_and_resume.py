"""Does a killed run continue bit for bit? Kill one run again and again, and compare it with one left alone.

    python tests/kill_and_resume.py [--preset NAME] [--kills 100] [--seed 0] [--steps 12000] [--set PATH=VALUE ...]

The same short run is made twice: once undisturbed, and once killed (SIGKILL, no
warning) at random moments after it began to work and resumed each time, `--kills`
times or until it is through; several such runs follow until all kills are spent.
Then weights, optimizer, replay, random streams, clock and the record of events
(wall-clock stamps left out) must be equal, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def command(options: argparse.Namespace, folder: Path) -> list[str]:
    if (folder / "preset.toml").exists():
        return [sys.executable, "-m", "coachcore", "run", "--resume", str(folder)]
    (folder / "lock.json").unlink(missing_ok=True)  # killed while the folder was being furnished
    settings = [
        f'schedule.train="{options.steps} steps"',
        'schedule.evaluate.every="2000 steps"',
        "schedule.evaluate.episodes=3",
        'checkpoint.every="500 steps"',
        'recorders=[{use="jsonl"}]',
        *([] if rollouts(options.preset) else ['agent.learner.train_every="4 steps"', "agent.learner.updates=4"]),
        *options.set,
    ]
    sets = [part for setting in settings for part in ("--set", setting)]
    start = [sys.executable, "-m", "coachcore", "run", options.preset, "--seed", str(options.seed)]
    return [*start, "--out", str(folder), *sets]


def rollouts(preset: str) -> bool:
    """Whether the preset learns from rollouts, whose length is part of it."""
    from coachcore import load_preset

    return load_preset(preset).resolved["memory"]["use"] == "rollout"


def undisturbed(options: argparse.Namespace, folder: Path) -> float:
    """Seconds that the whole run worked, start-up left out."""
    done = subprocess.Popen(command(options, folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    begun = wait_for_work(done, folder, 0)
    output, _ = done.communicate()
    if done.returncode:
        sys.exit(f"the undisturbed run failed:\n{output}")
    return time.perf_counter() - begun


def wait_for_work(process: subprocess.Popen, folder: Path, before: float) -> float:
    """Until the process has written to the record (or ended)."""
    record = folder / "events.jsonl"
    while process.poll() is None and not (record.exists() and record.stat().st_mtime_ns > before):
        time.sleep(0.002)
    return time.perf_counter()


def kill_once(options: argparse.Namespace, folder: Path, after: float) -> bool:
    """Start or resume, kill `after` seconds of work; False when the run was through before that."""
    record = folder / "events.jsonl"
    before = record.stat().st_mtime_ns if record.exists() else 0
    process = subprocess.Popen(command(options, folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    begun = wait_for_work(process, folder, before)
    while process.poll() is None and time.perf_counter() - begun < after:
        time.sleep(0.0005)
    killed = process.poll() is None
    process.send_signal(signal.SIGKILL)
    output, _ = process.communicate()
    if not killed and process.returncode:
        sys.exit(f"a resumed run failed:\n{output}")
    return killed


def differences(left: Path, right: Path) -> list[str]:
    """What is not equal between two finished runs; empty when all is."""
    from coachcore.running.checkpoint import Checkpoints

    found = list(compare("", *(Checkpoints(side / "checkpoints").load()["machine"] for side in (left, right))))
    events = [[strip(line) for line in (side / "events.jsonl").read_text().splitlines()] for side in (left, right)]
    if events[0] != events[1]:
        found.append(f"events differ ({len(events[0])} and {len(events[1])} lines)")
    return found


def strip(line: str) -> dict:
    event = json.loads(line)
    event.pop("at")
    return event


def compare(path: str, left: object, right: object):
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for key in left:
            yield from compare(f"{path}.{key}", left[key], right[key])
    elif isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype != right.dtype or left.tobytes() != right.tobytes():
            yield path
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from compare(f"{path}[{index}]", one, other)
    elif left != right:
        yield path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="cartpole-dqn-per")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change the preset")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        alone = Path(scratch) / "alone"
        worked = undisturbed(options, alone)
        print(f"undisturbed: {worked:.1f} s of work", flush=True)
        kills, runs, wrong = 0, 0, 0
        while kills < options.kills:
            folder = Path(scratch) / f"killed-{runs}"
            folder.mkdir()
            here = 0
            while kills + here < options.kills and kill_once(options, folder, chance.uniform(0, 0.12 * worked)):
                here += 1
            while kill_once(options, folder, 3600):
                pass
            found = differences(alone, folder)
            kills, runs, wrong = kills + here, runs + 1, wrong + bool(found)
            verdict = f"DIFFERENT: {', '.join(found[:5])}" if found else "EQUAL"
            print(f"run {runs}: killed {here} times, {verdict}", flush=True)
    print(f"{kills} kills in {runs} runs, {wrong} runs differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
