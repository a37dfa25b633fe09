"""How the tests of acting write a program and run it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coachcore.acting import ActingNetwork

Program = dict[str, Any]


@pytest.fixture(scope="session")
def single() -> Callable[..., Program]:
    """A program of one operation: inputs x0, x1, ... of the shapes given, weights of theirs, output "out"."""

    def write(op: str, shapes: list[Any], weights: list[Any] | None = None, *, noise: int = 0, **facts: Any) -> Program:
        listed, offset = [], 0
        for i, shape in enumerate(weights or []):
            listed.append({"name": f"w{i}", "shape": shape, "offset": offset})
            offset += math.prod(shape)
        inputs = {f"x{i}": shape for i, shape in enumerate(shapes)}
        ops = [{"op": op, "inputs": list(inputs), "output": "y"} | facts]
        return {
            "inputs": inputs, "size": offset, "weights": listed, "noise": noise, "ops": ops, "outputs": {"out": "y"},
        }  # fmt: skip

    return write


@pytest.fixture(scope="session")
def act() -> Callable[..., Any]:
    """Run a program, once written as JSON and read back: flat weights and one array an input -> what "out" gives."""

    def run(program: Program, flat: Any, *given: Any, rng: np.random.Generator | None = None) -> np.ndarray:
        network = ActingNetwork(json.loads(json.dumps(program)))
        network.load(np.concatenate([np.zeros(0), *(np.ravel(part) for part in flat)]).astype(np.float32))
        obs = {f"x{i}": np.asarray(x, np.float32) for i, x in enumerate(given)}
        return network(obs, rng)["out"]

    return run
