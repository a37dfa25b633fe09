"""The parts of a linear network: laws where Keras is installed, and refusals."""

from __future__ import annotations

import subprocess
import sys

import pytest

from coach_toys.network import LinearValues, Plain, Straight, actions_of, refuse_unless_numbers
from coachcore.api import Box, Discrete, Mismatch
from coachcore.testing.network import LAWS


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("part", "space"),
    [(Plain(), Box((4,))), (Plain(), Box((2, 3))), (Straight(), Box((4,))), (LinearValues(), Discrete(3))],
)
def test_laws(law, part, space) -> None:
    pytest.importorskip("keras")
    law(part, space)


def test_refusals() -> None:
    for space in (Discrete(3), Box((2,), 0, 255, "uint8")):
        with pytest.raises(Mismatch, match=r"embedder 'plain' takes real numbers, got .* make them so with a filter"):
            refuse_unless_numbers(space)
    with pytest.raises(Mismatch, match="head 'linear-values' values discrete actions, got Box"):
        actions_of(Box((1,)))


def test_nothing_here_imports_keras_by_itself() -> None:
    names = ("engine", "learner", "linear_q", "network", "corridor")
    code = f"import sys\nfor n in {names}: __import__(f'coach_toys.{{n}}')\nprint('keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
